package federation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"portico/internal/document"
	"portico/internal/fault"
)

// The codes of this package. All but CodeUnknown have the param {provider}.
const (
	CodeCancelled   = "provider.cancelled"   // the user cancelled at the provider
	CodeUnavailable = "provider.unavailable" // the provider does not answer; RetryAfter says when to try again
	CodeRejected    = "provider.rejected"    // the provider's answer is not acceptable; the cause is for the log
	CodeUnknown     = "provider.unknown"     // no such provider is configured
	CodeNoProof     = "provider.no_proof"    // the provider does not tell whether its user gave a new proof
)

// errNoProof is the verdict on a provider that can never report a new proof.
var errNoProof = errors.New("the provider does not tell when its user signed in")

// errCancelled is the verdict on a user who cancelled.
var errCancelled = errors.New("cancelled at the provider")

// outage is the error of a provider that is down or overloaded. Any other error
// is a wrong answer.
type outage struct {
	cause error
	retry time.Duration // 0: unknown
}

func (o *outage) Error() string { return o.cause.Error() }
func (o *outage) Unwrap() error { return o.cause }

// fault turns an error of an attempt at p into the fault that the caller sees.
func (p *provider) fault(err error) error {
	if err == nil {
		return nil
	}
	verdict := fault.New(fault.Forbidden, CodeRejected)
	down, isDown := errors.AsType[*outage](err)
	switch {
	case errors.Is(err, errCancelled):
		verdict = fault.New(fault.Forbidden, CodeCancelled)
	case errors.Is(err, errNoProof):
		verdict = fault.New(fault.Forbidden, CodeNoProof)
	case isDown:
		verdict = fault.New(fault.Unavailable, CodeUnavailable).WithRetryAfter(cmp.Or(down.retry, document.Pause))
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		verdict = fault.New(fault.Unavailable, CodeUnavailable).WithRetryAfter(document.Pause)
	}
	return verdict.WithParams(map[string]string{"provider": p.Name}).WithCause(fmt.Errorf("provider %s: %w", p.ID, loggable(err)))
}

// loggable removes what must not reach a log: the query of an address, which can
// hold codes, and the body of an answer, which can hold tokens.
func loggable(err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		target, _, _ := strings.Cut(ue.URL, "?")
		return fmt.Errorf("%s %s: %w", ue.Op, target, ue.Err)
	}
	if re, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("the token endpoint answered %d, error %.64q: %.256q", re.Response.StatusCode, re.ErrorCode, re.ErrorDescription)
	}
	return err
}

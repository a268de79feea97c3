package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/legible"
)

// Lease is how long a claimed message belongs to its claimer. No other process
// delivers it meanwhile, and the delivery ends before the lease does, also by the
// clock of another node.
const Lease = deliverLimit + 2*clock.Uncorrected

// Near is how soon a message is due that Flush leaves: by its clock, the lease of a node
// whose clock is ahead ends later.
const Near = Lease + 2*clock.Uncorrected

const (
	// deliverLimit bounds one delivery. It ends before the lease, so that no
	// other claim is made while this delivery may still succeed.
	deliverLimit = 30 * time.Second

	maxFailures  = 10 // about three hours of backoff
	maxUncertain = 2  // deliveries with an unknown outcome; there is no third

	firstDelay = 30 * time.Second
	lastDelay  = time.Hour

	// horizon is longer than any message is postponed.
	horizon = 2 * time.Hour

	reasonLimit = 300 // characters of a server's response that are kept
)

// DeliveryError is an error of Deliver that says more than that the message was
// not delivered. Any other error counts as uncertain: the outbox would rather
// give up a message than send it again and again.
type DeliveryError interface {
	error

	// Permanent reports that this message will never be accepted.
	Permanent() bool

	// Uncertain reports that the message may have been accepted.
	Uncertain() bool
}

// ErrOver is the error of a Deliver that does not send a message, because what it is about has ended. The message is
// deleted.
var ErrOver = errors.New("what it is about has ended")

// attempt delivers the message unless its content has expired. It returns a
// DeliveryError or nil.
func (r *Runner) attempt(ctx context.Context, m Message) (failure DeliveryError) {
	limit := deliverLimit
	if !m.NotAfter.IsZero() {
		limit = min(limit, m.NotAfter.Sub(r.Outbox.clock.Now()))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			failure = uncertain{fmt.Errorf("panic in a delivery: %v", p)}
		}
	}()
	err := r.Deliver(ctx, m)
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[DeliveryError](err); ok {
		return known
	}
	return uncertain{err}
}

// advised adds what helps against the failure to a log entry, if its error knows.
func advised(log *slog.Logger, failure error) *slog.Logger {
	if known, ok := errors.AsType[interface {
		error
		Advice() string
	}](failure); ok && known.Advice() != "" {
		return log.With("do", known.Advice())
	}
	return log
}

type uncertain struct{ error }

func (u uncertain) Unwrap() error { return u.error }
func (uncertain) Permanent() bool { return false }
func (uncertain) Uncertain() bool { return true }

// count adds a failed delivery to the record and reports whether the message
// may be tried again.
func (r *Record) count(failure DeliveryError) bool {
	r.Reason = reason(failure)
	r.Failures++
	if !failure.Uncertain() {
		r.Uncertain--
	}
	return !failure.Permanent() && r.Failures < maxFailures && r.Uncertain < maxUncertain
}

// backoff returns how long to wait after a number of failures: firstDelay,
// doubled each time up to lastDelay, spread by a quarter to both sides. jitter
// is between 0 and 1. The spread keeps deliveries that failed together from
// being retried together.
func backoff(failures int, jitter float64) time.Duration {
	delay := lastDelay
	if n := failures - 1; n < 7 { // 30 s * 2^7 is more than an hour
		delay = firstDelay << n
	}
	return time.Duration(float64(delay) * (0.75 + jitter/2))
}

// reason returns an error as one line of bounded length, because part of it may
// come from a foreign server.
func reason(err error) string {
	text := legible.Clean(err.Error())
	if len(text) > reasonLimit {
		text = strings.ToValidUTF8(text[:reasonLimit], "")
	}
	return text
}

package federation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"portico/internal/egress"
	"portico/internal/telemetry/span"
)

// maxRetry caps what a provider may ask for in Retry-After.
const maxRetry = time.Minute

// jsonOnly is the transport of every request of this package, including the requests
// of the OAuth library. It returns only complete JSON responses. Its errors
// distinguish a provider that is down from a provider that refuses.
type jsonOnly struct {
	next http.RoundTripper
}

func (t jsonOnly) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx, s := span.Start(req.Context(), span.ProviderCall)
	defer func() { endCall(s, req, resp, err) }()
	req = req.Clone(ctx)
	req.Header.Set("Accept", "application/json")
	resp, err = t.next.RoundTrip(req)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	switch {
	case errors.Is(err, egress.ErrRefused), errors.Is(err, egress.ErrTooLarge):
		return nil, err
	case err != nil:
		return nil, &outage{cause: err}
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		return nil, &outage{cause: fmt.Errorf("the response has the status %d", resp.StatusCode), retry: retryAfter(resp)}
	case resp.StatusCode/100 == 3:
		return nil, fmt.Errorf("the response is a redirect (%d)", resp.StatusCode)
	case resp.StatusCode == http.StatusOK:
		if err := egress.CheckJSON(resp.Header); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// endCall records which server was called and how it answered. It leaves out
// path, query and body, which hold codes and tokens.
func endCall(s span.Span, req *http.Request, resp *http.Response, err error) {
	s.Set(span.Method(req.Method), span.Host(req.URL.Hostname()))
	if err != nil {
		s.End(CodeUnavailable)
		return
	}
	s.Set(span.Status(resp.StatusCode))
	s.End("")
}

// retryAfter returns the seconds of the header. Any other value counts as 0.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetry)
}

// fetch gets a document, with an access token if one is given (RFC 6750 2.1).
func (p *provider) fetch(ctx context.Context, target, accessToken string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	if accessToken != "" {
		req.Header.Set("Authorization", "Bearer "+accessToken)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s%s answered %d", req.URL.Host, req.URL.Path, resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

func (p *provider) fetchObject(ctx context.Context, target, accessToken string) (object, error) {
	body, err := p.fetch(ctx, target, accessToken)
	if err != nil {
		return nil, err
	}
	return parseObject(body)
}

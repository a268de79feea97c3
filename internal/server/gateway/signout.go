package gateway

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// signOutTimeout is how long the next user waits for an app to end its own
// session.
const signOutTimeout = 2 * time.Second

// The result is the names under which the current user may hold cookies of the app. The
// first one is for new cookies.
func (p *passage) who() []string {
	if p.identity == nil {
		return []string{nobody}
	}
	return p.identity.holders
}

// signOutBefore asks the app to end the session of the previous user.
// Regardless of the outcome, the app gets none of that user's cookies with the
// next user's request.
func (p *passage) signOutBefore(ctx context.Context) {
	a := p.visit.app
	if !p.turn.changed || p.turn.unknown || a.SignOutURL == "" || len(p.turn.withheld) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, signOutTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.Upstream.Scheme+"://"+a.Upstream.Host, nil)
	if err != nil {
		return // the URL of an app was parsed before
	}
	path, query, _ := strings.Cut(a.SignOutURL, "?")
	r.URL = &url.URL{Scheme: a.Upstream.Scheme, Host: a.Upstream.Host, Opaque: path, RawQuery: query}
	r.Host = a.Site.Host
	r.Header = http.Header{
		"Cookie": {strings.Join(p.turn.withheld, "; ")}, "User-Agent": {"Portico"},
		"X-Forwarded-For": p.client[:], "X-Forwarded-Host": a.forwardedHost, "X-Forwarded-Proto": p.gateway.forwardedProto,
	}
	answer, err := a.proxy.Transport.RoundTrip(r)
	if err == nil {
		_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be reused
		_ = answer.Body.Close()
	}
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		status := 0
		if err == nil {
			status = answer.StatusCode
		}
		p.gateway.Log.Warn("an app did not end the session of the previous user", "app", a.Name, "status", status, "error", err)
	}
}

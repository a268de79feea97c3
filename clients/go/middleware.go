package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Require serves requests of signed-in users, and User returns the user. Other
// navigations are redirected to the sign-in page and come back to their page.
// All other requests get 401 with the address of that page (RFC 9457, member
// signin_url).
func (c *Client) Require(next http.Handler) http.Handler {
	return c.identified(next, c.signIn)
}

// Optional serves all requests. User returns false if no user is signed in.
func (c *Client) Optional(next http.Handler) http.Handler {
	return c.identified(next, next.ServeHTTP)
}

func (c *Client) identified(next http.Handler, nobody http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok, err := c.Identify(r)
		switch {
		case errors.Is(err, ErrRefused):
			// A redirect to the sign-in page would loop: a signed-in user would
			// come back with the same token.
			c.log.Warn("a request is refused", "error", err)
			write(w, problem{
				Type: "urn:portico:error:token.refused", Title: "The sign-in of this request is not valid.",
				Status: http.StatusUnauthorized, Code: "token.refused", Detail: err.Error(),
			})
		case err != nil:
			c.log.Error("Portico cannot be asked who is signed in", "error", err)
			w.Header().Set("Retry-After", "2")
			write(w, problem{
				Type: "urn:portico:error:unavailable", Title: "This is not available at the moment. Try again in a few seconds.",
				Status: http.StatusServiceUnavailable, Code: "unavailable", RetryAfter: 2,
			})
		case !ok:
			nobody(w, r)
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, who)))
		}
	})
}

// problem is an error response for scripts (RFC 9457), with the members of
// Portico's own.
type problem struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Detail     string `json:"detail,omitempty"`
	Code       string `json:"code"`
	RetryAfter int    `json:"retry_after"`
	SignInURL  string `json:"signin_url,omitempty"`
}

func write(w http.ResponseWriter, p problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // fails only when the client has gone
}

// signIn answers a request that needs a sign-in.
func (c *Client) signIn(w http.ResponseWriter, r *http.Request) {
	var detail string
	if strings.HasPrefix(target(r), "/auth/") {
		// At the app's own port, this is where a redirect has led: another one
		// would loop.
		detail = "Portico answers /auth/, and this request came past it: open " + c.issuer + " instead"
	} else if navigates(r) {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, c.signInURL(r), http.StatusSeeOther)
		return
	}
	write(w, problem{
		Type: "urn:portico:error:session.required", Title: "Sign in to continue.", Detail: detail,
		Status: http.StatusUnauthorized, Code: "session.required", SignInURL: c.issuer + signInPath,
	})
}

// target returns the path and query of a request as it was sent: a mux may have
// stripped a part of r.URL.
func target(r *http.Request) string {
	if !strings.HasPrefix(r.RequestURI, "/") { // a target with a host (RFC 9112 3.2.2)
		return r.URL.RequestURI()
	}
	return r.RequestURI
}

// navigates reports whether the browser would show the response as a page.
// Browsers report that in Fetch Metadata. An Accept header with text/html proves
// nothing, because scripts may send any value. Without Fetch Metadata, a plain GET
// counts as a navigation. A client that takes JSON and no page never navigates.
func navigates(r *http.Request) bool {
	accept := strings.ToLower(strings.Join(r.Header["Accept"], ","))
	if r.Header.Get("Upgrade") != "" || strings.Contains(accept, "json") && !strings.Contains(accept, "html") {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		dest := r.Header.Get("Sec-Fetch-Dest")
		return mode == "navigate" && (dest == "document" || dest == "")
	}
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("X-Requested-With") == ""
}

const signInPath = "/auth/signin"

// signInURL returns the address at which a user signs in and comes back. An app
// at its own host has no session until /auth/enter brings one from Portico's
// host.
func (c *Client) signInURL(r *http.Request) string {
	origin := c.scheme + "://" + r.Host
	if r.Host == c.host {
		return c.issuer + signInPath + "?return_to=" + url.QueryEscape(comeBack(r, origin))
	}
	return origin + "/auth/enter?to=" + url.QueryEscape(comeBack(r, origin))
}

// comeBack returns where a user continues after the sign-in: the requested
// page, or the page whose form was sent, because the browser cannot send the
// form again.
func comeBack(r *http.Request, origin string) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return target(r)
	}
	if page, ours := strings.CutPrefix(r.Header.Get("Referer"), origin+"/"); ours {
		return "/" + page
	}
	return "/"
}

package server

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxCookies is the most bytes of Cookie headers that a request may carry;
	// a sibling host can plant far more and lock a person out.
	maxCookies = 16 << 10

	// maxCookieValue keeps name and value under the 4096 bytes that browsers
	// store (RFC 6265bis 5.6).
	maxCookieValue = 3800
)

// Cookie is one of our cookies: HttpOnly, SameSite=Lax, for the whole host.
// Under https its name has the prefix __Host-, which a browser accepts only
// from this host, over TLS and without Domain, so that a sibling host cannot
// plant it. On a loopback http address it has no prefix, because Safari
// refuses Secure cookies there. The values that it carries are tokens: letters,
// digits, and . _ -
type Cookie struct {
	name   string
	secure bool
}

// NewCookie returns the cookie of a purpose, such as "session", for the site
// at the public URL.
func NewCookie(public *url.URL, purpose string) Cookie {
	if public.Scheme == "https" {
		return Cookie{name: "__Host-portico-" + purpose, secure: true}
	}
	return Cookie{name: "portico-" + purpose}
}

// Name returns the name that browsers see.
func (c Cookie) Name() string { return c.name }

// Read returns the value of the cookie. A malformed one, or several of the same
// name, count as none and are cleared: which of two the browser means cannot be
// known, and net/http takes the first, which may be an attacker's.
func (c Cookie) Read(w http.ResponseWriter, r *http.Request) (string, bool) {
	value, found := "", 0
	for _, line := range r.Header["Cookie"] {
		for len(line) > 0 {
			var pair string
			pair, line, _ = strings.Cut(line, ";")
			name, v, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
			if strings.TrimRight(name, " \t") == c.name {
				value = v
				found++
			}
		}
	}
	if found == 0 {
		return "", false
	}
	if found > 1 || !isToken(value) {
		c.Clear(w)
		return "", false
	}
	return value, true
}

// Write sets the cookie for a life in whole seconds, or until the browser is
// closed when life is 0.
func (c Cookie) Write(w http.ResponseWriter, value string, life time.Duration) {
	c.set(w, value, int(life/time.Second))
}

// Clear tells the browser to forget the cookie.
func (c Cookie) Clear(w http.ResponseWriter) { c.set(w, "", -1) }

func (c Cookie) set(w http.ResponseWriter, value string, maxAge int) {
	w.Header().Add("Set-Cookie", c.line(value, maxAge))
}

// Line returns what Write writes, for a header that is not that of an answer yet.
func (c Cookie) Line(value string, life time.Duration) string {
	return c.line(value, int(life/time.Second))
}

func (c Cookie) line(value string, maxAge int) string {
	return (&http.Cookie{
		Name:     c.name,
		Value:    value,
		Path:     "/",
		MaxAge:   maxAge,
		Secure:   c.secure,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}).String()
}

// isToken reports whether a value can be one that we have set.
func isToken(s string) bool {
	if s == "" || len(s) > maxCookieValue {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// checkCookies refuses a request with more cookies than any use of ours needs,
// and lets the browser drop them all: nothing else would free a person whose
// cookies somebody else has piled up.
func checkCookies(w http.ResponseWriter, r *http.Request) error {
	size := 0
	for _, line := range r.Header["Cookie"] {
		size += len(line)
	}
	if size <= maxCookies {
		return nil
	}
	w.Header().Set("Clear-Site-Data", `"cookies"`)
	return errCookiesTooLarge
}

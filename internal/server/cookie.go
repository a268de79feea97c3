package server

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxCookies is the size limit of a request's Cookie headers in bytes. A
	// sibling host can set many more cookies and so lock a visitor out.
	maxCookies = 16 << 10

	// maxCookieValue keeps name and value below the 4096 bytes that browsers
	// store (RFC 6265bis 5.6).
	maxCookieValue = 3800
)

// Cookie is one of Portico's cookies: HttpOnly, SameSite=Lax, for the whole
// host. Under https its name has the prefix __Host-. Browsers accept such a
// cookie only from this host, over TLS and without Domain, so a sibling host
// cannot set it. On a loopback http address it has no prefix, because Safari
// refuses Secure cookies there. A value consists of letters, digits, dots,
// underscores and hyphens.
type Cookie struct {
	name   string
	secure bool
}

// NewCookie returns the cookie for a purpose, such as "session", for the site
// at the public URL.
func NewCookie(public *url.URL, purpose string) Cookie {
	if public.Scheme == "https" {
		return Cookie{name: "__Host-portico-" + purpose, secure: true}
	}
	return Cookie{name: "portico-" + purpose}
}

// Name returns the name in the Cookie header.
func (c Cookie) Name() string { return c.name }

// Read returns the value of the cookie. If it is malformed, or if there are
// several of the same name, Read clears the cookie and returns false. Of
// several cookies, one may come from an attacker, and the request does not tell
// which.
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

// Current is Read after this response: a value that it sets counts.
func (c Cookie) Current(w http.ResponseWriter, r *http.Request) (string, bool) {
	lines := w.Header()["Set-Cookie"]
	for i := len(lines) - 1; i >= 0; i-- {
		if rest, is := strings.CutPrefix(lines[i], c.name+"="); is {
			value, _, _ := strings.Cut(rest, ";")
			return value, value != ""
		}
	}
	return c.Read(w, r)
}

// Write sets the cookie for a duration, in whole seconds. Zero means until the
// browser is closed.
func (c Cookie) Write(w http.ResponseWriter, value string, life time.Duration) {
	c.set(w, value, int(life/time.Second))
}

// Clear deletes the cookie in the browser.
func (c Cookie) Clear(w http.ResponseWriter) { c.set(w, "", -1) }

func (c Cookie) set(w http.ResponseWriter, value string, maxAge int) {
	w.Header().Add("Set-Cookie", c.line(value, maxAge))
}

// Line returns the Set-Cookie line that Write would add.
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

// isToken reports whether a value has the form of values that Portico sets.
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

// checkCookies refuses a request with too many bytes of cookies, and makes the
// browser delete all cookies. Otherwise a visitor whose cookies another site
// has filled up could never sign in.
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

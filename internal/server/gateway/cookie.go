package gateway

import (
	"net/http"
	"strings"
)

// ownCookie reports whether a cookie's name belongs to us: also in another case,
// in which a browser or an app may take it for ours, and with either prefix of
// cookie names (RFC 6265bis 4.1.3).
func ownCookie(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return name == "portico" || strings.HasPrefix(name, "portico-")
}

// keepOwnCookies drops from an app's answer what would set, or clear, a cookie of
// ours. A cookie without a name but with ours in its value is sent back by
// browsers as if it had the name.
func keepOwnCookies(h http.Header) {
	lines := h["Set-Cookie"]
	kept := lines[:0]
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " \t="), "=")
		name, _, _ = strings.Cut(name, ";")
		if !ownCookie(name) {
			kept = append(kept, line)
		}
	}
	if len(kept) < len(lines) {
		h["Set-Cookie"] = kept
	}
	if len(kept) == 0 {
		delete(h, "Set-Cookie")
	}
	keepSiteCookies(h)
}

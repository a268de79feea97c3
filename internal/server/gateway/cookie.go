package gateway

import (
	"net/http"
	"strings"
)

// ownCookie reports whether a cookie name belongs to Portico. It ignores case,
// as some browsers and apps do, and both prefixes of cookie names (RFC 6265bis
// 4.1.3).
func ownCookie(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return name == "portico" || strings.HasPrefix(name, "portico-")
}

// keepOwnCookies removes lines that set or clear one of Portico's cookies from
// an app's response. Browsers send a cookie without a name as its value only,
// so the check includes the value.
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

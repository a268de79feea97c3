package flow

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxTarget = 2048 // bytes

// Targets says where people may be sent after a flow.
type Targets struct {
	Fallback string   // where to go when nothing was asked for
	Self     string   // this origin, "https://login.example.com"; "" when it is not known
	Origins  []string // allowed besides this one: "https://app.example.com", "https://*.apps.example.com"
}

// Clean returns raw when people may be sent there, and "" when not.
//
// A target is either a path on this origin or an absolute URL of an allowed
// origin. Of a URL of this origin the path is returned, and judged as any path. Paths are judged by a rule that no URL parser takes part in, since
// Go and browsers disagree about what leaves the site: "/\evil.test",
// "https:evil.test" and a tab between two slashes are local to one and foreign
// to the other.
func (t Targets) Clean(raw string) string {
	if raw == "" || len(raw) > maxTarget || !printable(raw) {
		return ""
	}
	if path, own := strings.CutPrefix(raw, t.Self); own && t.Self != "" && (path == "" || path[0] == '/') {
		raw = cmp.Or(path, "/")
	}
	if raw[0] == '/' {
		return cleanPath(raw)
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host == "" || !plainHost(u.Host) {
		return ""
	}
	// What was parsed must be what a browser reads: the text up to the path is
	// compared, not the parts.
	origin := u.Scheme + "://" + u.Host
	rest, ok := strings.CutPrefix(raw, origin)
	if !ok || rest != "" && rest[0] != '/' && rest[0] != '?' && rest[0] != '#' {
		return ""
	}
	for _, allowed := range t.Origins {
		if sameOrigin(origin, allowed) {
			return raw
		}
	}
	return ""
}

// Or returns raw when it is a clean target, else the fallback.
func (t Targets) Or(raw string) string {
	if clean := t.Clean(raw); clean != "" {
		return clean
	}
	return t.Fallback
}

// cleanPath accepts a path that starts with exactly one slash and has no empty
// or dot segment, before and after one percent-decoding. Our own screens are
// no targets, but for the account: they would lead in a circle.
func cleanPath(raw string) string {
	path, _, _ := strings.Cut(raw, "#")
	path, _, _ = strings.Cut(path, "?")
	decoded, err := url.PathUnescape(path)
	if err != nil || !legible(decoded) {
		return ""
	}
	for _, p := range []string{path, decoded} {
		for i, segment := range strings.Split(p[1:], "/") {
			last := i == strings.Count(p[1:], "/")
			if segment == "." || segment == ".." || segment == "" && !last {
				return ""
			}
		}
	}
	if strings.HasPrefix(decoded+"/", "/auth/") && decoded != "/auth/account" {
		return ""
	}
	return raw
}

// printable reports whether s is made of ASCII without controls, spaces and
// backslashes.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '\\' {
			return false
		}
	}
	return true
}

// legible reports whether a decoded path is text in which nothing can be taken
// for a part of a URL: also not once its compatibility forms are folded, as some
// programs do that decode a second time.
func legible(path string) bool {
	for _, r := range path {
		switch {
		case r == utf8.RuneError, r == '\\', !unicode.IsPrint(r):
			return false
		case r >= utf8.RuneSelf && strings.ContainsAny(norm.NFKC.String(string(r)), `/\.:@?#%;`):
			return false
		}
	}
	return true
}

func plainHost(host string) bool {
	for i := range len(host) {
		c := host[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return true
}

// sameOrigin compares exactly; a leading "*." of the allowed host stands for
// one label.
func sameOrigin(origin, allowed string) bool {
	scheme, host, _ := strings.Cut(allowed, "://")
	suffix, wild := strings.CutPrefix(host, "*")
	if !wild {
		return origin == allowed
	}
	got, ok := strings.CutPrefix(origin, scheme+"://")
	if !ok {
		return false
	}
	label, ok := strings.CutSuffix(got, suffix)
	return ok && label != "" && !strings.ContainsAny(label, ".:[]")
}

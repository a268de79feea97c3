package flow

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/internal/pages"
)

const (
	maxTarget = 2048 // bytes

	// maxRequest is the size limit of the request of an OpenID client, which holds
	// the client's own state. Encoded in the URL of the sign-in page it stays below
	// the limit of a request target.
	maxRequest = 4096

	// maxOpenID is the size limit of a page that has the request of an OpenID client in its
	// own address. A request target may have 8 KiB.
	maxOpenID = 7 << 10
)

// Target is an address that a browser may be sent to after a flow: a path on
// this origin, or a URL of an allowed origin. Only Targets.Check makes one, so
// a value of this type needs no second check. The zero value is not a target.
//
// A Target does not outlive its process. A database row keeps the text, and the
// text is checked again, because the configuration may have changed since.
type Target struct{ text string }

// String returns the address, "" for no target.
func (t Target) String() string { return t.text }

// App returns the address of a target in an app, "" for a page of Portico.
func (t Target) App() string {
	if pages.Own(pathOf(t.text)) {
		return ""
	}
	return t.text
}

// Targets are the addresses that a browser may be sent to after a flow.
type Targets struct {
	Fallback string   // used when there is no target
	Self     string   // this origin, "https://login.example.com"; "" when it is not known
	Origins  []string // other allowed origins: "https://app.example.com", "https://*.apps.example.com"
}

// Check returns raw as a target if it is allowed, else no target. It reduces a
// URL of this origin to its path.
func (t Targets) Check(raw string) Target { return Target{t.clean(raw)} }

// Or returns the address of a target, or the fallback if there is no target.
func (t Targets) Or(target Target) string { return cmp.Or(target.text, t.Fallback) }

// Page returns raw if it is a path of this site, one of Portico's own pages
// included, else "".
func (t Targets) Page(raw string) string {
	most := maxTarget
	if strings.HasPrefix(raw, pages.Authorize+"?") || strings.HasPrefix(raw, pages.EndSession+"?") {
		most = maxOpenID
	}
	if len(raw) > most || !printable(raw) || !localPath(raw) {
		return ""
	}
	return raw
}

// clean returns the checked text of a target, or "".
//
// It compares paths byte by byte, because Go and browsers parse URLs
// differently: "/\evil.test", "https:evil.test" and a tab between two slashes
// stay on this site for one parser and leave it for another.
func (t Targets) clean(raw string) string {
	most := maxTarget
	if strings.HasPrefix(raw, pages.Authorize+"?") {
		most = maxRequest
	}
	if raw == "" || len(raw) > most || !printable(raw) {
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
	// The text up to the path must be what a browser reads, so compare the text
	// and not the parsed parts.
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

// cleanPath accepts a local path. It refuses our own pages except the account pages, the admin page,
// the requests of OpenID clients, and the pages for devices and for codes: others would send the browser in a circle.
func cleanPath(raw string) string {
	decoded, err := url.PathUnescape(pathOf(raw))
	path := pathOf(raw)
	entry := path == pages.Authorize || path == pages.Device || path == pages.VerifyCode // which a sign-in interrupts
	if err != nil || !localPath(raw) || pages.Own(decoded) && !pages.OfAccount(decoded) && !pages.OfAdmin(decoded) && !entry {
		return ""
	}
	return raw
}

// pathOf returns a reference without its query and fragment.
func pathOf(raw string) string {
	path, _, _ := strings.Cut(raw, "#")
	path, _, _ = strings.Cut(path, "?")
	return path
}

// localPath reports whether a path starts with exactly one slash and has no empty
// or dot segment, before and after one percent-decoding.
func localPath(raw string) bool {
	path := pathOf(raw)
	decoded, err := url.PathUnescape(path)
	if err != nil || path == "" || path[0] != '/' || !readable(decoded) {
		return false
	}
	for _, p := range []string{path, decoded} {
		for i, segment := range strings.Split(p[1:], "/") {
			last := i == strings.Count(p[1:], "/")
			if segment == "." || segment == ".." || segment == "" && !last {
				return false
			}
		}
	}
	return true
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

// readable reports whether a decoded path is printable text without characters
// that a second decoder could take for URL syntax. Some programs fold
// compatibility forms, so the folded characters count as well.
func readable(path string) bool {
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

// sameOrigin compares exactly. A leading "*." of the allowed host matches one
// label.
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

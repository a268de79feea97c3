package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"portico/internal/untrusted"
)

// Part is a piece of the identity for a header.
type Part string

const (
	partID         Part = "id"
	partEmail      Part = "email"
	partName       Part = "name"
	partRoles      Part = "roles"
	partToken      Part = "token"
	partSessionAge Part = "session_age"
)

// Header maps a part of the identity to the name of a request header.
type Header struct {
	Name string // in canonical form
	Part Part
}

// standard returns the headers that every app gets.
func standard() []Header {
	return []Header{
		{"X-Portico-User", partID}, {"X-Portico-Email", partEmail}, {"X-Portico-Name", partName}, {"X-Portico-Roles", partRoles},
		{"X-Portico-Session-Age", partSessionAge}, {"X-Portico-Token", partToken},
	}
}

// ParseHeader parses "Remote-User: email". Its errors are written for the
// operator.
func ParseHeader(text string) (Header, error) {
	name, part, ok := strings.Cut(text, ":")
	name, p := strings.TrimSpace(name), Part(strings.TrimSpace(part))
	switch {
	case !ok || name == "":
		return Header{}, fmt.Errorf("%q does not name a header and a part of the identity", text)
	case len(name) > maxFolded || strings.ContainsFunc(name, func(r rune) bool { return r > 'z' || !alphanumeric(byte(r)) && r != '-' }):
		return Header{}, fmt.Errorf("%q is not a header name of letters, digits and hyphens", name)
	case !slices.Contains([]Part{partID, partEmail, partName, partRoles, partToken, partSessionAge}, p):
		return Header{}, fmt.Errorf("%q is not a part of the identity", p)
	case hasMeaning(name):
		return Header{}, fmt.Errorf("%s has a meaning in HTTP, or belongs to Portico", name)
	}
	return Header{http.CanonicalHeaderKey(name), p}, nil
}

// hasMeaning reports whether a header has another meaning, so that an identity
// must not replace it.
func hasMeaning(name string) bool {
	folded := strings.ToLower(name)
	for _, prefix := range []string{"content-", "access-control-", "sec-", "x-portico-", "proxy-", "if-", "accept"} {
		if strings.HasPrefix(folded, prefix) {
			return true
		}
	}
	return slices.Contains([]string{
		"host", "cookie", "set-cookie", "connection", "upgrade", "te", "trailer", "transfer-encoding", "keep-alive", "expect", "range",
		"authorization", "origin", "referer", "user-agent", "date", "forwarded", "via", "x-request-id", "location", "cache-control",
		"traceparent", "tracestate", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
	}, folded)
}

// maxFolded is the length in bytes up to which names are compared.
const maxFolded = 64

// guard removes request headers that only Portico may send to apps.
type guard struct {
	names    map[string]bool   // folded names
	prefixes map[byte][]string // folded prefixes, by their first letter
	framing  map[string]bool   // folded names that apps could take for framing headers
}

// newGuard protects the headers of all apps, so that an app that gets fewer of
// them cannot be deceived by a client either. It also protects the names that
// servers and frameworks believe.
func newGuard(apps []App) *guard {
	g := &guard{names: map[string]bool{}, framing: map[string]bool{}, prefixes: map[byte][]string{}}
	for _, h := range untrusted.All() {
		prefix, begins := h.Prefix()
		if !begins {
			g.add(h.Name)
			continue
		}
		folded := strings.ToLower(prefix)
		g.prefixes[folded[0]] = append(g.prefixes[folded[0]], folded)
	}
	for _, name := range []string{
		"host", "content-length", "transfer-encoding", "te", "trailer", "connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings", "expect",
	} {
		g.framing[name] = true
	}
	for _, a := range apps {
		for _, h := range a.Headers {
			g.add(h.Name)
		}
	}
	return g
}

// add protects a name.
func (g *guard) add(name string) {
	var buf [maxFolded]byte
	g.names[string(fold(name, &buf))] = true
}

// clean removes every header whose folded name is protected.
func (g *guard) clean(h http.Header) {
	for name := range h {
		if g.protects(name) {
			delete(h, name)
		}
	}
}

// protects reports whether a name, folded, is protected.
func (g *guard) protects(name string) bool {
	var buf [maxFolded]byte
	folded := fold(name, &buf)
	return g.names[string(folded)] || g.hasPrefix(folded) || g.framing[string(folded)] && !isRead(name)
}

// isRead reports whether a framing header has its exact name. net/http
// interprets such a header and writes its own.
func isRead(name string) bool {
	return name == "Content-Length" || name == "Te" || name == "Expect"
}

func (g *guard) hasPrefix(folded []byte) bool {
	if len(folded) == 0 {
		return false
	}
	for _, p := range g.prefixes[folded[0]] {
		if len(folded) >= len(p) && string(folded[:len(p)]) == p {
			return true
		}
	}
	return false
}

// fold returns the form in which different spellings of a header name become
// equal: lower case, and one character for each that is neither a letter nor a
// digit. CGI, WSGI and PHP turn "-" into "_", some also "." and others, and
// prepend HTTP_. Longer names are cut off.
func fold(name string, buf *[maxFolded]byte) []byte {
	n := 0
	for i := 0; i < len(name) && n < len(buf); i++ {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case !alphanumeric(c):
			c = '-'
		}
		buf[n] = c
		n++
	}
	folded := buf[:n]
	for len(folded) > 5 && string(folded[:5]) == "http-" {
		folded = folded[5:]
	}
	return folded
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

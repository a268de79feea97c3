package origin

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"portico/internal/legible"
)

// maxHost is the length limit of a host that is converted, in bytes.
const maxHost = 512

// ASCII returns a URL with its host as programs send it: a name with umlauts becomes its
// xn-- form (IDNA). It changes nothing else. A host without such a form stays, for the check
// of the URL to refuse.
func ASCII(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	host := strings.LastIndexByte(rest[:end], '@') + 1
	return scheme + "://" + rest[:host] + ASCIIHost(rest[host:end]) + rest[end:]
}

// ASCIIHost is ASCII for host or host:port, such as the domain of an email address.
func ASCIIHost(text string) string {
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	if plain || len(text) > maxHost || legible.Check(text) != nil { // IDNA ignores some characters that people do not see
		return text
	}
	name, port := text, ""
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		name, port = text[:at], text[at:]
	}
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return text
	}
	return ascii + port
}

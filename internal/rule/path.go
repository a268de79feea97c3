package rule

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PathError says why a path is refused before any rule.
type PathError string

func (e PathError) Error() string { return string(e) }

const (
	errRelative   PathError = "it does not begin with a slash"
	errCharacter  PathError = "it contains a character that must be percent-encoded, a backslash or a semicolon"
	errEscape     PathError = "it contains a percent sign without two hexadecimal digits"
	errHidden     PathError = "it percent-encodes a slash, a backslash, a dot, a semicolon, a letter, a digit or a control character"
	errTwice      PathError = "it is percent-encoded twice"
	errMixedCase  PathError = "it mixes upper and lower case in its percent-encoding"
	errText       PathError = "it does not decode to UTF-8 text"
	errDotSegment PathError = "it has an empty, \".\" or \"..\" segment"
)

// Path returns the decoded path of a request target. It returns a PathError for
// a path that two programs could read differently, because then a rule could
// allow one resource and the app serve another. It accepts every path that
// browsers create for a link to a plain resource.
func Path(raw string) (string, error) {
	decoded, err := decodePath(raw, false)
	switch {
	case err != nil:
		return "", err
	case !canonical(decoded):
		return "", errDotSegment
	}
	return decoded, nil
}

// decodePath returns the decoded path of a request target. asSent admits what
// Readings admits, and leaves hiddenSlash and hiddenSemicolon in the result.
func decodePath(raw string, asSent bool) (string, error) {
	if raw == "" || raw[0] != '/' {
		return "", errRelative
	}
	escaped := false
	for i := range len(raw) {
		switch c := raw[i]; {
		case c == '%':
			escaped = true
		case !plain(c) && !(asSent && c == ';'):
			return "", errCharacter
		}
	}
	if !escaped {
		return raw, nil
	}
	return decode(raw, asSent)
}

// plain reports whether browsers leave a byte of a path unencoded. It excludes
// the semicolon, because some servers ignore the rest of a segment after it.
func plain(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("/-._~!$&'()*+,=:@|[]^", c) >= 0
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func decode(raw string, asSent bool) (string, error) {
	refused := `/\.;`
	if asSent {
		refused = `\`
	}
	decoded := make([]byte, 0, len(raw))
	upper, lower := false, false
	for i := 0; i < len(raw); i++ {
		if raw[i] != '%' {
			decoded = append(decoded, raw[i])
			continue
		}
		if i+2 >= len(raw) || !isHex(raw[i+1]) || !isHex(raw[i+2]) {
			return "", errEscape
		}
		for _, digit := range raw[i+1 : i+3] {
			upper = upper || 'A' <= digit && digit <= 'F'
			lower = lower || 'a' <= digit && digit <= 'f'
		}
		c := fromHex(raw[i+1])<<4 | fromHex(raw[i+2])
		switch {
		case c < ' ', c == 0x7f, letterOrDigit(c), strings.IndexByte(refused, c) >= 0:
			return "", errHidden
		case c == '%' && i+4 < len(raw) && isHex(raw[i+3]) && isHex(raw[i+4]):
			return "", errTwice
		case c == '/':
			c = hiddenSlash
		case c == ';':
			c = hiddenSemicolon
		}
		decoded = append(decoded, c)
		i += 2
	}
	if upper && lower {
		return "", errMixedCase
	}
	text := string(decoded)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		return "", errText // also refuses overlong encodings
	}
	return text, nil
}

// canonical reports whether no segment is ".", ".." or empty. Only the last
// segment may be empty.
func canonical(path string) bool {
	segment := 0 // index of the slash before the current segment
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		switch path[segment+1 : i] {
		case "":
			return i == len(path)
		case ".", "..":
			return false
		}
		segment = i
	}
	return true
}

// isControl excludes the two marks of decode, which no request can contain.
func isControl(r rune) bool { return unicode.IsControl(r) && r != hiddenSlash && r != hiddenSemicolon }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func fromHex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

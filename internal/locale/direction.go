package locale

import "golang.org/x/text/language"

// RightToLeft reports whether a locale is written from right to left.
func RightToLeft(loc string) bool {
	base, _ := language.Make(loc).Base()
	switch base.String() {
	case "ar", "fa", "he", "ur":
		return true
	}
	return false
}

// Isolation characters of the bidirectional algorithm (UAX 9): what is between
// them has its own direction, which its first letter decides.
const (
	isolate    = "\u2068"
	isolateEnd = "\u2069"
)

// isolated returns params for a text from right to left. An address or a name in
// Latin letters would otherwise change the order of the words around it. Digits
// keep their order by themselves, and a code must stay easy to copy.
func isolated(params map[string]string) map[string]string {
	out := make(map[string]string, len(params))
	for name, value := range params {
		if value != "" && !digits(value) {
			value = isolate + value + isolateEnd
		}
		out[name] = value
	}
	return out
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

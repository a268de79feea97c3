package rule

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// generous returns a path as the most generous app reads it. Such an app may:
//   - compare paths by Unicode case folding (the long s is an s)
//   - replace compatibility forms (full-width letters)
//   - ignore invisible characters
//   - serve files from a Windows disk, which ignores a dot or blank at the end
//     of a name and a stream after it
//   - decode a path before it looks for the query, as some servers do together with the
//     language of an app
func generous(path string) string {
	var kept []string
	if query := strings.IndexAny(path, "?#"); query >= 0 {
		path = path[:query]
	}
	for segment := range strings.SplitSeq(folded(path), "/") {
		if segment == ".." {
			kept = kept[:max(0, len(kept)-1)]
			continue
		}
		for _, stream := range []string{"::", ":$"} {
			segment, _, _ = strings.Cut(segment, stream)
		}
		if segment = strings.TrimRight(strings.TrimSpace(segment), ". "); segment != "" {
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// ambiguous reports whether generous changes anything in a path other than ASCII case and a
// slash at the end. It may report true for more paths.
func ambiguous(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 0x80, c == ' ', c == ':', c == '?', c == '#':
			return true
		case c == '.' && (i+1 == len(path) || path[i+1] == '/'):
			return true
		}
	}
	return false
}

// folded returns a text in lower case and in compatibility form (NFKC), without
// invisible characters.
func folded(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range norm.NFKC.String(text) {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector), r == 0x34f, r == 0x307 && last == 'i':
			continue
		case r == 'ß', r == 'ẞ':
			b.WriteByte('s')
			r = 's'
		case r == 'ı', r == 'İ':
			r = 'i'
		case r == '\\':
			r = '/'
		}
		last = unicode.ToLower(unicode.ToUpper(r))
		b.WriteRune(last)
	}
	return norm.NFKC.String(b.String())
}

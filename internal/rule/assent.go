package rule

import (
	"slices"
	"strings"

	"portico/internal/pages"
)

// A decoded path has these marks in place of percent-encoded separators.
const (
	hiddenSlash     = '\x01'
	hiddenSemicolon = '\x02'
)

const (
	errAuthority  PathError = "it begins with two slashes, which some programs read as the start of a host name"
	errSemicolons PathError = "it has semicolons with and without percent-encoding, which programs remove one after the other"
)

// Readings returns the path of a request target in every way in which an app that gets
// paths as they are sent may read it, the likeliest first. It admits percent-encoded
// slashes, dots and semicolons, plain semicolons and empty segments. An app may
//   - decode before or after it splits the path into segments
//   - ignore what follows a semicolon, in the segment or in the whole path
//   - merge slashes
//
// Readings returns a PathError if one of the readings has a "." or ".."
// segment, for semicolons of both kinds, and for everything else that Path refuses.
func Readings(raw string) ([]string, error) {
	text, err := decodePath(raw, true)
	if err != nil {
		return nil, err
	}
	if strings.Contains(text, ";") && strings.ContainsRune(text, hiddenSemicolon) {
		return nil, errSemicolons
	}
	var all []string
	for _, parameters := range []struct{ begin, end string }{
		{"", ""}, {";", "/"}, {";\x02", "/"}, {";", "/\x01"}, {";\x02", "/\x01"}, {";\x02", ""},
	} {
		kept := without(text, parameters.begin, parameters.end)
		for _, slash := range []string{"%2F", "/"} {
			reading := strings.NewReplacer("\x01", slash, "\x02", ";").Replace(kept)
			if strings.HasPrefix(reading, "//") {
				return nil, errAuthority
			}
			if dotted(reading) {
				return nil, errDotSegment
			}
			for _, one := range []string{reading, merged(reading)} {
				if !slices.Contains(all, one) {
					all = append(all, one)
				}
			}
		}
	}
	return all, nil
}

// without removes each part of a text from a byte of begin to the next byte of
// end.
func without(text, begin, end string) string {
	var b strings.Builder
	skips := false
	for i := range len(text) {
		skips = (skips || strings.IndexByte(begin, text[i]) >= 0) && strings.IndexByte(end, text[i]) < 0
		if !skips {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func dotted(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// merged returns a path with one slash in place of several.
func merged(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// FindAsSent is Find for a path that Path refuses. It returns the readings of
// the path if all of them belong to one site, which takes paths as they are
// sent, and none is Portico's own.
func (s Sites) FindAsSent(host, raw string) (site Site, i int, readings []string, ok bool) {
	readings, err := Readings(raw)
	if err != nil || slices.ContainsFunc(readings, pages.Own) {
		return Site{}, 0, nil, false
	}
	for n, path := range readings {
		found, at, known := s.Find(host, path)
		if !known || !found.AsSent || n > 0 && at != i {
			return Site{}, 0, nil, false
		}
		site, i = found, at
	}
	return site, i, readings, true
}

// MatchAll is Match for all readings of a path. It returns the rule of the first
// reading, with the needs of all of them. Without a rule for one of them it
// returns false.
func (s Set) MatchAll(m Methods, readings []string) (Rule, int, bool) {
	r, at, ok := s.Match(m, readings[0])
	for _, path := range readings[1:] {
		other, _, known := s.Match(m, path)
		if !ok || !known {
			return Rule{}, 0, false
		}
		r.Need = r.Need.and(other.Need)
	}
	return r, at, ok
}

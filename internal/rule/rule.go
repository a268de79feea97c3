package rule

import "strings"

// Rule is one line of a Set.
type Rule struct {
	Need    Need
	Methods Methods
	text    string
	base    string // decoded path; for a pattern with /* the part before it
	below   bool   // the pattern ends in /*: it matches base and all paths below
	reading string // base as the most generous app reads it
}

// String returns the rule as written, with single blanks.
func (r Rule) String() string { return r.text }

// Problem says why a rule cannot be used and what to write instead.
type Problem struct {
	Rule  int // index, from 0
	Why   string
	Write string
}

const form = "write NEED PATH or NEED METHODS PATH, such as: signed-in /*"

// parse parses one rule.
func parse(text string) (Rule, *Problem) {
	fields := strings.Fields(text)
	if len(fields) != 2 && len(fields) != 3 {
		return Rule{}, &Problem{Why: "it is not a rule", Write: form}
	}
	r := Rule{text: strings.Join(fields, " "), Methods: anyMethod}
	var p *Problem
	if r.Need, p = parseNeed(fields[0]); p != nil {
		return r, p
	}
	if len(fields) == 3 && fields[1] != "*" {
		if r.Methods, p = parseMethods(fields[1]); p != nil {
			return r, p
		}
	}
	return r, r.parsePattern(fields[len(fields)-1])
}

func (r *Rule) parsePattern(pattern string) *Problem {
	base, below := strings.CutSuffix(pattern, "/*")
	if strings.Contains(base, "*") {
		return &Problem{Why: "a star is allowed only at the end, for everything below a path", Write: "write " + pattern[:strings.LastIndexByte(pattern[:strings.IndexByte(pattern, '*')], '/')+1] + "*"}
	}
	if below && base == "" {
		r.below = true
		return nil
	}
	decoded, err := Path(base)
	if err != nil {
		return &Problem{Why: "the path cannot be matched: " + err.Error(), Write: "write it as a browser's address bar copies it"}
	}
	if below && strings.HasSuffix(decoded, "/") {
		return &Problem{Why: "the path has an empty segment", Write: "write one slash before the star"}
	}
	r.base, r.below, r.reading = decoded, below, generous(decoded)
	return nil
}

// matches reports whether the path of the rule covers a path. Public rules
// compare exactly, others loosely.
func (r Rule) matches(path string) bool { return r.covers(path, !r.Need.Public) }

// covers compares a path with the path of the rule. A loose comparison ignores
// ASCII case and a slash at the end, as many apps do.
func (r Rule) covers(path string, loose bool) bool { return r.reaches(r.base, path, loose) }

// reaches is covers for another base.
func (r Rule) reaches(base, path string, loose bool) bool {
	if loose {
		base, path = strings.TrimSuffix(base, "/"), strings.TrimSuffix(path, "/")
	}
	switch {
	case len(path) < len(base):
		return false
	case r.below && len(path) > len(base) && path[len(base)] != '/':
		return false
	case !r.below && len(path) != len(base):
		return false
	case loose:
		return sameFold(path[:len(base)], base)
	}
	return path[:len(base)] == base
}

// sameFold compares two texts of the same length without ASCII case.
func sameFold(a, b string) bool {
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

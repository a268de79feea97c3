package rule

import "fmt"

// conflicts returns the problems between rules: a rule that can never match, or
// an earlier and broader rule that takes some requests of a later one.
// Operators easily miss the second kind.
func conflicts(rules []Rule) []Problem {
	var problems []Problem
	for j, later := range rules {
		if p := later.conflict(rules[:j]); p != nil {
			p.Rule = j
			problems = append(problems, *p)
		}
	}
	return problems
}

func (r Rule) conflict(before []Rule) *Problem {
	var taken Methods
	for i, earlier := range before {
		if !earlier.contains(r, !earlier.Need.Public) {
			if earlier.contains(r, true) && earlier.Methods&r.Methods != 0 && !earlier.Need.equal(r.Need) {
				return &Problem{
					Why:   fmt.Sprintf("rule %d (%s) differs only in letter case or a trailing slash, which many apps ignore", i+1, earlier),
					Write: "write both the same way, or remove one",
				}
			}
			continue
		}
		taken |= earlier.Methods
		switch {
		case taken&r.Methods == r.Methods:
			return &Problem{Why: fmt.Sprintf("it can never match: rule %d (%s) decides first", i+1, earlier), Write: "write it before that rule, or remove it"}
		case earlier.Methods&r.Methods&^bit(preflight) == 0: // rules for preflights are meant to precede the others
		case earlier.Need.equal(r.Need):
		case r.Methods != anyMethod, !r.contains(earlier, true):
			return &Problem{
				Why:   fmt.Sprintf("for some of its methods rule %d (%s) decides first", i+1, earlier),
				Write: "write it before that rule, or name the other methods only",
			}
		}
	}
	return nil
}

// contains reports whether r matches every path that other matches.
func (r Rule) contains(other Rule, loose bool) bool {
	if other.below && !r.below {
		return false
	}
	return r.covers(other.base, loose)
}

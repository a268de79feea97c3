package rule

import "fmt"

// conflicts finds the rules that can never match, and those of which an earlier
// and broader one takes a part that whoever wrote them may not have seen.
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
					Why:   fmt.Sprintf("rule %d (%s) differs from it in letter case or in a slash at the end only, which many apps do not tell apart", i+1, earlier),
					Write: "write both alike, or remove one",
				}
			}
			continue
		}
		taken |= earlier.Methods
		switch {
		case taken&r.Methods == r.Methods:
			return &Problem{Why: fmt.Sprintf("it can never match: rule %d (%s) decides first", i+1, earlier), Write: "write it before that rule, or remove it"}
		case earlier.Methods&r.Methods&^bit(preflight) == 0: // to answer those before all else is what they are named for
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

// contains reports whether every path that other matches is matched by r as well.
func (r Rule) contains(other Rule, loose bool) bool {
	if other.below && !r.below {
		return false
	}
	return r.covers(other.base, loose)
}

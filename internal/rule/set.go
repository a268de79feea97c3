package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Set is the rules of one app, in order. It is immutable and safe for
// concurrent use.
type Set struct {
	rules     []Rule
	ambiguous bool // a rule's path is ambiguous, so every path needs a second reading
}

// New parses the rules of an app below a path prefix ("/" or "/shop"). It
// returns all problems; the Set is usable only if there are none.
func New(prefix string, lines []string) (Set, []Problem) {
	var problems []Problem
	rules := make([]Rule, len(lines))
	for i, line := range lines {
		r, p := parse(line)
		if p == nil {
			p = r.outside(prefix)
		}
		if p != nil {
			p.Rule = i
			problems = append(problems, *p)
		}
		rules[i] = r
	}
	if problems == nil {
		problems = conflicts(rules)
	}
	return Set{rules, slices.ContainsFunc(rules, func(r Rule) bool { return ambiguous(r.base) })}, problems
}

// outside returns a problem if the app never gets the path of the rule.
func (r Rule) outside(prefix string) *Problem {
	app := Rule{base: strings.TrimSuffix(prefix, "/"), below: true}
	switch {
	case (Rule{base: "/auth", below: true}).covers(r.base, true):
		return &Problem{Why: "it can never match: Portico itself answers requests below /auth", Write: "remove it"}
	case !app.covers(r.base, false):
		return &Problem{Why: "it can never match: the app receives only requests below " + prefix, Write: "write " + strings.TrimSuffix(prefix, "/") + "/... in full"}
	}
	return nil
}

// Match returns the rule that decides, and its index. It returns false if no
// rule matches, which means that the request is refused. If a generous app
// could read the path as another one, Need.And is the need of the rule for that
// path.
func (s Set) Match(m Methods, path string) (Rule, int, bool) {
	r, at, ok := s.first(m, func(r Rule) bool { return r.matches(path) })
	if !ok || !s.ambiguous && !ambiguous(path) {
		return r, at, ok
	}
	other, ok := s.read(m, generous(path))
	if !ok {
		return Rule{}, 0, false
	}
	if !other.Need.equal(r.Need) {
		r.Need.And = &other.Need
	}
	return r, at, true
}

// read returns the first rule for a path as the most generous app reads it.
func (s Set) read(m Methods, reading string) (Rule, bool) {
	r, _, ok := s.first(m, func(r Rule) bool { return r.reaches(r.reading, reading, true) })
	return r, ok
}

// first returns the first rule with the method for which about returns true.
func (s Set) first(m Methods, about func(Rule) bool) (Rule, int, bool) {
	for i, r := range s.rules {
		if r.Methods&m != 0 && about(r) {
			return r, i, true
		}
	}
	return Rule{}, 0, false
}

// Step is one rule that Trace evaluated.
type Step struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
}

// Trace returns the rules in order, each with the reason, and ends with the rule
// that decides. It explains the plain reading of the path only.
func (s Set) Trace(m Methods, path string) []Step {
	steps := []Step{}
	for i, r := range s.rules {
		why := "it decides"
		switch {
		case !r.matches(path):
			why = "it is for a different path"
		case r.Methods&m == 0:
			why = "it is for other methods"
		}
		steps = append(steps, Step{Rule: fmt.Sprintf("%d: %s", i+1, r), Why: why})
		if why == "it decides" {
			break
		}
	}
	return steps
}

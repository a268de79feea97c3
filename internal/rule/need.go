package rule

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
)

// Need is the requirement of a rule.
type Need struct {
	Public bool          // no requirement
	Roles  []string      // one of these roles; empty: any user
	MFA    bool          // a session with a second factor
	Fresh  time.Duration // maximum age of the sign-in, with MFA of the second factor; 0: any age
	And    *Need         // need of the path as another app reads it; nil: the same
}

// Open reports whether the need is satisfied without a session.
func (n Need) Open() bool { return n.Public && (n.And == nil || n.And.Open()) }

// Lasting returns the part of the need that must hold as long as a request is
// open. The age of the sign-in is checked only at its beginning.
func (n Need) Lasting() Need {
	n.Fresh = 0
	if n.And != nil {
		and := n.And.Lasting()
		n.And = &and
	}
	return n
}

// User is what the caller knows about the signed-in user.
type User struct {
	Roles           []string
	AuthenticatedAt time.Time
	StrongAt        time.Time // of the newest second factor; zero when none was given
}

// Verdict is the decision about a request.
type Verdict uint8

const (
	Pass         Verdict = iota
	SignIn               // there is no session
	SignInAgain          // the sign-in is too old
	SecondFactor         // the session has no second factor, or an old one
	NoRole
	NoRule
)

// Judge decides whether a person satisfies the need. A nil person has no
// session.
func (n Need) Judge(p *User, now time.Time) Verdict {
	if v := n.judge(p, now); v != Pass || n.And == nil {
		return v
	}
	return n.And.Judge(p, now)
}

func (n Need) judge(p *User, now time.Time) Verdict {
	switch {
	case n.Public:
		return Pass
	case p == nil:
		return SignIn
	case len(n.Roles) > 0 && !slices.ContainsFunc(n.Roles, func(r string) bool { return slices.Contains(p.Roles, r) }):
		return NoRole
	case n.MFA && (p.StrongAt.IsZero() || n.old(p.StrongAt, now)):
		return SecondFactor
	case n.old(p.AuthenticatedAt, now):
		return SignInAgain
	}
	return Pass
}

// old reports whether a proof is too old. So is one from the future: after the clock was set back, it would count for
// longer.
func (n Need) old(proof, now time.Time) bool {
	return n.Fresh > 0 && (now.Sub(proof) >= n.Fresh || clock.Ahead(proof, now))
}

// AnyUser reports whether a rule, with or without a path, lets every user pass: users can
// get everything that it requires by themselves, such as a second factor. It returns false
// for a public rule, and for one with a problem.
func AnyUser(line string) bool {
	n, ok := Written(line)
	return ok && !n.Public && len(n.Roles) == 0
}

// LacksRole reports whether a rule, with or without a path, asks for a role that is not one of roles.
func LacksRole(line string, roles []string) bool {
	n, ok := Written(line)
	return ok && n.judge(&User{Roles: roles}, time.Time{}) == NoRole
}

// Written returns the need of a rule, with or without a path. It returns false for a rule
// with a problem.
func Written(line string) (Need, bool) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return Need{}, false
	}
	n, p := parseNeed(fields[0])
	return n, p == nil
}

// and returns the need that both needs are satisfied.
func (n Need) and(o Need) Need {
	if n.And != nil {
		o = n.And.and(o)
	} else if n.equal(o) {
		return o
	}
	n.And = &o
	return n
}

// equal reports whether two needs are the same, apart from And.
func (n Need) equal(o Need) bool {
	return n.Public == o.Public && n.MFA == o.MFA && n.Fresh == o.Fresh && slices.Equal(n.Roles, o.Roles)
}

var roleForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]{0,63}$`)

// ValidRole reports whether a text can be the name of a role: 1 to 64
// characters without capitals, blanks and the separators of headers and rules.
func ValidRole(s string) bool { return roleForm.MatchString(s) }

const (
	leastFresh = time.Minute // a visitor needs up to a minute to sign in and return
	mostFresh  = 30 * 24 * time.Hour
)

// NeedOf parses a rule without methods and paths, for an app that has none.
func NeedOf(text string) (Need, *Problem) {
	n, p := parseNeed(text)
	if p == nil && n.Public {
		p = &Problem{Why: "a rule without a path cannot be public", Write: "write signed-in, role:NAME, mfa or fresh:10m"}
	}
	return n, p
}

// parseNeed parses "role:admin|editor+mfa+fresh:10m".
func parseNeed(text string) (Need, *Problem) {
	var n Need
	parts := strings.Split(text, "+")
	for _, part := range parts {
		name, value, _ := strings.Cut(part, ":")
		switch {
		case part == "public":
			n.Public = true
		case part == "signed-in":
		case part == "mfa":
			n.MFA = true
		case name == "role" && n.Roles == nil:
			if n.Roles = strings.Split(value, "|"); slices.ContainsFunc(n.Roles, func(r string) bool { return !ValidRole(r) }) {
				return n, &Problem{Why: part + " does not name a role", Write: "write role:NAME in lower-case letters, digits and . _ : -, or role:ONE|OTHER"}
			}
		case name == "fresh" && n.Fresh == 0:
			d, err := time.ParseDuration(value)
			if err != nil || d < leastFresh || d > mostFresh {
				return n, &Problem{Why: part + " is not the age of a sign-in", Write: "write a time from 1m to 720h, such as fresh:10m"}
			}
			n.Fresh = d
		default:
			return n, &Problem{Why: part + " is not a requirement", Write: "write public, signed-in, role:NAME, mfa or fresh:10m; join several with +"}
		}
	}
	if n.Public && len(parts) > 1 {
		return n, &Problem{Why: "it is public and has a requirement", Write: "write one of them"}
	}
	return n, nil
}

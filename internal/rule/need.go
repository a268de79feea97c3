package rule

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Need is what a rule asks of a person.
type Need struct {
	Public bool          // nothing at all
	Roles  []string      // one of these; empty: any person
	MFA    bool          // a sign-in with a second factor
	Fresh  time.Duration // the sign-in is younger than this; 0: any
	And    *Need         // of the path as a generous app reads it; nil: the same
}

// Open reports whether nothing is asked.
func (n Need) Open() bool { return n.Public && (n.And == nil || n.And.Open()) }

// Lasting returns what is asked for as long as a request is open: how fresh the
// sign-in is was asked when it began.
func (n Need) Lasting() Need {
	n.Fresh = 0
	if n.And != nil {
		and := n.And.Lasting()
		n.And = &and
	}
	return n
}

// Person is what is known of who asks.
type Person struct {
	Roles           []string
	MultiFactor     bool
	AuthenticatedAt time.Time
}

// Verdict is what comes of a request.
type Verdict uint8

const (
	Pass        Verdict = iota
	SignIn              // nobody is signed in
	SignInAgain         // the sign-in is too old
	NoRole
	NoFactor
	NoRule
)

// Judge holds a person against the need. A nil person is nobody.
func (n Need) Judge(p *Person, now time.Time) Verdict {
	if v := n.judge(p, now); v != Pass || n.And == nil {
		return v
	}
	return n.And.Judge(p, now)
}

func (n Need) judge(p *Person, now time.Time) Verdict {
	switch {
	case n.Public:
		return Pass
	case p == nil:
		return SignIn
	case len(n.Roles) > 0 && !slices.ContainsFunc(n.Roles, func(r string) bool { return slices.Contains(p.Roles, r) }):
		return NoRole
	case n.MFA && !p.MultiFactor:
		return NoFactor
	case n.Fresh > 0 && now.Sub(p.AuthenticatedAt) >= n.Fresh:
		return SignInAgain
	}
	return Pass
}

// equal reports whether two needs ask the same.
func (n Need) equal(o Need) bool {
	return n.Public == o.Public && n.MFA == o.MFA && n.Fresh == o.Fresh && slices.Equal(n.Roles, o.Roles)
}

var roleForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]{0,63}$`)

// ValidRole reports whether a text can be a role: without capitals, blanks and
// the characters that separate roles in a header or a rule.
func ValidRole(s string) bool { return roleForm.MatchString(s) }

const (
	leastFresh = time.Minute // a person needs as long to sign in and come back
	mostFresh  = 30 * 24 * time.Hour
)

// parseNeed reads "role:admin|editor+mfa+fresh:10m".
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
				return n, &Problem{Why: part + " is not an age of a sign-in", Write: "write a time from 1m to 720h, such as fresh:10m"}
			}
			n.Fresh = d
		default:
			return n, &Problem{Why: part + " is not something that can be asked for", Write: "write public, signed-in, role:NAME, mfa or fresh:10m; several with + between"}
		}
	}
	if n.Public && len(parts) > 1 {
		return n, &Problem{Why: "it is public and asks for something", Write: "write one of them"}
	}
	return n, nil
}

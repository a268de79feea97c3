package rule

import (
	"strings"
	"time"
)

// Words returns the need in words.
func (n Need) Words() string {
	if n.And != nil {
		and := *n.And
		n.And = nil
		return n.Words() + "; in addition, because some apps decode the path differently, " + and.Words()
	}
	if n.Public {
		return "nothing: everybody may pass"
	}
	text := "a signed-in user"
	if len(n.Roles) > 0 {
		text += " with the role " + strings.Join(n.Roles, " or ")
	}
	switch {
	case n.MFA && n.Fresh > 0:
		text += " who has given a second factor less than " + spell(n.Fresh) + " ago"
	case n.MFA:
		text += " who has given a second factor"
	case n.Fresh > 0:
		text += " who has signed in less than " + spell(n.Fresh) + " ago"
	}
	return text
}

// spell formats a duration without zero units: 10m, not 10m0s.
func spell(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

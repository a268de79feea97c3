package idp

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// planLife is how long a browser may take to its next sign-in.
const planLife = 10 * time.Minute

// planCookie names the plan of a browser.
const planCookie = "example-id-next"

// The ways in which a sign-in can fail, and what a provider may say of a person that an app must handle.
const (
	Cancelled    = "cancelled"
	NoEmail      = "no_email"
	Unverified   = "unverified"
	OtherSubject = "other_subject" // another person has the address now
)

// Plan is how the next sign-in of one browser ends, without a page.
type Plan struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Fails string `json:"fails"` // "" for a sign-in with a verified address
}

// KeepPlan keeps a plan for a browser that has a site at the host open, and returns the cookie that names the plan.
func (p *Provider) KeepPlan(plan Plan, host string) (*http.Cookie, error) {
	own, _ := url.Parse(p.config.Issuer) // New has parsed it
	switch plan.Fails {
	case "", NoEmail, Unverified, OtherSubject:
		if strings.TrimSpace(plan.Email) == "" {
			return nil, fmt.Errorf("email: write the address of the person who signs in at the provider")
		}
	case Cancelled:
	default:
		return nil, fmt.Errorf("fails: write cancelled, no_email, unverified or other_subject, or leave it out")
	}
	if own.Hostname() != host {
		return nil, fmt.Errorf("the provider is at %s, and its cookies do not come from %s: leave public_url out", own.Hostname(), host)
	}
	return &http.Cookie{
		Name: planCookie, Value: p.plans.put(plan), Path: authorizePath, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}, nil
}

// planned carries out the plan of the browser, once. It returns false if there is none.
func (p *Provider) planned(w http.ResponseWriter, r *http.Request, q url.Values) bool {
	c, err := r.Cookie(planCookie)
	if err != nil {
		return false
	}
	plan, ok := p.plans.take(c.Value)
	if !ok {
		return false
	}
	if plan.Fails == Cancelled {
		p.back(w, r, q, cancelled())
		return true
	}
	p.grant(w, r, q, login{plan.person(), p.config.Clock.Now()})
	return true
}

func (plan Plan) person() person {
	who := typed(plan.Name, plan.Email, plan.Fails != Unverified)
	switch plan.Fails {
	case NoEmail:
		who.Email, who.Verified = "", false
	case OtherSubject:
		who.Subject += otherSubject
	}
	return who
}

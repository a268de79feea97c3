package screens

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/internal/factor"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// mfaPage asks for a second factor: of a pending sign-in, or of the session of a
// signed-in user.
func (s *Screens) mfaPage() page {
	p := s.atStep(page{
		screen: ScreenMFA, path: pages.MFA, step: flow.Factor, fill: s.fillMFA,
		forms: []pageForm{
			post("", s.Actions.GiveFactor, func(in form.GiveFactor, b *Boot) {
				b.Flow.ID, b.ReturnTo = in.Flow, s.Actions.Targets.Check(in.ReturnTo).String()
				b.MFA.Way, b.MFA.Trusting = in.Way, in.Trust
			}),
			post("/restart", s.Actions.DropFactor, func(in form.DropFactor, b *Boot) { b.Flow.ID = in.Flow }),
		},
	})
	ofFlow := p
	p.show = func(w http.ResponseWriter, r *http.Request) error {
		if query := r.URL.Query(); query.Get("flow") == "" {
			return s.stepUp(w, r, s.asked(r).String(), query.Get("way"), nil)
		}
		return ofFlow.show(w, r)
	}
	p.again = func(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
		if b := said(keep); b.Flow.ID == "" {
			return s.stepUp(w, r, b.ReturnTo, b.MFA.Way, err)
		}
		return ofFlow.again(w, r, err, keep)
	}
	return p
}

func (s *Screens) fillMFA(r *http.Request, b *Boot, v flow.View, _ SignedIn) {
	way, trusting := cmp.Or(b.MFA.Way, r.URL.Query().Get("way")), b.MFA.Trusting
	b.Flow, b.ReturnTo = form.FlowOf(v), v.ReturnTo.String()
	first := form.WayApp
	if v.SecondFactors.Newer {
		first = form.WayPasskey // the one that was used last
	}
	b.MFA = waysOf(v.SecondFactors, first, way, url.Values{"flow": {v.ID}})
	b.MFA.Second = v.ID
	s.offerTrust(b, trusting)
}

// waysOf returns what the page asks for, and the addresses of the other ways that
// the account has.
func waysOf(second flow.SecondFactors, first, asked string, query url.Values) MFA {
	has := map[string]bool{form.WayPasskey: second.Passkey, form.WayApp: second.App, form.WayRecovery: second.Codes > 0}
	if has[asked] {
		first = asked
	}
	at := func(way string) string {
		if !has[way] || way == first {
			return ""
		}
		query.Set("way", way)
		return pages.With(pages.MFA, query)
	}
	m := MFA{Way: first, App: at(form.WayApp), Passkey: at(form.WayPasskey), Recovery: at(form.WayRecovery), Moved: yes(second.Moved)}
	if second.Longest > factor.Digits {
		m.Shortest, m.Longest = strconv.Itoa(second.Shortest), strconv.Itoa(second.Longest)
	}
	return m
}

// stepUp asks the signed-in user for a second factor, again if err has refused one. A
// user without a factor goes to the page that adds one.
func (s *Screens) stepUp(w http.ResponseWriter, r *http.Request, target, way string, refused error) error {
	found, err := s.Actions.Session(w, r)
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, target)) // which leads to a step that waits
	case err != nil:
		return err
	}
	second, err := s.Actions.Flows.SecondFactors(r.Context(), found.User.ID)
	switch {
	case err != nil:
		return err
	case !second.Any():
		return server.SeeOther(w, pages.ReturnTo(pages.Factors, target))
	}
	fill := func(b *Boot) {
		fillStepUp(b, found, second, target, way)
		if errors.Is(refused, factor.UsedUp) {
			b.Flow.State = "used_up"
		}
	}
	if refused != nil {
		return s.refuse(w, r, ScreenMFA, refused, fill)
	}
	return s.show(w, r, ScreenMFA, fill)
}

// fillStepUp asks for the strongest that the account has: a passkey cannot be given
// to another site.
func fillStepUp(b *Boot, found session.Found, second flow.SecondFactors, target, way string) {
	b.Session, b.ReturnTo, b.Flow.State = personOf(found), target, "code"
	first := form.WayApp
	if second.Passkey {
		first = form.WayPasskey
	}
	b.MFA = waysOf(second, first, way, url.Values{"return_to": {target}})
	b.MFA.Second = flow.OfSession
}

// askStronger leads to the page that asks for a second factor or a passkey, if the
// account has one. An account page needs it, because a password would not help there.
// After a provider could not confirm a new sign-in, it helps for every page.
func (s *Screens) askStronger(w http.ResponseWriter, r *http.Request, person SignedIn, target string) (led bool, err error) {
	path := target
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	query := r.URL.Query()
	unproven := query.Get("failed") == federation.CodeNoProof
	if !query.Has("again") || person == (SignedIn{}) || !pages.OfAccount(path) && !unproven {
		return false, nil
	}
	second, err := s.Actions.Flows.SecondFactors(r.Context(), person.ID)
	if err != nil || !second.Any() {
		return false, err
	}
	return true, server.SeeOther(w, pages.ReturnTo(pages.MFA, target))
}

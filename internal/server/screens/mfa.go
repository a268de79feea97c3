package screens

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/factor"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// mfa asks for a second factor: of a pending sign-in, or of the session of a
// signed-in user. A user without a factor goes to the page that adds one.
func (s *Screens) mfa(w http.ResponseWriter, r *http.Request) error {
	way := r.URL.Query().Get("way")
	if r.URL.Query().Get("flow") == "" {
		return s.mfaOfSession(w, r, way)
	}
	return s.step(w, r, flow.Factor, func(v flow.View) error {
		return s.show(w, r, form.ScreenMFA, func(b *Boot) { s.fillMFA(b, v, way, "") })
	})
}

func (s *Screens) fillMFA(b *Boot, v flow.View, way, trusting string) {
	b.Flow, b.ReturnTo = form.FlowOf(v), v.ReturnTo.String()
	first := form.WayApp
	if v.SecondFactors.Passkey.After(v.SecondFactors.App) {
		first = form.WayPasskey // the one that was used last
	}
	b.MFA = waysOf(v.SecondFactors, first, way, url.Values{"flow": {v.ID}})
	b.MFA.Second = v.ID
	s.offerTrust(b, trusting)
}

// waysOf returns what the page asks for, and the addresses of the other ways that
// the account has.
func waysOf(second flow.SecondFactors, first, asked string, query url.Values) MFA {
	has := map[string]bool{form.WayPasskey: !second.Passkey.IsZero(), form.WayApp: !second.App.IsZero(), form.WayRecovery: second.Codes > 0}
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
	return MFA{Way: first, App: at(form.WayApp), Passkey: at(form.WayPasskey), Recovery: at(form.WayRecovery)}
}

// mfaOfSession asks the signed-in user for a second factor.
func (s *Screens) mfaOfSession(w http.ResponseWriter, r *http.Request, way string) error {
	found, err := s.Actions.Session(w, r)
	target := s.asked(r).String()
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, target)) // which leads to a step that waits
	case err != nil:
		return err
	}
	second, err := s.Actions.Flows.SecondFactors(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	if !second.Any() {
		return server.SeeOther(w, pages.ReturnTo(pages.Factors, target))
	}
	return s.show(w, r, form.ScreenMFA, func(b *Boot) { fillStepUp(b, found, second, target, way) })
}

// fillStepUp asks for the strongest that the account has: a passkey cannot be given
// to another site.
func fillStepUp(b *Boot, found session.Found, second flow.SecondFactors, target, way string) {
	b.Session, b.ReturnTo, b.Flow.State = personOf(found), target, "code"
	first := form.WayApp
	if !second.Passkey.IsZero() {
		first = form.WayPasskey
	}
	b.MFA = waysOf(second, first, way, url.Values{"return_to": {target}})
	b.MFA.Second = flow.OfSession
}

// mfaForm is the form of the page. Action is the pressed button.
type mfaForm struct {
	Flow     string `json:"flow"`
	Code     string `json:"code"`
	Way      string `json:"way" enum:" totp recovery"`
	Trust    string `json:"trust" enum:" yes"`
	ReturnTo string `json:"return_to"`
	Action   string `json:"action"`
}

const actionRestart = "restart"

func (s *Screens) postMFA(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[mfaForm](r)
	if err != nil {
		return err
	}
	next := ""
	if in.Action == actionRestart {
		next, err = s.Actions.DropFactor(w, r, form.DropFactor{Flow: in.Flow})
	} else {
		next, err = s.Actions.GiveFactor(w, r, form.GiveFactor{Flow: in.Flow, Code: in.Code, Way: in.Way, Trust: in.Trust, ReturnTo: in.ReturnTo})
	}
	switch {
	case err == nil:
		return server.SeeOther(w, next)
	case in.Flow == "":
		return s.refuseStepUp(w, r, in, err)
	}
	return s.stepAgain(w, r, in.Flow, err, flow.Factor, pages.MFA, func(v flow.View) error {
		return s.refuse(w, r, form.ScreenMFA, err, func(b *Boot) { s.fillMFA(b, v, in.Way, in.Trust) })
	})
}

func (s *Screens) refuseStepUp(w http.ResponseWriter, r *http.Request, in mfaForm, err error) error {
	found, sessionErr := s.Actions.Session(w, r)
	target := s.Actions.Targets.Check(in.ReturnTo).String()
	switch {
	case errors.Is(sessionErr, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, target))
	case sessionErr != nil:
		return sessionErr
	}
	second, secondErr := s.Actions.Flows.SecondFactors(r.Context(), found.User.ID)
	if secondErr != nil {
		return secondErr
	}
	return s.refuse(w, r, form.ScreenMFA, err, func(b *Boot) {
		fillStepUp(b, found, second, target, in.Way)
		if errors.Is(err, factor.UsedUp) {
			b.Flow.State = "used_up"
		}
	})
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

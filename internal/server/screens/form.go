package screens

import (
	"errors"
	"net/http"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// verifyAgain shows where the flow of a refused code is now.
func (s *Screens) verifyAgain(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
	if over := signUpOver(err); over != nil {
		return s.signUpEnded(w, r, over)
	}
	id := said(keep).Flow.ID
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	if viewErr != nil && !errors.Is(viewErr, flow.Unknown) {
		return viewErr
	}
	if viewErr == nil && (v.Step != flow.Verify || v.Proof || errors.Is(err, code.UsedUp)) {
		// The step was finished by a second press or in another browser, or no
		// guesses are left: the page shows the current state.
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, v.ID))
	}
	if viewErr != nil && id != "" {
		return s.errorPage(w, r, http.StatusNotFound, flow.Unknown)
	}
	return s.refuse(w, r, ScreenVerifyCode, err, func(b *Boot) {
		if viewErr == nil {
			b.Flow = form.FlowOf(v)
		}
	})
}

// signUpOver returns the fault of an address that can get no account. For other errors it returns nil.
func signUpOver(err error) *fault.Error {
	for _, bar := range flow.Bars() {
		if errors.Is(err, bar) {
			return bar
		}
	}
	return nil
}

// linkAgain shows what the mailed link is good for after a press was refused.
func (s *Screens) linkAgain(w http.ResponseWriter, r *http.Request, err error, _ func(*Boot)) error {
	if over := signUpOver(err); over != nil {
		return s.signUpEnded(w, r, over)
	}
	token := s.Actions.Link(w, r)
	v, viewErr := s.Actions.Flows.ViewLink(r.Context(), s.Actions.Caller(w, r), token)
	switch {
	case viewErr != nil:
		return viewErr
	case v.FlowID != "" && (errors.Is(err, flow.ProofNeeded) || errors.Is(err, flow.Unknown)):
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, v.FlowID)) // which leads on
	}
	return s.refuse(w, r, ScreenConfirmLink, err, func(b *Boot) { s.fillLink(b, v, token, s.signedIn(w, r)) })
}

// resetAgain shows the form of a new password again, if its flow still waits for one.
func (s *Screens) resetAgain(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), said(keep).Flow.ID)
	if v.Overtaken {
		return server.SeeOther(w, pages.Flow(pages.ResetPassword, v.ID))
	}
	if errors.Is(viewErr, flow.Unknown) || viewErr == nil && v.Step != flow.Reset {
		return server.SeeOther(w, overPath(r))
	}
	if viewErr != nil {
		return viewErr
	}
	return s.refuse(w, r, ScreenResetPassword, err, func(b *Boot) { b.Flow = form.FlowOf(v) })
}

// askSignOut is for a link in place of a form, which any page can have: only the question may follow.
func askSignOut(w http.ResponseWriter, r *http.Request) error {
	return server.SeeOther(w, pages.ReturnTo(pages.EndSession, r.URL.Query().Get("return_to")))
}

// signOut reads the return target from the query alone, so that no field of an
// app's form keeps a user signed in.
func (s *Screens) signOut(w http.ResponseWriter, r *http.Request) error {
	next, err := s.Actions.SignOut(w, r, form.SignOut{ReturnTo: r.URL.Query().Get("return_to")})
	if err != nil {
		return err
	}
	return server.SeeOther(w, next)
}

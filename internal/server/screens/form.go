package screens

import (
	"errors"
	"net/http"

	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// post handles a form without script. On success it redirects; otherwise it
// writes the same document with the errors. keep restores the typed values.
func post[Form any](s *Screens, screen form.Screen, run form.Action[Form], keep func(Form, *Boot)) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[Form](r)
		if err != nil {
			return err
		}
		next, err := run(w, r, in)
		if err != nil {
			return s.refuse(w, r, screen, err, func(b *Boot) { keep(in, b) })
		}
		return server.SeeOther(w, next)
	}
}

// The forms of pages with two buttons. Action is the pressed button.
type (
	verifyForm struct {
		Flow   string `json:"flow"`
		Code   string `json:"code"`
		Action string `json:"action"`
	}
	linkForm struct {
		Password string `json:"password"`
		Link     string `json:"link"`
		Action   string `json:"action"`
	}
)

const (
	actionResend = "resend"
	actionAnew   = "anew"
)

func (s *Screens) postVerifyCode(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[verifyForm](r)
	if err != nil {
		return err
	}
	next := ""
	if in.Action == actionResend {
		if next, err = s.Actions.Resend(w, r, form.Resend{Flow: in.Flow}); err == nil {
			s.Actions.Say(w, form.CodeSent)
		}
	} else {
		next, err = s.Actions.VerifyCode(w, r, form.VerifyCode{Flow: in.Flow, Code: in.Code})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	if errors.Is(err, flow.SignUpClosed) {
		return s.signUpClosed(w, r)
	}
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), in.Flow)
	if viewErr != nil && !errors.Is(viewErr, flow.Unknown) {
		return viewErr
	}
	if viewErr == nil && (v.Step != flow.Verify || v.Proof || errors.Is(err, code.UsedUp)) {
		// The step was finished by a second press or in another browser, or no
		// guesses are left: the page shows the current state.
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, v.ID))
	}
	if viewErr != nil && in.Flow != "" {
		return s.errorPage(w, r, http.StatusNotFound, flow.Unknown)
	}
	return s.refuse(w, r, form.ScreenVerifyCode, err, func(b *Boot) {
		if viewErr == nil {
			b.Flow = form.FlowOf(v)
		}
	})
}

func (s *Screens) postConfirmLink(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[linkForm](r)
	if err != nil {
		return err
	}
	next := ""
	switch in.Action {
	case actionResend:
		next, err = s.Actions.ResendLink(w, r, in.Link)
	case actionAnew:
		next, err = s.Actions.ConfirmLinkAnew(w, r, in.Link)
	default:
		next, err = s.Actions.ConfirmLink(w, r, form.ConfirmLink{Password: in.Password, Link: in.Link})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	if errors.Is(err, flow.SignUpClosed) {
		return s.signUpClosed(w, r)
	}
	token := s.Actions.Link(w, r)
	v, viewErr := s.Actions.Flows.ViewLink(r.Context(), s.Actions.Caller(w, r), token)
	switch {
	case viewErr != nil:
		return viewErr
	case v.FlowID != "" && (errors.Is(err, flow.ProofNeeded) || errors.Is(err, flow.Unknown)):
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, v.FlowID)) // which leads on
	}
	return s.refuse(w, r, form.ScreenConfirmLink, err, func(b *Boot) { s.fillLink(b, v, token) })
}

func (s *Screens) postResetPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[form.ResetPassword](r)
	if err != nil {
		return err
	}
	next, err := s.Actions.ResetPassword(w, r, in)
	if err == nil {
		return server.SeeOther(w, next)
	}
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), in.Flow)
	if v.Overtaken {
		return server.SeeOther(w, pages.Flow(pages.ResetPassword, v.ID))
	}
	if errors.Is(viewErr, flow.Unknown) || viewErr == nil && v.Step != flow.Reset {
		return server.SeeOther(w, overPath(r))
	}
	if viewErr != nil {
		return viewErr
	}
	return s.refuse(w, r, form.ScreenResetPassword, err, func(b *Boot) { b.Flow = form.FlowOf(v) })
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

package screens

import (
	"errors"
	"net/http"

	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/door"
)

// form handles a form without script. On success it redirects; otherwise it
// writes the same document with the errors. keep restores the typed values.
func form[Form any](s *Screens, screen door.Screen, run door.Action[Form], keep func(Form, *Boot)) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := door.Receive[Form](r)
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
	in, err := door.Receive[verifyForm](r)
	if err != nil {
		return err
	}
	next := ""
	if in.Action == actionResend {
		if next, err = s.Desk.Resend(w, r, door.Resend{Flow: in.Flow}); err == nil {
			s.Desk.Say(w, door.CodeSent)
		}
	} else {
		next, err = s.Desk.VerifyCode(w, r, door.VerifyCode{Flow: in.Flow, Code: in.Code})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	v, viewErr := s.Desk.Flows.View(r.Context(), s.Desk.Caller(w, r), in.Flow)
	if viewErr != nil && !errors.Is(viewErr, flow.Unknown) {
		return viewErr
	}
	if viewErr == nil && (v.Step != flow.Verify || errors.Is(err, code.UsedUp)) {
		// The step was finished by a second press or in another browser, or no
		// guesses are left: the page shows the current state.
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, v.ID))
	}
	if viewErr != nil && in.Flow != "" {
		return s.errorPage(w, r, http.StatusNotFound, flow.Unknown)
	}
	return s.refuse(w, r, door.ScreenVerifyCode, err, func(b *Boot) {
		if viewErr == nil {
			b.Flow = door.FlowOf(v)
		}
	})
}

func (s *Screens) postConfirmLink(w http.ResponseWriter, r *http.Request) error {
	in, err := door.Receive[linkForm](r)
	if err != nil {
		return err
	}
	next := ""
	switch in.Action {
	case actionResend:
		next, err = s.Desk.ResendLink(w, r, in.Link)
	case actionAnew:
		next, err = s.Desk.ConfirmLinkAnew(w, r, in.Link)
	default:
		next, err = s.Desk.ConfirmLink(w, r, door.ConfirmLink{Password: in.Password, Link: in.Link})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	token := s.Desk.Link(w, r)
	v, viewErr := s.Desk.Flows.ViewLink(r.Context(), s.Desk.Caller(w, r), token)
	if viewErr != nil {
		return viewErr
	}
	return s.refuse(w, r, door.ScreenConfirmLink, err, func(b *Boot) { s.fillLink(b, v, token) })
}

func (s *Screens) postResetPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := door.Receive[door.ResetPassword](r)
	if err != nil {
		return err
	}
	next, err := s.Desk.ResetPassword(w, r, in)
	if err == nil {
		return server.SeeOther(w, next)
	}
	v, viewErr := s.Desk.Flows.View(r.Context(), s.Desk.Caller(w, r), in.Flow)
	if errors.Is(viewErr, flow.Unknown) || viewErr == nil && v.Step != flow.Reset {
		return server.SeeOther(w, overPath(r))
	}
	if viewErr != nil {
		return viewErr
	}
	return s.refuse(w, r, door.ScreenResetPassword, err, func(b *Boot) { b.Flow = door.FlowOf(v) })
}

func (s *Screens) signOut(w http.ResponseWriter, r *http.Request) error {
	next, err := s.Desk.SignOut(w, r, struct{}{})
	if err != nil {
		return err
	}
	return server.SeeOther(w, next)
}

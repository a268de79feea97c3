package screens

import (
	"errors"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// protect lets a browser whose sign-in waits for it add a second factor.
func (s *Screens) protect(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("flow")
	if id == "" {
		return server.SeeOther(w, pages.SignIn) // which leads to a step that waits
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	switch {
	case errors.Is(err, flow.Unknown):
		return s.errorPage(w, r, http.StatusNotFound, flow.Unknown)
	case err != nil:
		return err
	case v.Step != flow.Protect:
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, v.ReturnTo.String())) // which knows who is signed in
	}
	return s.show(w, r, form.ScreenProtect, func(b *Boot) { s.fillProtect(b, v) })
}

func (s *Screens) fillProtect(b *Boot, v flow.View) {
	b.Flow = form.FlowOf(v)
	b.Factors.Secret, b.Factors.URI = v.Secret.Text(), v.URI
	b.Factors.QR, b.Factors.Size = drawn(v.URI)
	b.Protect.Later = yes(v.Later)
	if !v.Until.IsZero() {
		b.Protect.Until = s.Catalogue.Moment(b.Locale, v.Until)
	}
}

// protectForm is the form of the page. Action is the pressed button.
type protectForm struct {
	Flow   string `json:"flow"`
	Code   string `json:"code"`
	Action string `json:"action"`
}

func (s *Screens) postProtect(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[protectForm](r)
	if err != nil {
		return err
	}
	next := ""
	switch in.Action {
	case "later":
		next, err = s.Actions.ProtectLater(w, r, form.Protection{Flow: in.Flow})
	case actionRestart:
		next, err = s.Actions.DropProtection(w, r, form.Protection{Flow: in.Flow})
	default:
		next, err = s.Actions.ProtectByApp(w, r, form.ProtectByApp{Flow: in.Flow, Code: in.Code})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), in.Flow)
	switch {
	case errors.Is(viewErr, flow.Unknown):
		return server.SeeOther(w, overPath(r))
	case viewErr != nil:
		return viewErr
	case errors.Is(err, flow.Moved), v.Step != flow.Protect:
		return server.SeeOther(w, pages.Flow(pages.Protect, v.ID))
	}
	return s.refuse(w, r, form.ScreenProtect, err, func(b *Boot) { s.fillProtect(b, v) })
}

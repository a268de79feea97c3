package screens

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// protect lets a browser whose sign-in waits for it add a second factor.
func (s *Screens) protect(w http.ResponseWriter, r *http.Request) error {
	return s.step(w, r, flow.Protect, func(v flow.View) error {
		return s.show(w, r, form.ScreenProtect, func(b *Boot) { s.fillProtect(b, v) })
	})
}

func (s *Screens) fillProtect(b *Boot, v flow.View) {
	b.Flow = form.FlowOf(v)
	b.Factors.Secret, b.Factors.URI = v.Secret.Text(), v.URI
	b.Factors.QR, b.Factors.Size = drawn(v.URI)
	b.Protect.Later = yes(v.Later)
	if v.Later && !v.Until.IsZero() {
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
	return s.stepAgain(w, r, in.Flow, err, flow.Protect, pages.Protect, func(v flow.View) error {
		return s.refuse(w, r, form.ScreenProtect, err, func(b *Boot) { s.fillProtect(b, v) })
	})
}

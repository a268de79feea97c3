package screens

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// mountDeparture registers the pages about the end of an account, and returns the
// section with which it begins.
func (s *Screens) mountDeparture(m *server.Mux) section {
	p := section{screen: form.ScreenAccountDelete, path: pages.Delete, guarded: true, closes: true, fill: s.fillDelete}
	m.Handle("POST "+p.path, postOwn(s, p, s.Actions.DeleteAccount, nil))
	m.Handle("GET "+pages.Keep, s.keep)
	m.Handle("POST "+pages.Keep, s.postKeep)
	return p
}

// fillDelete adds when the account would be erased.
func (s *Screens) fillDelete(_ http.ResponseWriter, _ *http.Request, _ session.Found, b *Boot) error {
	b.Account.EraseAt = s.Catalogue.Moment(b.Locale, s.Actions.Now().Add(account.Grace))
	return nil
}

// keep asks a browser that waits for it whether a closed account is kept.
func (s *Screens) keep(w http.ResponseWriter, r *http.Request) error {
	return s.step(w, r, flow.Keep, func(v flow.View) error {
		return s.show(w, r, form.ScreenKeep, func(b *Boot) { s.fillKeep(b, v) })
	})
}

func (s *Screens) fillKeep(b *Boot, v flow.View) {
	b.Flow, b.Account.EraseAt = form.FlowOf(v), s.Catalogue.Moment(b.Locale, v.EraseAt)
}

// keepForm is the form of the page. Action is the pressed button.
type keepForm struct {
	Flow   string `json:"flow"`
	Action string `json:"action"`
}

func (s *Screens) postKeep(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[keepForm](r)
	if err != nil {
		return err
	}
	press := s.Actions.KeepAccount
	if in.Action == actionRefuse {
		press = s.Actions.DropKeep
	}
	next, err := press(w, r, form.KeepAccount{Flow: in.Flow})
	if err == nil {
		return server.SeeOther(w, next)
	}
	return s.stepAgain(w, r, in.Flow, err, flow.Keep, pages.Keep, func(v flow.View) error {
		return s.refuse(w, r, form.ScreenKeep, err, func(b *Boot) { s.fillKeep(b, v) })
	})
}

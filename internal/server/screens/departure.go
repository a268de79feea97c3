package screens

import (
	"errors"
	"net/http"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// mountDeparture registers the pages about the end of an account, and returns the
// section with which it begins.
func (s *Screens) mountDeparture(m *server.Mux) section {
	p := section{screen: form.ScreenAccountDelete, path: pages.Delete, guarded: true, fill: s.fillDelete}
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
	case v.Step != flow.Keep:
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, v.ReturnTo.String())) // which knows who is signed in
	}
	return s.show(w, r, form.ScreenKeep, func(b *Boot) { s.fillKeep(b, v) })
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
	switch {
	case err == nil:
		return server.SeeOther(w, next)
	case errors.Is(err, flow.Unknown):
		return server.SeeOther(w, overPath(r))
	case errors.Is(err, flow.Moved):
		return server.SeeOther(w, pages.Flow(pages.Keep, in.Flow))
	case fault.From(err).Kind == fault.Internal:
		return err
	}
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), in.Flow)
	if viewErr != nil {
		return viewErr
	}
	return s.refuse(w, r, form.ScreenKeep, err, func(b *Boot) { s.fillKeep(b, v) })
}

package screens

import (
	"errors"
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// signUp is the page of the registration. The link of an invitation leads to it with its mark in the
// query, so that another sign-up in this browser has nothing of the invitation.
func (s *Screens) signUp(w http.ResponseWriter, r *http.Request) error {
	mark := r.URL.Query().Get("link")
	switch {
	case mark == "" && s.Settings.SignUp == "":
		return s.signUpClosed(w, r)
	case mark == "":
		return s.withTarget(ScreenSignUp)(w, r)
	}
	link, first, err := s.invited(w, r, mark)
	if err != nil {
		return err
	}
	if link.State == "" {
		return server.SeeOther(w, pages.ConfirmLink) // which says why
	}
	s.Actions.BindBrowser(w, r)
	person, err := s.person(w, r)
	if err != nil {
		return err
	}
	return s.show(w, r, ScreenSignUp, func(b *Boot) {
		b.Link, b.Session, b.Next = link, person, s.Actions.Targets.Or(flow.Target{})
		if b.Notice = s.Catalogue.Text(b.Locale, "state.invited", nil); first {
			b.Notice = s.Catalogue.Text(b.Locale, "state.first_admin", nil)
		}
	})
}

// signUpAgain shows the form again that err has refused, with its invitation.
func (s *Screens) signUpAgain(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
	if errors.Is(err, flow.SignUpClosed) {
		return s.signUpClosed(w, r)
	}
	link, _, linkErr := s.invited(w, r, said(keep).Link.Mark)
	if linkErr != nil {
		return linkErr
	}
	return s.refuse(w, r, ScreenSignUp, err, func(b *Boot) {
		keep(b)
		b.Link = link
	})
}

// invited returns the opened link with a mark, if it is of an invitation that may be used, and whether it is the one for
// the first admin.
func (s *Screens) invited(w http.ResponseWriter, r *http.Request, mark string) (link Link, first bool, err error) {
	token := s.Actions.Link(w, r)
	if mark == "" || mark != form.LinkMark(token) {
		return Link{}, false, nil
	}
	v, err := s.Actions.Flows.ViewLink(r.Context(), s.Actions.Caller(w, r), token)
	if err != nil || !v.Invited || v.Fault != nil {
		return Link{}, false, err
	}
	return Link{State: "ready", Mark: mark, Kind: string(flow.SignUp), Email: account.Display(v.Email)}, v.First, nil
}

// onSignUp returns the mark of an invitation that a page shows.
func (l Link) onSignUp(page string) string {
	if page != pages.SignUp {
		return ""
	}
	return l.Mark
}

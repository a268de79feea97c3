package screens

import (
	"errors"
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// offerPage is the page that offers a passkey.
func (s *Screens) offerPage() page {
	return page{path: pages.PasskeyOffer, show: s.passkeyOffer, again: s.offerAgain, forms: []pageForm{
		post("", s.Actions.RefusePasskeys, func(in form.RefusePasskeys, b *Boot) {
			b.ReturnTo = s.Actions.Targets.Check(in.ReturnTo).String()
		}),
	}}
}

// passkeyOffer offers a passkey to a user who has signed in with a password. The
// page of who is not offered one anymore is the return target.
func (s *Screens) passkeyOffer(w http.ResponseWriter, r *http.Request) error {
	target := s.asked(r)
	found, err := s.Actions.Session(w, r)
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, target.String()))
	case err != nil:
		return err
	}
	offered, err := s.Owner.PasskeyOffered(r.Context(), found)
	switch {
	case err != nil:
		return err
	case !offered:
		return server.SeeOther(w, s.Actions.Targets.Or(target))
	}
	return s.show(w, r, ScreenNewPasskey, func(b *Boot) {
		b.Session, b.ReturnTo, b.Next = personOf(found), target.String(), s.Actions.Targets.Or(target)
	})
}

// signUpPasskey asks the owner of a new account to make a passkey, or an owner who has
// a link of the operator. It says what becomes of a password.
func (s *Screens) signUpPasskey(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), r.URL.Query().Get("flow"))
	if err != nil && !errors.Is(err, flow.Unknown) {
		return err
	}
	person, personErr := s.person(w, r)
	switch {
	case personErr != nil:
		return personErr
	case v.Step == flow.Done && person != (SignedIn{}), v.Step == flow.Reset && !v.Passkey:
		return server.SeeOther(w, v.Next)
	case v.Overtaken:
		return s.overtaken(w, r, v)
	case err != nil || v.Step != flow.Reset:
		return server.SeeOther(w, overPath(r))
	}
	return s.show(w, r, ScreenNewPasskey, func(b *Boot) {
		b.Session, b.Flow = other(person, account.Display(v.Address)), form.FlowOf(v)
		switch {
		case v.Handed && v.Kind == flow.SignUp:
			b.Account.Password = "none"
		case v.Handed:
			b.Account.Password = "only"
		}
	})
}

// offerAgain asks who is here now, if it is another user than the one who pressed.
func (s *Screens) offerAgain(w http.ResponseWriter, _ *http.Request, err error, keep func(*Boot)) error {
	if errors.Is(err, session.Required) || errors.Is(err, form.AccountChanged) {
		return server.SeeOther(w, pages.ReturnTo(pages.PasskeyOffer, said(keep).ReturnTo))
	}
	return err
}

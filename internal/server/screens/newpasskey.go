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

// passkeyOffer offers a passkey to a user who has signed in with a password. The
// page of who is not offered one any more is the return target.
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
	return s.show(w, r, form.ScreenNewPasskey, func(b *Boot) {
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
	return s.show(w, r, form.ScreenNewPasskey, func(b *Boot) {
		b.Session, b.Flow = other(person, account.Display(v.Address)), form.FlowOf(v)
		switch {
		case v.Handed && v.Kind == flow.SignUp:
			b.Account.Password = "none"
		case v.Handed:
			b.Account.Password = "only"
		}
	})
}

// postPasskeyOffer takes the answer that the user wants no offer.
func (s *Screens) postPasskeyOffer(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[form.RefusePasskeys](r)
	if err != nil {
		return err
	}
	next, err := s.Actions.RefusePasskeys(w, r, in)
	if errors.Is(err, session.Required) || errors.Is(err, form.AccountChanged) {
		next, err = pages.ReturnTo(pages.PasskeyOffer, s.Actions.Targets.Check(in.ReturnTo).String()), nil // asks who is here now
	}
	if err != nil {
		return err
	}
	return server.SeeOther(w, next)
}

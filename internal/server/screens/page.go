package screens

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// leadTo redirects to a page. A redirect adds no entry to the history.
func leadTo(page string) server.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error { return server.SeeOther(w, page) }
}

// signIn shows once why a session has ended, and clears the cookie that tells.
func (s *Screens) signIn(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Actions.Session(w, r)
	if err != nil && !errors.Is(err, session.Required) {
		return err
	}
	why, ended, person := fault.From(err), errors.Is(err, session.Ended), personOf(found)
	query := r.URL.Query()
	if person == (SignedIn{}) && !ended && len(query) == 0 {
		return s.show(w, r, ScreenSignIn, nil)
	}
	link, err := s.waiting(w, r, query.Get("flow"))
	if err != nil {
		return err
	}
	failed, said, err := s.ending(w, r, person)
	if err != nil {
		return err
	}
	if ended {
		s.Actions.ClearSession(w)
	}
	target := s.asked(r)
	s.cameFrom(w, r, target)
	if led, err := s.askStronger(w, r, person, target.String()); err != nil || led {
		return err
	}
	return s.show(w, r, ScreenSignIn, func(b *Boot) {
		if ended {
			b.Notice = server.Words(s.Catalogue, b.Locale, why)
		}
		if query.Has("return_to") && cookieLost(r) {
			b.Notice = s.Catalogue.Text(b.Locale, "signin.notice.cookies", nil)
		}
		b.ReturnTo, b.Next, b.Session = target.String(), s.Actions.Targets.Or(target), person
		if query.Has("again") && person != (SignedIn{}) {
			// Continuing as the signed-in user would lead back here.
			b.Session, b.Values.Email, b.Again = SignedIn{}, person.Email, yes(true)
			b.Notice = s.Catalogue.Text(b.Locale, "signin.notice.again", nil)
		}
		if hint, bad := account.ParseAddress(query.Get("email"), "email"); bad == nil && b.Values.Email == "" {
			b.Values.Email = hint.Mail // an OpenID client's guess
		}
		if target == (flow.Target{}) {
			b.ReturnTo, b.Next = link.ReturnTo.String(), s.Actions.Targets.Or(link.ReturnTo)
		}
		if link.Step == flow.Done {
			b.Values.Email = cmp.Or(b.Values.Email, account.Display(link.Address))
		} else if link.ID != "" {
			b.Flow.ID, b.Values.Email = link.ID, account.Display(link.Address)
			b.Notice = s.Catalogue.Text(b.Locale, "signin.notice.link", map[string]string{"provider": s.providerName(link.Provider)})
		}
		if failed != "" {
			b.Notice = s.Catalogue.Text(b.Locale, failed, map[string]string{"provider": s.providerName(query.Get("provider")), "text": said})
		}
	})
}

// cookieLost reports whether the browser came from the sign-in page back to it
// without a cookie. This happens if the browser refuses the session cookie: the
// target redirects back, and redirects keep the Referer.
func cookieLost(r *http.Request) bool {
	from, err := url.Parse(r.Referer())
	return err == nil && from.Host == r.Host && from.Path == pages.SignIn && len(r.Header["Cookie"]) == 0
}

// waiting returns the flow whose identity waits to be linked, or one that is over and whose address
// was typed here, if the id names a flow of this browser.
func (s *Screens) waiting(w http.ResponseWriter, r *http.Request, id string) (flow.View, error) {
	if id == "" {
		return flow.View{}, nil
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	if errors.Is(err, flow.Unknown) || err == nil && v.Step != flow.Join && (v.Step != flow.Done || v.Found) {
		return flow.View{}, nil
	}
	return v, err
}

// providerName returns the name of a provider, or the name of the brand when the settings have
// no such provider.
func (s *Screens) providerName(id string) string {
	for _, p := range s.Providers {
		if p.ID == id {
			return p.Name
		}
	}
	return s.Brand.Name
}

// signUpClosed says that registration is closed, and links to the sign-in page.
func (s *Screens) signUpClosed(w http.ResponseWriter, r *http.Request) error {
	return s.signUpEnded(w, r, flow.SignUpClosed)
}

// signUpEnded says why a sign-up does not go on, and links to the page that helps.
func (s *Screens) signUpEnded(w http.ResponseWriter, r *http.Request, why *fault.Error) error {
	return s.show(w, r, ScreenError, func(b *Boot) {
		s.explain(w, r, b, why)
		b.Errors.RequestID = "" // nothing has failed, so the id would not help
		if why == flow.SignUpWaits {
			b.Status, b.Errors.Code = http.StatusOK, ""
		}
		s.keepTarget(r, b)
		if why.Code == flow.CodeInvitationOver {
			b.Back, b.BackLabel = b.Next, b.NextLabel
			b.Next, b.NextLabel = pages.SignUp, s.Catalogue.Text(b.Locale, "failure.next.signup", nil)
		}
	})
}

// asked returns the return target in the query of a page.
func (s *Screens) asked(r *http.Request) flow.Target {
	return s.Actions.Targets.Check(r.URL.Query().Get("return_to"))
}

// keepTarget makes the link on the error screen lead to the return target.
func (s *Screens) keepTarget(r *http.Request, b *Boot) {
	if target := s.asked(r); b.Next == pages.SignIn && target != (flow.Target{}) {
		b.Next += "?return_to=" + url.QueryEscape(target.String())
	}
}

// withTarget returns the page of a form that mails a code. It fills in the signed-in
// user and the return target.
func (s *Screens) withTarget(screen Screen) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		s.Actions.BindBrowser(w, r)
		person, err := s.person(w, r)
		if err != nil {
			return err
		}
		target := s.asked(r)
		typed, err := s.typed(w, r, screen)
		if err != nil {
			return err
		}
		var link Link
		if typed.Invited {
			if link, _, err = s.invited(w, r, form.LinkMark(s.Actions.Link(w, r))); err != nil {
				return err
			}
		}
		if person == (SignedIn{}) && target == (flow.Target{}) && typed.ID == "" {
			return s.show(w, r, screen, nil)
		}
		return s.show(w, r, screen, func(b *Boot) {
			b.Session, b.ReturnTo, b.Next = person, target.String(), s.Actions.Targets.Or(target)
			if screen == ScreenForgotPassword {
				b.Values.Email = person.Email
			}
			if typed.ID != "" {
				s.keepTyped(b, typed)
			}
			b.Link = link
		})
	}
}

// typed returns the flow in the query, whose visitor wants to use another address.
func (s *Screens) typed(w http.ResponseWriter, r *http.Request, screen Screen) (flow.View, error) {
	id := r.URL.Query().Get("flow")
	if id == "" {
		return flow.View{}, nil
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	same := v.Kind == flow.Recovery && screen == ScreenForgotPassword || v.Kind == flow.SignUp && screen == ScreenSignUp ||
		v.Kind == flow.ByCode && screen == ScreenSignInCode
	elsewhere := v.Kind == flow.Recovery && v.Step == flow.Done // its link was opened in another browser
	if errors.Is(err, flow.Unknown) || err == nil && (v.Step != flow.Verify && !v.Overtaken && !elsewhere || !same || v.Found) {
		return flow.View{}, nil
	}
	return v, err
}

// keepTyped fills in what the visitor typed to begin the flow, without the
// password. If the email was refused, it says so at the address.
func (s *Screens) keepTyped(b *Boot, v flow.View) {
	b.Values.Name, b.Values.Email = v.Name, account.Display(v.Address)
	b.Values.Terms = yes(v.Terms != "" && v.Terms == b.Legal.Version)
	if b.ReturnTo == "" {
		b.ReturnTo = v.ReturnTo.String()
	}
	if v.Refused {
		b.Errors.Fields.Email = s.Catalogue.Text(b.Locale, "common.notice.refused", nil)
	}
}

// verifyCode shows the current step of the flow. After a reload, or in another
// tab, it redirects if the code was already used.
func (s *Screens) verifyCode(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("flow")
	if id == "" {
		return s.verifyWaiting(w, r)
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	if errors.Is(err, flow.Unknown) {
		return s.errorPage(w, r, http.StatusNotFound, flow.Unknown) // no button of the step could work
	}
	if err != nil {
		return err
	}
	person, err := s.person(w, r)
	switch {
	case err != nil:
		return err
	case v.Kind == flow.SignUp && s.Settings.SignUp == "":
		return s.signUpClosed(w, r) // since it began
	case v.Waits:
		return s.signUpEnded(w, r, flow.SignUpWaits)
	case v.Overtaken:
		return s.overtaken(w, r, v)
	case v.Kind == flow.AddressChange && v.Step == flow.Verify && person == (SignedIn{}):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, pages.Flow(pages.VerifyCode, v.ID)))
	case v.Proof:
		return s.proveAgain(w, r, person, pages.Flow(pages.VerifyCode, v.ID))
	}
	if v.Step == flow.Reset || v.Step == flow.Factor || v.Step == flow.Accept || v.Step == flow.Keep || v.Step == flow.Protect || v.Step == flow.Done && person != (SignedIn{}) {
		return server.SeeOther(w, v.Next)
	}
	said := s.Actions.Said(w, r)
	return s.show(w, r, ScreenVerifyCode, func(b *Boot) {
		b.Flow = form.FlowOf(v)
		b.Success = s.success(b.Locale, said, form.CodeSent, form.Secured)
		// About the email or earlier codes and not this request, so the status stays.
		switch f := v.Locked; {
		case v.Held != nil:
			b.Errors.Code, b.Errors.Form, b.Errors.RetryAfter = v.Held.Code, s.words(r, b.Locale, v.Held), server.RetryAfter(v.Held)
		case f != nil:
			b.Errors.Code, b.Errors.Form, b.Errors.RetryAfter = f.Code, s.words(r, b.Locale, f), server.RetryAfter(f)
		}
	})
}

// verifyWaiting redirects to the flow that this browser waits in, if the URL
// names none. Without such a flow, the page says so.
func (s *Screens) verifyWaiting(w http.ResponseWriter, r *http.Request) error {
	id, err := s.Actions.Waiting(w, r)
	if err != nil {
		return err
	}
	if id != "" {
		return server.SeeOther(w, pages.Flow(pages.VerifyCode, id))
	}
	return s.show(w, r, ScreenVerifyCode, nil)
}

// resetPassword shows the form of a flow that has proven the mailbox.
func (s *Screens) resetPassword(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), r.URL.Query().Get("flow"))
	if err != nil && !errors.Is(err, flow.Unknown) {
		return err
	}
	person, personErr := s.person(w, r)
	switch {
	case personErr != nil:
		return personErr
	case v.Step == flow.Done && person != (SignedIn{}):
		return server.SeeOther(w, v.Next) // Back, after the password was set
	case v.Overtaken:
		return s.overtaken(w, r, v)
	case err != nil || v.Step != flow.Reset:
		return server.SeeOther(w, overPath(r))
	}
	return s.show(w, r, ScreenResetPassword, func(b *Boot) { b.Session, b.Flow = other(person, account.Display(v.Address)), form.FlowOf(v) })
}

// other returns the signed-in user if the step belongs to another address. The
// page must then name both.
func other(person SignedIn, email string) SignedIn {
	if strings.EqualFold(person.Email, email) {
		return SignedIn{}
	}
	return person
}

// success returns the message about the previous step, if the page may show it.
func (s *Screens) success(loc, word string, may ...string) string {
	if !slices.Contains(may, word) {
		return ""
	}
	return s.Catalogue.Text(loc, "success."+word, nil)
}

func (s *Screens) signedOut(w http.ResponseWriter, r *http.Request) error {
	person, err := s.person(w, r)
	if err != nil {
		return err
	}
	if person != (SignedIn{}) {
		return server.SeeOther(w, pages.Account)
	}
	said := s.Actions.Said(w, r)
	target := s.asked(r)
	if said != form.AccountLeft && target == (flow.Target{}) {
		return s.show(w, r, ScreenSignedOut, nil)
	}
	return s.show(w, r, ScreenSignedOut, func(b *Boot) {
		b.Success, b.ReturnTo, b.Next = s.success(b.Locale, said, form.AccountLeft), target.String(), target.App()
	})
}

// overPath returns the error page of a flow that is not open. It can be
// reloaded.
func overPath(r *http.Request) string {
	return pages.With(pages.Error, url.Values{"code": {flow.CodeFlowUnknown}, "request": {server.RequestID(r.Context())}})
}

// failure shows the one fault that overPath redirects with. It accepts no other
// code, because anybody can create a link, for example about an account.
func (s *Screens) failure(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	f := fault.New(fault.Missing, server.CodeRouteMissing)
	if query.Get("code") == flow.CodeFlowUnknown {
		f = flow.Unknown
	}
	return s.show(w, r, ScreenError, func(b *Boot) {
		s.explain(w, r, b, f)
		s.keepTarget(r, b)
		if id := query.Get("request"); ids.Valid(id) {
			b.Errors.RequestID = id
		}
	})
}

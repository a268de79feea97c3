package screens

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// page is a page with its forms.
type page struct {
	screen Screen
	path   string
	show   server.Handler // answers GET
	// again answers a form of the page that err has refused. keep puts back what the
	// form said, except passwords: the typed values, its flow and its return target.
	// nil shows the screen again.
	again func(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error
	forms []pageForm

	// For a page of a step between the proofs of a sign-in and its session, in place of
	// show and again. fill adds what the page shows of the flow. person is the
	// signed-in user, if there is one.
	step flow.Step
	fill func(r *http.Request, b *Boot, v flow.View, person SignedIn)
}

// pageForm is a form of a page. A browser without script sends it.
type pageForm struct {
	below  string // its path below the path of the page, "" for the same
	take   func(page) server.Handler
	traits []server.Trait
}

// publicPages lists the pages outside the account.
func (s *Screens) publicPages() []page {
	a := s.Actions
	return []page{
		{screen: ScreenSignIn, path: pages.SignIn, show: s.orGoOn(s.signIn), forms: []pageForm{
			post("", a.SignIn, func(in form.SignIn, b *Boot) {
				b.Flow.ID = in.Flow
				s.keepAddress(b, in.Email, in.ReturnTo)
			}),
		}},
		s.signUpPage(),
		{screen: ScreenForgotPassword, path: pages.ForgotPassword, show: s.orGoOn(s.withTarget(ScreenForgotPassword)), forms: []pageForm{
			post("", a.ForgotPassword, func(in form.ForgotPassword, b *Boot) { s.keepAddress(b, in.Email, in.ReturnTo) }),
		}},
		{screen: ScreenSignInCode, path: pages.SignInCode, show: s.orGoOn(s.signInCode()), forms: []pageForm{
			post("", a.SignInCode, func(in form.SignInCode, b *Boot) { s.keepAddress(b, in.Email, in.ReturnTo) }),
		}},
		{path: pages.VerifyCode, show: s.orGoOn(s.verifyCode), again: s.verifyAgain, forms: []pageForm{
			post("", a.VerifyCode, func(in form.VerifyCode, b *Boot) { b.Flow.ID = in.Flow }),
			post("/resend", a.Resend, func(in form.Resend, b *Boot) { b.Flow.ID = in.Flow }),
		}},
		{path: pages.ConfirmLink, show: s.confirmLink, again: s.linkAgain, forms: []pageForm{
			post("", a.ConfirmLink, nil), post("/anew", a.ConfirmLinkAnew, nil), post("/resend", a.ResendLink, nil),
		}},
		{path: pages.SignUpPasskey, show: s.signUpPasskey},
		{path: pages.ResetPassword, show: s.resetPassword, again: s.resetAgain, forms: []pageForm{
			post("", a.ResetPassword, func(in form.ResetPassword, b *Boot) { b.Flow.ID = in.Flow }),
		}},
		s.mfaPage(), s.termsPage(), s.keepPage(), s.protectPage(),
		{path: pages.NotMe, show: s.notMe, again: s.showAlarm, forms: []pageForm{post("", a.RaiseAlarm, nil)}},
		{path: pages.SignedOut, show: s.signedOut},
		{path: pages.Error, show: s.failure},
	}
}

func (s *Screens) signUpPage() page {
	return page{screen: ScreenSignUp, path: pages.SignUp, show: s.orGoOn(s.signUp), again: s.signUpAgain, forms: []pageForm{
		post("", s.Actions.SignUp, func(in form.SignUp, b *Boot) {
			s.keepAddress(b, in.Email, in.ReturnTo)
			b.Link.Mark = in.Link
			b.Values.Name, b.Values.Terms = in.Name, yes(in.Terms != "" && in.Terms == s.Legal.Version)
		}),
	}}
}

// keepAddress puts back what a form that begins a flow said.
func (s *Screens) keepAddress(b *Boot, email, returnTo string) {
	b.Values.Email, b.ReturnTo = email, s.Actions.Targets.Check(returnTo).String()
}

// post returns the form that run handles. On success it redirects; otherwise the
// page shows the error. keep may be nil.
func post[Form any](below string, run form.Action[Form], keep func(Form, *Boot)) pageForm {
	return pageForm{below: below, take: func(p page) server.Handler {
		return func(w http.ResponseWriter, r *http.Request) error {
			in, err := form.Receive[Form](r)
			if err != nil {
				return err
			}
			next, err := run(w, r, in)
			if err == nil {
				return server.SeeOther(w, next)
			}
			return p.again(w, r, err, func(b *Boot) {
				if keep != nil {
					keep(in, b)
				}
			})
		}
	}}
}

// fail is the again of a form that no page shows again.
func fail(_ http.ResponseWriter, _ *http.Request, err error, _ func(*Boot)) error { return err }

// nothing is the keep of a request that is not a form.
func nothing(*Boot) {}

// said returns what a form said, as its keep tells.
func said(keep func(*Boot)) (b Boot) {
	keep(&b)
	return b
}

// mount registers a page with its forms. The address of a form leads to the page: a
// browser without script shows it after a refused form, and opens it when it
// restores a tab.
func (s *Screens) mount(m *server.Mux, p page) {
	switch {
	case p.fill != nil && p.show == nil:
		p = s.atStep(p)
	case p.again == nil:
		p.again = func(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
			return s.refuse(w, r, p.screen, err, keep)
		}
	}
	m.Handle("GET "+p.path, p.show)
	for _, f := range p.forms {
		if f.below != "" {
			s.pageOf[p.path+f.below] = p.path
		}
		m.Handle("POST "+p.path+f.below, f.take(p), f.traits...)
	}
}

// atStep returns a page of a step with its handlers.
func (s *Screens) atStep(p page) page {
	answer := func(w http.ResponseWriter, r *http.Request, v flow.View, refused error, keep func(*Boot)) error {
		person, err := s.person(w, r)
		if err != nil {
			return err
		}
		fill := func(b *Boot) {
			keep(b)
			p.fill(r, b, v, person)
		}
		if refused != nil {
			return s.refuse(w, r, p.screen, refused, fill)
		}
		return s.show(w, r, p.screen, fill)
	}
	p.show = func(w http.ResponseWriter, r *http.Request) error {
		return s.waitsAt(w, r, p.step, func(v flow.View) error { return answer(w, r, v, nil, nothing) })
	}
	p.again = func(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
		return s.stepAgain(w, r, said(keep).Flow.ID, err, p.step, p.path, func(v flow.View) error { return answer(w, r, v, err, keep) })
	}
	return p
}

package screens

import (
	"errors"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
)

// orGoOn wraps a page that begins a sign-in. If this browser has a sign-in that waits at a
// step, it leads there. Otherwise it shows the page, and always when the query names a flow,
// an opened link or a failure. The page of an emailed link is not wrapped, because the user wants the link.
func (s *Screens) orGoOn(page server.Handler) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if query := r.URL.Query(); query.Has("flow") || query.Has("link") || query.Has("failed") {
			return page(w, r)
		}
		next, err := s.Actions.WaitingSignIn(w, r)
		switch {
		case err != nil:
			return err
		case next == "":
			return page(w, r)
		}
		person, err := s.person(w, r)
		switch {
		case err != nil:
			return err
		case person != (SignedIn{}):
			return page(w, r)
		}
		return server.SeeOther(w, next)
	}
}

// waitsAt shows the page of a step between the proofs of a sign-in and its session. It
// leads away if the flow in the query does not wait at this step.
func (s *Screens) waitsAt(w http.ResponseWriter, r *http.Request, at flow.Step, show func(flow.View) error) error {
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
	case v.Step == at:
		return show(v)
	}
	person, err := s.person(w, r)
	switch {
	case err != nil:
		return err
	case v.Step == flow.Done && person != (SignedIn{}):
		return server.SeeOther(w, v.Next) // in another tab, or by Back
	case v.Overtaken:
		return s.overtaken(w, r, v)
	}
	return server.SeeOther(w, pages.ReturnTo(pages.SignIn, v.ReturnTo.String()))
}

// overtaken says that a step cannot go on, and leads to its beginning, where the address that
// was typed is filled in.
func (s *Screens) overtaken(w http.ResponseWriter, r *http.Request, v flow.View) error {
	return s.show(w, r, ScreenError, func(b *Boot) {
		s.explain(w, r, b, flow.Overtaken)
		what := "overtaken"
		if v.Kind == flow.SignUp { // there is no account
			what = "overtaken_signup"
		}
		b.Title = s.Catalogue.Text(b.Locale, "failure.title."+what, nil)
		b.Detail = s.Catalogue.Text(b.Locale, "failure."+what, nil)
		b.Errors.RequestID = "" // nothing has failed, so the id would not help
		b.Next = pages.Flow(beginningOf(v.Kind), v.ID)
	})
}

// beginningOf returns the page on which a flow of a kind begins.
func beginningOf(k flow.Kind) string {
	switch k {
	case flow.Recovery:
		return pages.ForgotPassword
	case flow.ByCode:
		return pages.SignInCode
	case flow.AddressChange:
		return pages.Addresses
	case flow.SignUp:
		return pages.SignUp
	}
	return pages.SignIn
}

// stepAgain shows the page of a step again after err has refused a press on it. If the
// flow does not wait there anymore, path leads on, as for a reload.
func (s *Screens) stepAgain(w http.ResponseWriter, r *http.Request, id string, err error, at flow.Step, path string, show func(flow.View) error) error {
	if over := signUpOver(err); over != nil {
		return s.signUpEnded(w, r, over)
	}
	v, viewErr := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), id)
	switch {
	case errors.Is(viewErr, flow.Unknown):
		return server.SeeOther(w, overPath(r))
	case viewErr != nil:
		return viewErr
	case errors.Is(err, flow.Moved), v.Step != at: // also when a change has ended it
		return server.SeeOther(w, pages.Flow(path, v.ID))
	case errors.Is(err, flow.Unknown):
		return server.SeeOther(w, overPath(r))
	}
	return show(v)
}

package screens

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/server"
)

// errorPage writes the error page for a browser's failed request. The address of a
// form leads to its page.
func (s *Screens) errorPage(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) error {
	if page := s.pageOf[r.URL.Path]; page != "" && f.Code == server.CodeMethodNotAllowed && r.Method == http.MethodGet {
		return server.SeeOther(w, withQuery(page, r))
	}
	return s.show(w, r, ScreenError, func(b *Boot) {
		s.explain(w, r, b, f)
		b.Status = status
	})
}

// explain fills the error screen: what happened, one way on, and the request id
// for the log.
func (s *Screens) explain(w http.ResponseWriter, r *http.Request, b *Boot, f *fault.Error) {
	s.blame(r, b, f)
	b.Errors.RequestID = server.RequestID(r.Context())
	b.Title = s.Catalogue.Text(b.Locale, "failure.title."+titleOf(b.Status, f.Code), nil)
	b.Detail, b.Errors.Form = b.Errors.Form, ""
	b.Next, b.NextLabel = pages.SignIn, s.Catalogue.Text(b.Locale, "failure.next.signin", nil)
	switch f.Code {
	case server.CodeRouteMissing, server.CodeMalformed, openid.CodeClientUnknown, openid.CodeRedirectUnknown, openid.CodeLogoutUnknown:
		if s.signedIn(w, r) != (SignedIn{}) {
			b.Next, b.NextLabel = pages.Account, s.Catalogue.Text(b.Locale, "failure.next.own", nil)
		}
	case server.CodeAppDown, server.CodeAppSlow:
		if f.Code == server.CodeAppDown { // the title already says the rest
			b.Detail = s.Catalogue.Text(b.Locale, "failure.away", nil)
		}
		if f.Params["upstream"] != "" && r.Method == http.MethodGet { // the visitor is a developer, who starts it now
			b.Detail = s.Catalogue.Text(b.Locale, "failure.away.dev", f.Params)
			w.Header().Set("Refresh", "2")
		}
		if r.Method == http.MethodGet {
			b.Next, b.NextLabel = r.URL.RequestURI(), s.Catalogue.Text(b.Locale, "failure.next.retry", nil)
		}
	case rule.CodeRole:
		if person := s.signedIn(w, r); person != (SignedIn{}) {
			b.Detail = s.Catalogue.Text(b.Locale, "failure.role", map[string]string{"email": person.Email})
			b.Back, b.BackLabel = pages.Account, s.Catalogue.Text(b.Locale, "failure.next.own", nil)
		}
		b.Next, b.NextLabel = s.signInFor(r), s.Catalogue.Text(b.Locale, "failure.next.account", nil)
	case flow.CodeFlowConflict:
		// The general text says to reload, which does not help on this page.
		b.Detail = s.Catalogue.Text(b.Locale, "failure.taken", nil)
	case flow.CodeFlowUnknown:
		if len(r.Header["Cookie"]) > 0 { // otherwise the text is about cookies
			b.Detail = s.Catalogue.Text(b.Locale, "failure.over", nil)
		}
		b.NextLabel = s.Catalogue.Text(b.Locale, "failure.next.again", nil)
	}
}

// signedIn returns the user whose session reaches the host of the request, or
// the zero SignedIn. An error page must not fail because of a session.
func (s *Screens) signedIn(w http.ResponseWriter, r *http.Request) SignedIn {
	token := s.Actions.Flows.TokenAt(r.Host, s.Actions.SessionToken(w, r))
	if token == "" {
		return SignedIn{}
	}
	found, err := s.Actions.Flows.PeekSession(r.Context(), token)
	if err != nil {
		return SignedIn{}
	}
	return personOf(found)
}

// signInFor returns the sign-in page that leads back to the requested page of
// an app.
func (s *Screens) signInFor(r *http.Request) string {
	scheme, _, _ := strings.Cut(s.Actions.Targets.Self, "://")
	target := s.Actions.Targets.Check(scheme + "://" + r.Host + r.URL.RequestURI()).String()
	if target == "" || r.Method != http.MethodGet || pages.Own(r.URL.Path) {
		return pages.SignIn
	}
	return pages.With(pages.SignIn, url.Values{"return_to": {target}})
}

// Titles of faults whose status is too general.
var titles = map[string]string{
	flow.CodeFlowUnknown:  "over",
	flow.CodeFlowConflict: "done",
	account.CodeDisabled:  "disabled",
	account.CodeEnded:     "disabled",
	account.CodeWaits:     "waits",
	rule.CodeRole:         "role",
	rule.CodeFresh:        "fresh",
	rule.CodeMFA:          "mfa",
}

// signUpEnd returns the last part of the key of the title of a fault that ends a sign-up,
// or "" for other faults.
func signUpEnd(code string) string {
	if !slices.Contains(flow.SignUpEnds(), code) {
		return ""
	}
	return strings.TrimPrefix(code, "signup.")
}

func titleOf(status int, code string) string {
	if title, ok := titles[code]; ok {
		return title
	}
	if word := signUpEnd(code); word != "" {
		return word
	}
	switch status {
	case http.StatusNotFound:
		return "missing"
	case http.StatusForbidden:
		return "refused"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "away"
	case http.StatusTooManyRequests:
		return "limited"
	case http.StatusServiceUnavailable:
		return "busy"
	case http.StatusInternalServerError:
		return "internal"
	}
	return "invalid"
}

var _ server.ErrorPage = (*Screens)(nil).errorPage

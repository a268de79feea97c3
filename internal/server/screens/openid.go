package screens

import (
	"net/http"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/session"
)

// AskSignOut shows the question whether to sign out, as an OpenID client asks.
func (s *Screens) AskSignOut(w http.ResponseWriter, r *http.Request, found session.Found, request string, wrong error) error {
	if wrong != nil {
		server.Note(w, wrong)
		request = ""
	}
	return s.show(w, r, ScreenSignOut, func(b *Boot) {
		b.Session, b.Client.Request = personOf(found), request
		if wrong != nil {
			f := fault.From(wrong)
			b.Status = server.Status(f)
			b.Notice = server.Words(s.Catalogue, b.Locale, f)
		}
	})
}

// AskConsent shows what an OpenID client asks for. another leads to the sign-in with another
// account; it is "" if the request is too long for the way there and back.
func (s *Screens) AskConsent(w http.ResponseWriter, r *http.Request, found session.Found, request openid.Request, query, another string) error {
	return s.show(w, r, ScreenConsent, func(b *Boot) {
		b.Session, b.Next, b.NextLabel = personOf(found), another, s.Catalogue.Text(b.Locale, "failure.next.account", nil)
		b.Account.Initials = account.Initials(found.User.Name, b.Session.Email)
		b.Client = Client{
			Request: query, Name: request.Client.Name, Mark: account.Initials(request.Client.Name, ""), Host: request.Host(), Unknown: request.Client.Host,
			Asked:  strings.Join(request.Asks(), " "),
			Scopes: s.scopes(b.Locale, request.Asks()),
		}
	})
}

// scopes returns what a client gets, in words: scopes, and servers that it may use for the user. The words of profile
// name the email address too.
func (s *Screens) scopes(loc string, scopes []string) []Scope {
	list := []Scope{}
	for _, scope := range scopes {
		switch {
		case scope == "email" && slices.Contains(scopes, "profile"):
		case strings.Contains(scope, ":"):
			list = append(list, Scope{ID: scope, Text: s.Catalogue.Text(loc, "consent.resource", map[string]string{"address": scope})})
		default:
			list = append(list, Scope{ID: scope, Text: s.Catalogue.TextOr(loc, "consent.scope."+scope, scope, nil)})
		}
	}
	return list
}

// RefuseUser says that a user may not use an OpenID client. another leads to the sign-in with
// another account, and back leads to the client. Both are "" from a device.
func (s *Screens) RefuseUser(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, another, back string) error {
	server.Note(w, rule.Refuse(found.User.ID, client.RuleTexts...))
	return s.show(w, r, ScreenError, func(b *Boot) {
		s.explain(w, r, b, rule.RoleMissing)
		app := map[string]string{"app": client.Name, "email": personOf(found).Email}
		b.Detail = s.Catalogue.Text(b.Locale, "failure.client_role", app)
		toApp := s.Catalogue.Text(b.Locale, "failure.next.app", app)
		switch {
		case back == "":
			b.Next, b.NextLabel = pages.Account, s.Catalogue.Text(b.Locale, "failure.next.own", nil)
		case another == "": // the request is too long for the way there and back
			b.Next, b.NextLabel = back, toApp
		default:
			b.Next, b.NextLabel = another, s.Catalogue.Text(b.Locale, "failure.next.account", nil)
			b.Back, b.BackLabel = back, toApp
		}
		b.Errors.RequestID = "" // nothing has failed, so the id would not help
	})
}

// fillApps adds the OpenID clients that know the account.
func (s *Screens) fillApps(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	apps, err := s.Owner.Apps(r.Context(), found.User.ID)
	for _, a := range apps {
		words := []string{}
		for _, scope := range s.scopes(b.Locale, a.Scopes) {
			words = append(words, scope.Text)
		}
		b.Account.Apps = append(b.Account.Apps, App{ID: a.ID, Name: a.Name, Scopes: strings.Join(words, " · "), Since: s.moment(b.Locale, a.Since)})
	}
	return err
}

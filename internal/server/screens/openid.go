package screens

import (
	"net/http"

	"portico/internal/fault"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// AskSignOut shows the question whether to sign out, as an OpenID client asks.
func (s *Screens) AskSignOut(w http.ResponseWriter, r *http.Request, found session.Found, request string, wrong error) error {
	if wrong != nil {
		server.Note(w, wrong)
		request = ""
	}
	return s.show(w, r, form.ScreenSignOut, func(b *Boot) {
		b.Session, b.Client.Request = personOf(found), request
		if wrong != nil {
			f := fault.From(wrong)
			b.Status = server.Status(f)
			b.Notice = server.Words(s.Catalogue, b.Locale, f)
		}
	})
}

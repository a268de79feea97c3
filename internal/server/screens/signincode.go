package screens

import (
	"net/http"

	"portico/internal/pages"
	"portico/internal/server"
)

// signInCode asks for the address that a code to sign in with is mailed to.
func (s *Screens) signInCode() server.Handler {
	if s.Settings.SignInCode != "" {
		return s.withTarget(ScreenSignInCode)
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, s.asked(r).String()))
	}
}

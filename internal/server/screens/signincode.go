package screens

import (
	"net/http"

	"portico/internal/pages"
	"portico/internal/server"
)

// signInCode asks for the address that a code to sign in with is mailed to.
func (s *Screens) signInCode(w http.ResponseWriter, r *http.Request) error {
	if !s.ByCode {
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, s.asked(r).String()))
	}
	return s.withTarget(w, r, ScreenSignInCode)
}

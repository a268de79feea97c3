package form

import (
	"cmp"
	"net/http"
	"slices"

	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/server"
)

// Language is the form of the language menu.
type Language struct {
	Locale string `json:"locale"`
	To     string `json:"to"` // path of the page that the menu is on
}

// Locale returns the locale that the visitor chose in this browser, else the
// available one that the browser prefers.
func (a *Actions) Locale(w http.ResponseWriter, r *http.Request) string {
	loc, _ := a.locale(w, r)
	return loc
}

func (a *Actions) locale(w http.ResponseWriter, r *http.Request) (loc string, chosen bool) {
	loc, _ = a.tongue.Read(w, r)
	if slices.Contains(a.Catalogue.Locales(), loc) {
		return loc, true
	}
	return a.Catalogue.Match(r.Header.Get("Accept-Language")), false
}

// ChooseLanguage is the action of the language menu. It keeps the choice in a
// cookie, and in the account of a signed-in user. It leads back to the page.
func (a *Actions) ChooseLanguage(w http.ResponseWriter, r *http.Request, in Language) (string, error) {
	if !slices.Contains(a.Catalogue.Locales(), in.Locale) {
		return "", fault.New(fault.Invalid, server.CodeMalformed)
	}
	c := a.Caller(w, r)
	c.Locale = in.Locale
	if err := a.Flows.ChooseLocale(r.Context(), c); err != nil {
		return "", err
	}
	a.tongue.Write(w, in.Locale, deviceLife)
	return cmp.Or(a.Targets.Page(in.To), pages.SignIn), nil
}

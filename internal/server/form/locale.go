package form

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/server"
)

// Language is the form of the language menu.
type Language struct {
	Locale string `json:"locale"`
	To     string `json:"to"` // path of the page that the menu is on
}

// appLocaleLife is how long the pages keep the language that an app has asked for.
const appLocaleLife = time.Hour

// Locale returns the locale that the visitor chose in this browser, else the one that
// an app asked for, else the available one that the browser prefers.
func (a *Actions) Locale(w http.ResponseWriter, r *http.Request) string {
	loc, _ := a.localeOf(w, r)
	return loc
}

func (a *Actions) localeOf(w http.ResponseWriter, r *http.Request) (loc string, chosen bool) {
	loc, _ = a.locale.Read(w, r)
	if slices.Contains(a.Catalogue.Locales(), loc) {
		return loc, true
	}
	loc, _ = a.appLocale.Current(w, r)
	if slices.Contains(a.Catalogue.Locales(), loc) {
		return loc, false
	}
	return a.Catalogue.Match(r.Header.Get("Accept-Language")), false
}

// Suggest takes the languages that an app asks for (ui_locales, OpenID Connect Core
// 3.1.2.1), "" for none. They are for the pages of this sign-in: they change neither the
// choice of the visitor nor the language of an account.
func (a *Actions) Suggest(w http.ResponseWriter, r *http.Request, tags string) {
	loc, fits := a.Catalogue.First(strings.Fields(tags))
	kept, known := a.appLocale.Read(w, r)
	switch {
	case fits && kept != loc:
		a.appLocale.Write(w, loc, appLocaleLife)
	case !fits && known:
		a.appLocale.Clear(w)
	}
}

// ChooseLanguage is the action of the language menu: a form, since any site could
// send its visitors to a link. It keeps the choice in a cookie, and in the account
// of a signed-in user. It leads back to the page.
func (a *Actions) ChooseLanguage(w http.ResponseWriter, r *http.Request, in Language) (string, error) {
	if !slices.Contains(a.Catalogue.Locales(), in.Locale) {
		return "", fault.New(fault.Invalid, server.CodeMalformed)
	}
	c := a.Caller(w, r)
	c.Locale = in.Locale
	if err := a.Flows.ChooseLocale(r.Context(), c); err != nil {
		return "", err
	}
	a.locale.Write(w, in.Locale, deviceLife)
	return cmp.Or(a.Targets.Page(in.To), pages.SignIn), nil
}

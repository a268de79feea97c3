package screens

import (
	"net/http"
	"net/url"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server/form"
)

// LinkedApp is what pages say of an app that a visitor comes from, as the settings have it.
type LinkedApp struct {
	Name string // "" for the app at the root of this site, which the logo names
	Home string // address of its first page; "" if the settings tell of none

	target string // return target that leads to it, "" for no app
}

// appOf returns the app that a return target leads to. Its name and its address are those of the
// settings, and no text of a link. There is none at a page of Portico, and none for a guest, which
// names itself.
func (s *Screens) appOf(target flow.Target) LinkedApp {
	u, err := url.Parse(target.String())
	if err != nil || *u == (url.URL{}) {
		return LinkedApp{}
	}
	var app LinkedApp
	switch {
	case u.Host == "" && u.Path == pages.Authorize:
		id := u.Query().Get("client_id")
		app = s.ClientApp(id)
		app.target = form.AtClient(id)
	case u.Host != "" || !pages.Own(u.Path):
		app = s.AppAt(u)
		app.target = app.Home
	}
	if app.Name == "" && app.Home == "" {
		return LinkedApp{}
	}
	return app
}

// nameApp says which app sent the visitor to the sign-in page, if it has a name.
func (s *Screens) nameApp(b *Boot) {
	if app := s.appOf(s.Actions.Targets.Check(b.ReturnTo)); app.Name != "" {
		b.Detail = s.Catalogue.Text(b.Locale, "signin.notice.app", map[string]string{"app": app.Name})
	}
}

// cameFrom keeps the app that a visitor comes from, for the way back from the account.
func (s *Screens) cameFrom(w http.ResponseWriter, r *http.Request, target flow.Target) {
	if app := s.appOf(target); app.target != "" {
		s.Actions.KeepApp(w, r, app.target)
	}
}

// arriveFrom keeps the app whose page or link led to a page of the account.
func (s *Screens) arriveFrom(w http.ResponseWriter, r *http.Request) {
	s.cameFrom(w, r, s.Actions.Targets.Check(r.Referer()))
	s.cameFrom(w, r, s.asked(r))
}

// wayBack adds the way from the account to the app that the visitor came from, or else to the one
// where a sign-in leads.
func (s *Screens) wayBack(w http.ResponseWriter, r *http.Request, b *Boot) {
	check := s.Actions.Targets.Check
	app := s.appOf(check(s.Actions.App(w, r)))
	if app.Home == "" {
		app = s.appOf(check(s.Actions.Targets.Fallback))
	}
	if app.Home == "" {
		return
	}
	b.Back, b.BackLabel = app.Home, s.Catalogue.Text(b.Locale, "signed-out.back", nil)
	if app.Name != "" {
		b.BackLabel = s.Catalogue.Text(b.Locale, "failure.next.app", map[string]string{"app": app.Name})
	}
}

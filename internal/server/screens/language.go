package screens

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/server/form"
)

// languages returns the entries of the language menu.
func (s *Screens) languages() []Language {
	var list []Language
	for _, loc := range s.Catalogue.Locales() {
		list = append(list, Language{ID: loc, Name: s.Catalogue.Text(loc, "common.language", nil)})
	}
	return list
}

// here returns the path to which the language menu of a page leads back. It
// repeats only what the page understood, so that a link cannot put words on a
// page. The response to a form has the page of the form. On the way to a provider
// and back, and from a form to another address, there is no page: the menu leads to the sign-in page.
func (s *Screens) here(r *http.Request, b Boot) string {
	page := cmp.Or(s.pageOf[r.URL.Path], r.URL.EscapedPath())
	switch {
	case page == pages.Error:
		next, _ := url.Parse(b.Next)
		return pages.With(page, url.Values{"code": {b.Errors.Code}, "request": {b.Errors.RequestID}, "return_to": {next.Query().Get("return_to")}})
	case page == pages.Authorize && b.Client.Request != "", page == pages.EndSession && b.Client.Request != "":
		return page + "?" + b.Client.Request
	case strings.HasPrefix(page, pages.Root+"/provider/"), b.Screen == ScreenLeaving.String():
		page = pages.SignIn
	case b.Screen == ScreenSignOut.String():
		page = pages.EndSession
	}
	asked := r.URL.Query()
	again, id, way := "", b.Flow.ID, ""
	if asked.Get("again") != "" {
		again = "1"
	}
	if id == "" && ids.Valid(asked.Get("flow")) {
		id = asked.Get("flow")
	}
	if slices.Contains([]string{form.WayApp, form.WayPasskey, form.WayRecovery}, asked.Get("way")) {
		way = asked.Get("way")
	}
	return pages.With(page, url.Values{"return_to": {b.ReturnTo}, "flow": {id}, "again": {again}, "way": {way}, "link": {b.Link.onSignUp(page)}})
}

package screens

import (
	"net/http"
	"slices"
	"strings"

	"portico/internal/pages"
	"portico/internal/server"
)

// mountSpellings redirects other spellings of a screen's path, with their
// query: /auth, and a slash at the end.
func (s *Screens) mountSpellings(m *server.Mux) {
	m.Handle("GET "+pages.Root, spelled("signin"))
	m.Handle("GET "+pages.Root+"/{$}", spelled("signin"))
	m.Handle("GET "+pages.Account+"/{section}/{$}", func(w http.ResponseWriter, r *http.Request) error {
		if !slices.Contains(Names(), "account-"+r.PathValue("section")) {
			return server.RouteMissing
		}
		return spelled("account/"+r.PathValue("section"))(w, r)
	})
	m.Handle("GET "+pages.Root+"/{screen}/{$}", func(w http.ResponseWriter, r *http.Request) error {
		name := r.PathValue("screen")
		if name == "error" || name == "leaving" || strings.HasPrefix(name, "account-") || !slices.Contains(Names(), name) {
			return server.RouteMissing
		}
		return spelled(name)(w, r)
	})
}

// spelled redirects to the path of a screen.
func spelled(screen string) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Location", withQuery(pages.Root+"/"+screen, r))
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil
	}
}

// withQuery returns the address of a page with the query of a request.
func withQuery(page string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return page
	}
	return page + "?" + r.URL.RawQuery
}

package screens

import (
	"net/http"
	"slices"

	"portico/internal/server"
	"portico/internal/server/door"
)

// mountSpellings leads from what people make of an address to the screen: from
// /auth, and from a slash at the end. What the query says goes along.
func (s *Screens) mountSpellings(m *server.Mux) {
	m.Handle("GET /auth", spelled("signin"))
	m.Handle("GET /auth/{$}", spelled("signin"))
	m.Handle("GET /auth/{screen}/{$}", func(w http.ResponseWriter, r *http.Request) error {
		name := r.PathValue("screen")
		if name == "error" || name == "leaving" || !slices.Contains(door.Screens(), name) {
			return server.RouteMissing
		}
		return spelled(name)(w, r)
	})
}

// spelled leads to a screen by its own address.
func spelled(screen string) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		to := "/auth/" + screen
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil
	}
}

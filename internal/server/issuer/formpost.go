package issuer

import (
	"html/template"
	"net/http"
	"net/url"

	"portico/internal/server"
)

// postBack sends an answer to a client in the body of a form (OAuth 2.0 Form Post
// Response Mode).
func (h *Handler) postBack(w http.ResponseWriter, r *http.Request, to string, values url.Values) error {
	host := to
	if u, err := url.Parse(to); err == nil && u.Host != "" {
		host = u.Host
	}
	page := server.PostForm{
		To: template.URL(to), Host: host, Values: values, // registered, so its scheme is no script
		Lead: values.Has("code"), // an error may mean that the user is not signed in
	}
	return page.Write(w, h.Actions.Catalogue, h.Actions.Locale(w, r))
}

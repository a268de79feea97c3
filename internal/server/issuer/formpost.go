package issuer

import (
	"html/template"
	"net/http"
	"net/url"

	"portico/internal/openid"
	"portico/internal/server"
)

// postBack sends an answer to a client in the body of a form (OAuth 2.0 Form Post
// Response Mode).
func (h *Handler) postBack(w http.ResponseWriter, r *http.Request, request openid.Request, values url.Values) error {
	page := server.PostForm{
		To: template.URL(request.RedirectURI), Host: request.Host(), Values: values, // registered, so its scheme cannot run a script
		Lead: values.Has("code"), // an error may mean that the user is not signed in
	}
	return page.Write(w, h.Actions.Catalogue, h.Actions.Locale(w, r))
}

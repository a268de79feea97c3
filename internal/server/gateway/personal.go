package gateway

import (
	"net/http"
	"slices"
	"strings"

	"portico/internal/apikey"
	"portico/internal/server"
)

// personal returns the personal access token of a request. It reads nothing unless some app takes them. A request
// with one counts by it alone, and never reaches an app that the token is not for: that app could use it elsewhere.
func (g *Gateway) personal(r *http.Request) (text string, sent bool) {
	if !g.personals {
		return "", false
	}
	for _, line := range r.Header["Authorization"] {
		if text, ok := bearerOf(line); ok && strings.HasPrefix(text, apikey.PersonalPrefix) {
			if len(r.Header["Authorization"]) > 1 {
				text = ""
			}
			return text, true
		}
	}
	return "", false
}

// bearerOf returns the token of an Authorization line.
func bearerOf(line string) (token string, ok bool) {
	scheme, token := server.Credentials(line)
	return token, strings.EqualFold(scheme, "Bearer")
}

// takesPersonal reports whether any app takes personal access tokens.
func takesPersonal(apps []App) bool {
	return slices.ContainsFunc(apps, func(a App) bool { return a.Personal })
}

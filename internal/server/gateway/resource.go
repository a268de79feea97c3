package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"portico/internal/apikey"
	"portico/internal/fault"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/session"
)

// metadataPath, with the path of the app behind it, has the metadata of an app that
// takes access tokens (RFC 9728 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// metadataAge is how long clients may keep that document, in seconds.
const metadataAge = 300

// ResourceOf returns the name of an app as a resource server: its address. The address
// of a whole host ends with a slash, as programs write it that parse it.
func ResourceOf(proto, host, path string) string { return proto + "://" + host + path }

// resourceAt returns the app whose metadata a path is, or nil.
func (g *Gateway) resourceAt(host, path string) *app {
	rest, ok := strings.CutPrefix(path, metadataPath)
	if !ok {
		return nil
	}
	for _, a := range g.apps {
		if a.Resource != "" && a.Site.Host == host && a.Site.Path == cmp.Or(rest, "/") {
			return a
		}
	}
	return nil
}

// describe writes the metadata of an app, with the server that issues its tokens (RFC 9728 2).
func (g *Gateway) describe(w http.ResponseWriter, a *app) error {
	body, err := json.Marshal(map[string]any{
		"resource": a.Resource, "authorization_servers": []string{g.issuer}, "bearer_methods_supported": []string{"header"},
		"scopes_supported": []string{"openid", "offline_access"},
	})
	if err != nil {
		return err
	}
	h := w.Header()
	server.OpenToAll(w)
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(metadataAge))
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // fails only if the client has gone
	return nil
}

// accessToken returns the token of a request to an app that takes them. Such a request
// counts by its token alone, whatever its cookies say.
func (a *app) accessToken(r *http.Request) (access string, sent bool) {
	lines := r.Header["Authorization"]
	if a.Resource == "" || len(lines) == 0 {
		return "", false
	}
	if access, sent = bearerOf(lines[0]); !sent || len(lines) > 1 {
		return "", sent
	}
	return access, true
}

// bringsOurs reports whether a request brings an app what it could use elsewhere: an API key or a personal
// access token that a program sends to the wrong address, or a token for others. Where nobody needs to be signed in, such a request passes. An app that takes no
// access tokens may check those of OpenID clients itself.
func (g *Gateway) bringsOurs(a *app, h http.Header) bool {
	return slices.ContainsFunc(h["Authorization"], func(line string) bool {
		text, ok := bearerOf(line)
		return ok && (strings.HasPrefix(text, apikey.Prefix) || strings.HasPrefix(text, apikey.PersonalPrefix) || a.Resource != "" && g.Issued(text))
	})
}

// find returns the session of a request to an app. use says that the request uses it now.
func (g *Gateway) find(ctx context.Context, s shown, a *app, use bool) (session.Found, error) {
	switch {
	case s.personal && !a.Personal:
		return session.Found{}, apikey.OtherApp
	case s.personal:
		return g.Actions.Flows.PersonalAt(ctx, s.token, a.Name, use)
	case s.resource != "":
		return g.TokenSession(ctx, s.token, s.resource)
	case use:
		return g.Actions.Flows.Session(ctx, s.token)
	}
	return g.Actions.Flows.PeekSession(ctx, s.token)
}

// byProgram reports whether a refused request comes from a program, which no redirect
// helps. Such a request takes JSON and no page. If the app takes access tokens, every
// request counts that brings one or takes no page. a may be nil.
func (a *app) byProgram(r *http.Request) bool {
	if wantsJSON(r.Header) {
		return true
	}
	return a != nil && a.Resource != "" && (len(r.Header["Authorization"]) > 0 || !strings.Contains(r.Header.Get("Accept"), "text/html"))
}

// invite tells a program where it gets a token for the app (RFC 9728 5.1, RFC 9470 3).
func (g *Gateway) invite(w http.ResponseWriter, r *http.Request, a *app, err error) {
	switch {
	case a == nil || fault.From(err).Kind != fault.Unauthenticated:
		return
	case errors.Is(err, apikey.UnknownPersonal), errors.Is(err, apikey.EndedPersonal):
		w.Header().Set("Www-Authenticate", `Bearer error="invalid_token"`)
		return
	case a.Resource == "":
		return
	}
	line := `Bearer resource_metadata="` + g.originOf(a.Site.Host) + metadataPath + strings.TrimSuffix(a.Site.Path, "/") + `"`
	_, sent := a.accessToken(r)
	switch {
	case !sent:
	case errors.Is(err, rule.FactorMissing):
		line += `, error="insufficient_user_authentication", acr_values="2"`
	case errors.Is(err, rule.TooOld):
		line += `, error="insufficient_user_authentication"`
	default:
		line += `, error="invalid_token"`
	}
	w.Header().Set("Www-Authenticate", line)
}

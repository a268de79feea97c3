package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"portico/internal/origin"
)

// The grants that a client may have.
const (
	grantCode   = "authorization_code"
	grantClient = "client_credentials"
	grantDevice = "device_code"
)

// SignsIn reports whether a client may sign users in.
func (client Client) SignsIn() bool {
	if len(client.Grants) == 0 {
		return len(client.RedirectURIs) > 0 || len(client.Serves) == 0
	}
	return slices.Contains(client.Grants, grantCode)
}

// Machine reports whether a client may have tokens for itself.
func (client Client) Machine() bool { return slices.Contains(client.Grants, grantClient) }

// Device reports whether a client may sign users in on devices without a browser.
func (client Client) Device() bool { return slices.Contains(client.Grants, grantDevice) }

// checkGrants adds problems with what a client may do other than signing users in.
// audiences has the audiences of apps, whose tokens have the same keys.
func (client Client) checkGrants(audiences map[string]string, add func(key, why, write string, others ...string)) {
	at := func(name string) string { return client.Key + "." + name }
	if client.Machine() && client.Public {
		add(at("grants"), "a public client does not authenticate, and any app could get its tokens", "remove client_credentials", at("public"))
	}
	if len(client.OwnScopes) > 0 && !client.Machine() {
		add(at("client_scopes"), "the client gets no tokens for itself", `write grants = ["client_credentials"]`, at("grants"))
	}
	if len(client.RedirectURIs) > 0 && !client.SignsIn() {
		add(at("redirect_uris"), "the client does not sign users in", "remove them, or add authorization_code to grants", at("grants"))
	}
	for i, resource := range client.Resources {
		if app, taken := audiences[resource]; taken {
			add(itemKey(at("resources"), i), "it is the audience of the app "+app+", which has tokens of its own", "give the server another name")
		}
	}
}

var scopeForm = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]{1,100}$`)

// parseScope accepts a scope that Portico gives no meaning (RFC 6749 3.3).
func parseScope(s string) (string, *mistake) {
	if !scopeForm.MatchString(s) || slices.Contains(openIDScopes(), s) {
		return "", &mistake{quoted(s) + " is not a scope for the client itself", "write a scope that your servers define, such as reports:read"}
	}
	return s, nil
}

// parseResource accepts an absolute address without a fragment (RFC 8707 2).
func parseResource(s string) (string, *mistake) {
	s = origin.ASCII(s)
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() || len(s) > 300 || strings.ContainsAny(s, "#\\ ") || u.Opaque == "" && u.Host == "" {
		return "", &mistake{quoted(s) + " is not the name of a server", "write https://api.example.com"}
	}
	return s, nil
}

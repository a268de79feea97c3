package config

import (
	"net/url"
	"strings"

	"portico/internal/origin"
	"portico/internal/pages"
)

// checkAddresses refuses addresses of a client at the host of Portico itself, unless an app behind Portico
// is there. A page of Portico takes no code. At another port of the host, an app would get the cookies
// of Portico from each browser.
func (c *Config) checkAddresses(client Client, add func(key, why, write string, others ...string)) {
	at := func(name string) string { return client.Key + "." + name }
	check := func(key, uri string, visited bool) {
		u, err := url.Parse(uri)
		if c.PublicURL == nil || err != nil || !origin.SameHost(uri, origin.Of(c.PublicURL)) {
			return
		}
		switch {
		case origin.Of(u) == origin.Of(c.PublicURL):
			if !c.serves(u) {
				add(key, uri+" is on the host of Portico, where there is no app", "write the address of the app; for an app behind Portico, add its [[app]] with this path", "public_url")
			}
		case visited:
			add(key, uri+" has the name of Portico's host and a different port, and browsers send cookies to all ports of a name", "give the app a host name of its own", "public_url")
		}
	}
	for i, uri := range client.RedirectURIs {
		check(itemKey(at("redirect_uris"), i), uri, true)
	}
	for i, uri := range client.LogoutReturns {
		check(itemKey(at("post_logout_redirect_uris"), i), uri, true)
	}
	check(at("backchannel_logout_uri"), client.LogoutURI, false)
	check(at("jwks_uri"), client.KeysURI, false)
}

// serves reports whether an app behind Portico gets the requests to an address at the public host.
func (c *Config) serves(u *url.URL) bool {
	if pages.Own(strings.ToLower(u.Path)) {
		return false
	}
	for _, a := range c.Served() {
		if a.Host == c.publicHost() && (a.Path == "/" || u.Path == a.Path || strings.HasPrefix(u.Path, a.Path+"/")) {
			return true
		}
	}
	return false
}

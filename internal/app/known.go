package app

import (
	"net/url"
	"strings"

	"portico/internal/config"
	"portico/internal/openid"
	"portico/internal/origin"
	"portico/internal/rule"
	"portico/internal/server/screens"
)

// knownClient returns what pages say of an OpenID client of the settings. Its first page is that of
// the host to which it lets browsers return.
func knownClient(l *live) func(id string) screens.LinkedApp {
	scheme := publicURL(l.config).Scheme
	return func(id string) screens.LinkedApp {
		client, _ := l.clients.Get(id)
		return screens.LinkedApp{Name: client.Name, Home: homeOf(client, scheme)}
	}
}

// homeOf returns "" for a client on a user's device: it lets browsers return to a scheme of its own,
// or, if this site has https, to a loopback address without it.
func homeOf(client openid.Client, scheme string) string {
	for _, raw := range client.RedirectURIs {
		if u, err := url.Parse(raw); err == nil && (u.Scheme == "https" || u.Scheme == scheme) && u.Host != "" {
			return origin.Of(u) + "/"
		}
	}
	return ""
}

// knownApp returns what pages say of the app at an address, or of an origin to which visitors may
// return: of another host that host, and of a path on this one the name of the app.
func knownApp(cfg config.Config) func(at *url.URL) screens.LinkedApp {
	list, _ := sites(cfg) // Check has found no problems
	served, all, here := cfg.Served(), rule.NewSites(list), publicURL(cfg)
	return func(at *url.URL) screens.LinkedApp {
		elsewhere, from := at.Host != "", origin.Of(here)
		if elsewhere {
			from = origin.Of(at)
		}
		_, host, _ := strings.Cut(from, "://")
		site, i, ok := all.Find(host, at.EscapedPath())
		switch {
		case elsewhere && ok:
			return screens.LinkedApp{Name: host, Home: from + site.Path}
		case elsewhere:
			return screens.LinkedApp{Name: host, Home: from + "/"}
		case !ok:
			return screens.LinkedApp{}
		case site.Path == "/":
			return screens.LinkedApp{Home: "/"}
		}
		return screens.LinkedApp{Name: served[i].Name, Home: site.Path}
	}
}

package app

import (
	"cmp"
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
func knownClient(l *live) func(id string) screens.Known {
	scheme := publicURL(l.config).Scheme
	return func(id string) screens.Known {
		client, _ := l.clients.Get(id)
		return screens.Known{Name: client.Name, Home: homeOf(client, scheme)}
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

// knownApp returns what pages say of an app behind Portico, or of an origin to which visitors may
// return: of another host that host, and of a path on this one the name of the app.
func knownApp(cfg config.Config) func(from, path string) screens.Known {
	list, _ := sites(cfg) // Check has found no problems
	served, all, here := cfg.Served(), rule.NewSites(list), publicURL(cfg)
	return func(from, path string) screens.Known {
		_, host, other := strings.Cut(cmp.Or(from, origin.Of(here)), "://")
		other = other && from != ""
		site, i, ok := all.Find(host, path)
		switch {
		case other && ok:
			return screens.Known{Name: host, Home: from + site.Path}
		case other:
			return screens.Known{Name: host, Home: from + "/"}
		case !ok:
			return screens.Known{}
		case site.Path == "/":
			return screens.Known{Home: "/"}
		}
		return screens.Known{Name: served[i].Name, Home: site.Path}
	}
}

package app

import (
	"strings"

	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/flow"
	"portico/internal/origin"
	"portico/internal/server/form"
	"portico/internal/server/gateway"
)

// gateway builds the gateway for the configured apps.
func (a *App) gateway(l *live, actions *form.Actions, before *gateway.Gateway) (*gateway.Gateway, error) {
	apps, problems := Apps(l.config)
	if len(problems) > 0 {
		return nil, problems
	}
	for i := range apps {
		apps[i].NameUpstream = a.options.Development
	}
	return gateway.New(gateway.Config{
		Actions: actions, Keys: a.Keys, Clock: a.clock, Moved: a.clock.moved, Log: a.log,
		Public: publicURL(l.config), Apps: apps, Holders: a.holders,
		TokenSession: l.OpenID.TokenSession, Issued: l.OpenID.Issued, Before: before,
	}), nil
}

// Apps converts the configured apps for package gateway, or returns their
// problems.
func Apps(cfg config.Config) ([]gateway.App, config.Problems) {
	list, problems := sites(cfg)
	roots, err := egress.Roots(cfg.TLS.CAFile)
	if err != nil { // the file has changed since Check
		problems = append(problems, cfg.Problem("tls.ca_file", err.Error(), "write the path of a file with certificates in PEM"))
	}
	var all []gateway.App
	for i, served := range cfg.Served() {
		a := gateway.App{
			Name: served.Name, Audience: served.Audience, Upstream: served.Upstream, Roots: roots, Personal: served.PersonalTokens,
			Timeout: served.UpstreamTimeout, Silence: served.UpstreamSilence,
			Uploads:        gateway.Uploads{Pace: served.Uploads.Pace, Wait: served.Uploads.Wait, Buffer: int64(served.Uploads.BufferKiB) << 10},
			KeepAllCookies: served.OnUserChange == config.IgnoreChanges,
			KeepCookies:    served.KeepCookies, SignOutURL: served.SignOutURL, ExtraClaims: served.ExtraClaims,
		}
		if served.AccessTokens {
			a.Resource = resourceOf(cfg, served)
		}
		if len(problems) == 0 {
			a.Site = list[i]
		}
		for n, text := range served.Headers {
			h, err := gateway.ParseHeader(text)
			if err != nil {
				_, part, _ := strings.Cut(text, ":")
				one := config.OneFrom(strings.TrimSpace(part), []string{"id", "email", "name", "roles", "token", "session_age"})
				problems = append(problems, cfg.Problem(served.Setting("headers", n), err.Error(), one+" behind a name, such as Remote-User: email"))
			}
			a.Headers = append(a.Headers, h)
		}
		all = append(all, a)
	}
	return all, problems
}

func resourceOf(cfg config.Config, served config.App) string {
	return gateway.ResourceOf(publicURL(cfg).Scheme, served.Host, served.Path)
}

// tokenResources returns the apps that take access tokens, as resource servers.
func tokenResources(cfg config.Config) (list []string) {
	for _, served := range cfg.Served() {
		if served.AccessTokens {
			list = append(list, resourceOf(cfg, served))
		}
	}
	return list
}

// audiences returns the audiences of the apps.
func audiences(cfg config.Config) (list []string) {
	for _, served := range cfg.Served() {
		list = append(list, served.Audience)
	}
	return list
}

// tokenApps returns the apps that take personal access tokens.
func tokenApps(cfg config.Config) (list []flow.TokenApp) {
	for _, served := range cfg.Served() {
		if served.PersonalTokens {
			list = append(list, flow.TokenApp{Name: served.Name, Rules: served.Rules})
		}
	}
	return list
}

// atRoot reports whether an app is at the root of the public host.
func atRoot(cfg config.Config) bool {
	for _, served := range cfg.Served() {
		if served.Path == "/" && onPublicHost(cfg, served) && served.Upstream != nil {
			return true
		}
	}
	return false
}

// onPublicHost reports whether browsers reach the app at the public URL.
func onPublicHost(cfg config.Config, served config.App) bool {
	return publicURL(cfg).Scheme+"://"+served.Host == origin.Of(publicURL(cfg))
}

// appHosts returns the hosts of apps, without the public host.
func appHosts(cfg config.Config) []string {
	var hosts []string
	for _, served := range cfg.Served() {
		if served.Host != "" && !onPublicHost(cfg, served) {
			hosts = append(hosts, served.Host)
		}
	}
	return hosts
}

// asSentHosts returns the hosts of apps that get paths as they are sent.
func asSentHosts(cfg config.Config) (hosts []string) {
	for _, served := range cfg.Served() {
		if served.Paths == config.PathsAsSent {
			hosts = append(hosts, served.Host)
		}
	}
	return hosts
}

// returnOrigins returns the origins that visitors may return to after signing
// in: the configured origins and the apps' own.
func returnOrigins(cfg config.Config) []string {
	origins := append([]string(nil), cfg.ReturnOrigins...)
	for _, host := range appHosts(cfg) {
		origins = append(origins, publicURL(cfg).Scheme+"://"+host)
	}
	return origins
}

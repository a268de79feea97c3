package app

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// behind returns a configuration with two apps on one host and one on another.
func behind() config.Config {
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "https", Host: "portico.test"}
	upstream := &url.URL{Scheme: "http", Host: "127.0.0.1:3000"}
	cfg.App.Upstream, cfg.App.Rules = upstream, []string{"public GET /static/*", "role:admin /admin/*", "signed-in /*"}
	cfg.Apps = []config.App{
		{Name: "shop", Path: "/shop", Upstream: upstream, Key: "app.1"},
		{Name: "wiki", Host: "wiki.test", Path: "/", Upstream: upstream, Rules: []string{"public GET /*", "signed-in POST /*"}, Key: "app.2"},
		{Name: "registry", Host: "npm.test", Path: "/", Upstream: upstream, Paths: config.PathsAsSent, Rules: []string{"role:x /@x/secret", "signed-in /@x/*", "public GET /*"}, Key: "app.3"},
	}
	return cfg
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"GET /static/a.css":                       "app 1",
		"GET https://portico.test/ADMIN":          "app 2",
		"GET https://Portico.test:443/x?y=/admin": "app 3",
		"DELETE https://portico.test":             "app 3",
		"GET /shop/cart":                          "shop 1",
		"GET /shop":                               "shop 1",
		"GET /shopping":                           "app 3",
		"GET https://wiki.test/a#b":               "wiki 1",
		"PUT https://wiki.test/a":                 "wiki 0",
		"PREFLIGHT https://wiki.test/a":           "wiki 0",
		"GET https://elsewhere.test/":             "neither the host of public_url",
		"GET https://wiki.test/auth/signin":       " 0",
		"GET /auth":                               " 0",
		"GET /static/../admin":                    "segment",
		"GET /static/..%2fadmin":                  "percent-encodes a slash",
		"GET https://portico.test//admin":         "segment",
		"TRACE /":                                 "not a method",
		"GET https://npm.test/@x%2fsecret":        "registry 3",
		"GET https://npm.test/@x%2f../secret":     "percent-encodes a slash",
	} {
		method, target, _ := strings.Cut(request, " ")
		e, err := Explain(behind(), method, target)
		if err != nil {
			t.Errorf("%s: %v", request, err)
			continue
		}
		got := e.Refused
		if got == "" {
			got = e.App + " " + string(rune('0'+e.Decides))
		}
		if got != want && (e.Refused == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
	e, err := Explain(behind(), "GET", "https://npm.test/@x%2fsecret")
	if err != nil || e.Path != "/@x%2Fsecret" || len(e.Others) != 1 || e.Others[0].Path != "/@x/secret" || len(e.Others[0].Steps) != 1 || e.Need.And == nil || e.Need.And.Roles == nil {
		t.Errorf("a path with two readings: %+v, %v", e, err)
	}
	if _, err := Explain(behind(), "GET", "admin"); err == nil || !strings.Contains(err.Error(), "write https://") {
		t.Errorf("neither a URL nor a path: %v", err)
	}
	if _, err := Explain(config.Default(), "GET", "/"); err == nil || !strings.Contains(err.Error(), "set upstream") {
		t.Errorf("no app: %v", err)
	}
}

// A mistake in a rule is a problem with the line of that rule.
func TestCheck_Rules(t *testing.T) {
	t.Parallel()
	cfg := behind()
	cfg.App.Rules = []string{"signed-in /*", "role:admin /admin/*"}
	cfg.Apps[1].Rules = []string{"everybody /*"}
	err := Check(cfg)
	for _, want := range []string{
		"rules.2: (role:admin /admin/*) it can never match: rule 1 (signed-in /*) decides first: write it before",
		"app.2.rules.1: (everybody /*) everybody is not a requirement: write public",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("problems %v, want one with %q", err, want)
		}
	}
}

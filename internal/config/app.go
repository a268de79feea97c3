package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/origin"
	"portico/internal/pages"
)

// appArray and clientArray are the arrays of tables that hold the apps and the
// OpenID clients.
const (
	appArray    = "app"
	clientArray = "client"
)

// tableArrays returns the names of the arrays of tables.
func tableArrays() []string { return []string{appArray, clientArray} }

// defaultApp names the app of the setting upstream.
const defaultApp = "app"

const (
	defaultTimeout = time.Minute     // until the response begins
	defaultSilence = 5 * time.Second // without any response while requests wait
)

func defaultUploads() Uploads { return Uploads{Pace: 500, Wait: 20 * time.Second} }

// The values of App.Paths.
const (
	StrictPaths = "strict"
	PathsAsSent = "as-sent"
)

const aboutPaths = "`strict`: a path that two programs could read differently is answered 400. `as-sent`: the app also receives paths with `%2F`, `%2E`, `;` and `//`, unchanged, if the rules let the request pass under every way in which an app may read the path. GitLab, RabbitMQ and npm registries need it. See [Paths as they are sent](../integrating/rules.md#paths-as-they-are-sent)."

func appKey(n int) string { return appArray + "." + strconv.Itoa(n) }

// itemKey returns the key under which sources holds the place of a list item.
func itemKey(list string, i int) string { return list + "." + strconv.Itoa(i+1) }

// tableOf returns the array and the number of the table that a key belongs to,
// counted from 1: "app", 2 for app.2.path.
func tableOf(name string) (array string, n int, ok bool) {
	array, rest, _ := strings.Cut(name, ".")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	return array, n, slices.Contains(tableArrays(), array) && err == nil && n > 0 && strconv.Itoa(n) == number
}

// tableKeys returns the settings of the nth table of an array.
func tableKeys(array string, n int) []key {
	if array == clientArray {
		return clientKeys(n)
	}
	return appKeys(n)
}

// app returns the nth app. It appends apps with default settings until there
// are n.
func (c *Config) app(n int) *App {
	for len(c.Apps) < n {
		c.Apps = append(c.Apps, App{Path: "/", Timeout: defaultTimeout, Silence: defaultSilence, Uploads: defaultUploads(), Paths: StrictPaths, OnUserChange: ClearCookies, Key: appKey(len(c.Apps) + 1)})
	}
	return &c.Apps[n-1]
}

// appKeys returns the settings of the nth app.
func appKeys(n int) []key {
	of := func(field func(*App) *string) func(*Config) *string {
		return func(c *Config) *string { return field(c.app(n)) }
	}
	prefix := appKey(n) + "."
	return append([]key{
		text(prefix+"name", of(func(a *App) *string { return &a.Name }), checkAppName,
			"The name of the app in logs, and the default audience of its tokens: lower-case letters, digits and `_`."),
		text(prefix+"host", of(func(a *App) *string { return &a.Host }), checkAppHost,
			"The host of the app in browsers, such as `shop.example.com`, if it differs from the host of `public_url`. The proxy in front must send everything for this host to Portico. An app that you do not trust with the sign-in page needs its own host."),
		text(prefix+"path", of(func(a *App) *string { return &a.Path }), checkAppPath,
			"The path below which the app receives all requests, such as `/shop`, if several apps share a host. The path is passed on unchanged. The longest matching path decides."),
		location(prefix+"upstream", func(c *Config) **url.URL { return &c.app(n).Upstream }, checkUpstream,
			"The address at which the app listens, such as `http://127.0.0.1:3000`. Without it, another proxy forwards requests to the app, and asks `/auth/api/check`."),
		list(prefix+"rules", func(c *Config) *[]string { return &c.app(n).Rules }, anything, sameText,
			"The rules of the app, as in `rules`. Write paths in full, including `path`."),
		text(prefix+"paths", of(func(a *App) *string { return &a.Paths }), oneOf(StrictPaths, PathsAsSent), "Like `paths`, for this app."),
		list(prefix+"headers", func(c *Config) *[]string { return &c.app(n).Headers }, anything, sameText,
			"Like `headers`, for this app."),
		text(prefix+"audience", of(func(a *App) *string { return &a.Audience }), anything,
			"The claim `aud` of tokens for the app. The default is the name of the app."),
		toggle(prefix+"access_tokens", func(c *Config) *bool { return &c.app(n).Tokens },
			"Whether programs may use the app with an access token (`Authorization: Bearer`) instead of a session. The token must be for the address of the app and nothing else (RFC 8707). Portico checks it and tells the app who the user is, as always. A refused program learns where to get a token (RFC 9728). See [Apps that programs use](../integrating/openid.md#apps-that-programs-use)."),
		duration(prefix+"timeout", func(c *Config) *time.Duration { return &c.app(n).Timeout }, time.Second, time.Hour,
			"How long the app may take to begin its response. After that, the user sees an error page. The duration of the response itself is not limited."),
		duration(prefix+"silence", func(c *Config) *time.Duration { return &c.app(n).Silence }, 4*time.Second, time.Hour, aboutSilence),
		text(prefix+"on_user_change", of(func(a *App) *string { return &a.OnUserChange }), oneOf(userChanges()...), aboutUserChange),
		list(prefix+"keep_cookies", func(c *Config) *[]string { return &c.app(n).KeepCookies }, parseCookieName, sameText, aboutKeepCookies),
		text(prefix+"sign_out_url", of(func(a *App) *string { return &a.SignOutURL }), checkSignOutURL, aboutSignOutURL),
	}, uploadKeys(prefix, func(c *Config) *Uploads { return &c.app(n).Uploads })...)
}

// uploadKeys returns the settings for request bodies of one app.
func uploadKeys(prefix string, of func(*Config) *Uploads) []key {
	return []key{
		number(prefix+"body_pace", func(c *Config) *int { return &of(c).Pace }, 0, 1<<30,
			"The minimum average speed of a request body, in bytes per second; 0 allows any speed. A slower upload is answered 408, and the app's connection is freed. Only the time during which Portico waits for the client counts. There is no limit for WebSockets, event streams, and a signed-in user's body without a declared length, such as a gRPC stream."),
		duration(prefix+"body_wait", func(c *Config) *time.Duration { return &of(c).Wait }, 100*time.Millisecond, time.Hour,
			"How far an upload may fall behind that speed before it is answered 408."),
		number(prefix+"body_buffer_kib", func(c *Config) *int { return &of(c).BufferKiB }, 0, 16<<10,
			"How much of a request body Portico reads into memory before it calls the app, in KiB. Slow uploads then do not occupy the workers of the app. All bodies for one app use at most 64 MiB; beyond that, data is passed on as it arrives. 0 passes on every body as it arrives."),
	}
}

const aboutSilence = "How long the app may answer nothing at all while requests wait for it. Then Portico sends a request of its own (`HEAD` of the app's path). If that also gets no answer, everybody who waits sees that the app is slow, until it answers again. For an app that serves one request at a time, allow as long as its slowest page takes."

// Served returns every app, including the one of the setting upstream, with
// defaults filled in.
func (c *Config) Served() []App {
	apps := slices.Clone(c.Apps)
	if c.Upstream != nil {
		apps = append(apps, App{
			Name: defaultApp, Path: "/", Upstream: c.Upstream, Rules: c.Rules, Paths: c.Paths, Headers: c.Headers, Timeout: c.UpstreamTimeout, Silence: c.UpstreamSilence, Uploads: c.UpstreamUploads,
			OnUserChange: c.OnUserChange, KeepCookies: c.KeepCookies, SignOutURL: c.SignOutURL,
		})
	}
	for i := range apps {
		a := &apps[i]
		if a.Host == "" {
			a.Host = c.publicHost()
		}
		if a.Audience == "" {
			a.Audience = a.Name
		}
		if len(a.Rules) == 0 {
			a.Rules = []string{"signed-in " + strings.TrimSuffix(a.Path, "/") + "/*"}
		}
	}
	return apps
}

// publicHost returns the host of the public URL as browsers send it, or "".
func (c *Config) publicHost() string {
	if c.PublicURL == nil {
		return ""
	}
	return strings.TrimPrefix(origin.Of(c.PublicURL), c.PublicURL.Scheme+"://")
}

// hostname returns a host without its port.
func hostname(host string) string { return (&url.URL{Host: host}).Hostname() }

// Setting returns the key of a setting of the app: "app.1.rules", or "rules"
// for the app of upstream. An item of 0 or more selects an item of a list; -1
// selects the setting itself.
func (a App) Setting(name string, item int) string {
	if a.Key != "" {
		name = a.Key + "." + name
	}
	if item >= 0 {
		name = itemKey(name, item)
	}
	return name
}

// checkApps adds problems that involve several apps or several settings of one
// app.
func (c *Config) checkApps(add func(key, why, write string, others ...string)) {
	if c.Upstream == nil && len(c.Rules)+len(c.Headers)+len(c.KeepCookies)+len(c.SignOutURL) > 0 {
		add("upstream", "rules, headers, keep_cookies or sign_out_url are set, but there is no app that they are for", "write the address of the app, such as http://127.0.0.1:3000, or use [[app]]")
	}
	names, places := map[string]bool{}, map[string]string{}
	hosts := map[string]string{hostname(c.publicHost()): c.publicHost()} // by their names
	for _, a := range c.Served() {
		at, host, path := a.Setting("upstream", -1), a.Setting("host", -1), a.Setting("path", -1)
		if a.Name == "" {
			add(a.Setting("name", -1), "the app has no name", `write one, such as name = "shop"`)
		}
		if names[a.Name] && a.Name != "" {
			add(a.Setting("name", -1), "another app has the name "+a.Name, "give each app a name of its own")
		}
		place := a.Host + a.Path
		if other, taken := places[place]; taken {
			add(at, fmt.Sprintf("the app %s has the same host and path", other), "give one of them another host or path", host, path, "public_url")
		}
		if other, known := hosts[hostname(a.Host)]; known && other != a.Host {
			add(host, fmt.Sprintf("%s has the same name and a different port, and browsers send cookies to all ports of a name", other), "give the app a host name of its own", "public_url")
		}
		hosts[hostname(a.Host)] = a.Host
		if a.Upstream != nil && sameListener(c.Listen, hostPort(a.Upstream)) {
			add(at, "Portico itself listens on this address", "write the address of the app", "listen")
		}
		a.checkUserChange(add)
		names[a.Name], places[place] = true, a.Name
	}
}

// hostPort returns host:port of an origin. Every loopback name becomes
// 127.0.0.1.
func hostPort(u *url.URL) string {
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = origin.DefaultPort(u.Scheme)
	}
	if origin.IsLoopback(host) {
		host = "127.0.0.1"
	}
	return host + ":" + port
}

func checkAppName(s string) (string, *mistake) {
	if !idForm.MatchString(s) {
		return "", &mistake{fmt.Sprintf("%q is not the name of an app", s), "write lower-case letters, digits and _, such as shop"}
	}
	return s, nil
}

// checkAppHost accepts host or host:port in the form that browsers send.
func checkAppHost(s string) (string, *mistake) {
	s = origin.ASCIIHost(s)
	if strings.ToLower(s) != s || origin.Check("https://"+s) != nil {
		return "", &mistake{fmt.Sprintf("%q is not a host", s), "write the host as browsers send it: shop.example.com, or shop.example.com:8443"}
	}
	return s, nil
}

// checkAppPath checks the form only. The rule package checks the rest of a
// path.
func checkAppPath(s string) (string, *mistake) {
	const write = "write a path such as /shop, without a slash at the end"
	switch {
	case s == "/":
		return s, nil
	case !strings.HasPrefix(s, "/"), strings.HasSuffix(s, "/"), strings.ContainsAny(s, "*%?# "):
		return "", &mistake{fmt.Sprintf("%q is not a path that an app can have", s), write}
	case pages.Own(strings.ToLower(s)):
		return "", &mistake{"paths below /auth belong to Portico", write}
	}
	return s, nil
}

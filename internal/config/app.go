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

// appArray, clientArray and hookArray are the arrays of tables that hold the apps, the
// OpenID clients and the webhooks.
const (
	appArray    = "app"
	clientArray = "client"
	hookArray   = "webhook"
)

// tableArrays returns the names of the arrays of tables.
func tableArrays() []string { return []string{appArray, clientArray, hookArray} }

// The values of App.Paths.
const (
	StrictPaths = "strict"
	PathsAsSent = "as-sent"
)

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
	switch array {
	case clientArray:
		return clientKeys(n)
	case hookArray:
		return hookKeys(n)
	}
	prefix, of := appKey(n)+".", func(c *Config) *App { return c.app(n) }
	return append(placeKeys(prefix, of), appKeys(prefix, of)...)
}

// newApp returns an app with default settings. key is its Key.
func newApp(key string) App {
	return App{
		Path: "/", Paths: StrictPaths, OnUserChange: ClearCookies, Key: key,
		UpstreamTimeout: time.Minute, UpstreamSilence: 5 * time.Second, Uploads: Uploads{Pace: 500, Wait: 20 * time.Second},
	}
}

// app returns the nth app. It appends apps with default settings until there
// are n.
func (c *Config) app(n int) *App {
	for len(c.Apps) < n {
		c.Apps = append(c.Apps, newApp(appKey(len(c.Apps)+1)))
	}
	return &c.Apps[n-1]
}

// placeKeys returns the settings that only an [[app]] has: they tell several apps apart.
func placeKeys(prefix string, of func(*Config) *App) []key {
	return []key{
		text(prefix+"name", func(c *Config) *string { return &of(c).Name }, checkAppName,
			"The name of the app in logs, and the default audience of its tokens: lower-case letters, digits and `_`."),
		text(prefix+"host", func(c *Config) *string { return &of(c).Host }, checkAppHost,
			"The host of the app in browsers, such as `shop.example.com`, if it differs from the host of `public_url`. The proxy in front must send everything for this host to Portico. An app that you do not trust with the sign-in page needs its own host."),
		text(prefix+"path", func(c *Config) *string { return &of(c).Path }, checkAppPath,
			"The path below which the app receives all requests, such as `/shop`, if several apps share a host. The path is passed on unchanged. The longest matching path decides."),
	}
}

// rootApp returns the app whose settings are at the top of the file.
func rootApp(c *Config) *App { return &c.App }

// appKeys returns the settings that every app has.
func appKeys(prefix string, of func(*Config) *App) []key {
	return []key{
		location(prefix+"upstream", func(c *Config) **url.URL { return &of(c).Upstream }, checkUpstream,
			"The address at which the app listens, such as `http://127.0.0.1:3000`. An `[[app]]` without it gets its requests from another proxy, which asks `/auth/api/check`."),
		list(prefix+"rules", func(c *Config) *[]string { return &of(c).Rules }, anything, sameText,
			"The rules for requests to the app, such as `public GET /static/*`, `role:admin+fresh:10m /admin/*` or `signed-in /*`. Write paths in full, including `path`. The first rule that matches decides. A request that matches no rule is refused. Without rules, every signed-in user may pass. While `signup.mode` is `open`, `signed-in` means everybody who signs up. `portico rules explain` shows which rule decides."),
		text(prefix+"paths", func(c *Config) *string { return &of(c).Paths }, oneOf(StrictPaths, PathsAsSent),
			"`strict`: a path that two programs could read differently is answered 400. `as-sent`: the app also receives paths with `%2F`, `%2E`, `;` and `//`, unchanged, if the rules let the request pass under every way in which an app may read the path. GitLab, RabbitMQ and npm registries need it. See [Paths as they are sent](../integrating/rules.md#paths-as-they-are-sent)."),
		list(prefix+"headers", func(c *Config) *[]string { return &of(c).Headers }, anything, sameText,
			"More headers that tell the app who the user is, in addition to `X-Portico-User` and the like. An example is `Remote-User: email`. The part after the colon is one of `id`, `email`, `name`, `roles`, `token`, `session_age`."),
		list(prefix+"extra_claims", func(c *Config) *[]string { return &of(c).ExtraClaims }, parseAppClaim, sameText,
			"Claims that `X-Portico-Token` has in addition, such as `quota=claim.quota` from the [claims of the account](accounts.md#claims), or `tenant='acme'`. Name only what the app needs: the token is a header, and many servers refuse headers beyond 8 KiB."),
		text(prefix+"audience", func(c *Config) *string { return &of(c).Audience }, anything,
			"The claim `aud` of tokens for the app. The default is the `name` of the app, or `app` at the top of the file."),
		toggle(prefix+"access_tokens", func(c *Config) *bool { return &of(c).AccessTokens },
			"Whether programs may use the app with an access token (`Authorization: Bearer`) instead of a session. The token must be for the address of the app and nothing else (RFC 8707). Portico checks it and tells the app who the user is, as always. A refused program learns where to get a token (RFC 9728). See [Apps that programs use](../integrating/openid.md#apps-that-programs-use)."),
		toggle(prefix+"tokens", func(c *Config) *bool { return &of(c).PersonalTokens },
			"Whether users may make personal access tokens for the app, with which their scripts use it (`Authorization: Bearer portico_pat_...`). See [Scripts of a user](../integrating/tokens.md)."),
		duration(prefix+"upstream_timeout", func(c *Config) *time.Duration { return &of(c).UpstreamTimeout }, time.Second, time.Hour,
			"How long the app may take to begin its response, or to read more of the request. After that, the user sees an error page. The duration of the response itself is not limited."),
		duration(prefix+"upstream_silence", func(c *Config) *time.Duration { return &of(c).UpstreamSilence }, 4*time.Second, time.Hour,
			"How long the app may answer nothing at all while requests wait for it, or up to half a second less. For the last 1.5 seconds, a request of Portico's own waits as well (`HEAD` of the app's path). If that also gets no answer, everybody who waits sees that the app is slow, until it answers again. Only `upstream_timeout` applies to a request whose body is longer than 64 KiB or has no declared length. For an app that serves one request at a time, allow a second more than its slowest page takes. `portico dev` has no default, because dev servers compile at the first request: `upstream_timeout` applies alone."),
		number(prefix+"body_pace", func(c *Config) *int { return &of(c).Uploads.Pace }, 0, 1<<30,
			"The minimum average speed of a request body, in bytes per second; 0 allows any speed. A slower upload is answered 408, and the app's connection is freed. Only the time during which Portico waits for the client counts. There is no limit for WebSockets, event streams, and a signed-in user's body without a declared length, such as a gRPC stream."),
		duration(prefix+"body_wait", func(c *Config) *time.Duration { return &of(c).Uploads.Wait }, 100*time.Millisecond, time.Hour,
			"How far an upload may fall behind that speed before it is answered 408."),
		number(prefix+"body_buffer_kib", func(c *Config) *int { return &of(c).Uploads.BufferKiB }, 0, 16<<10,
			"How much of a request body Portico reads into memory before it calls the app, in KiB. Slow uploads then do not occupy the workers of the app. All bodies for one app use at most 64 MiB; beyond that, data is passed on as it arrives. 0 passes on every body as it arrives."),
		text(prefix+"on_user_change", func(c *Config) *string { return &of(c).OnUserChange }, oneOf(userChanges()...),
			"What happens to the app's cookies when a user signs out, or signs in with another account, in the same browser. `clear-cookies`: the app does not receive the previous user's cookies, and the browser deletes them. `sign-out-url`: Portico first requests the app's `sign_out_url` with those cookies, which lets the app end its own session. `nothing`: the cookies reach the app as before. See [two people on one browser](../integrating/user-change.md)."),
		list(prefix+"keep_cookies", func(c *Config) *[]string { return &of(c).KeepCookies }, parseCookieName, sameText,
			"Names of cookies to keep when the user changes, such as a language cookie. Do not list cookies that identify the user."),
		text(prefix+"sign_out_url", func(c *Config) *string { return &of(c).SignOutURL }, checkSignOutURL,
			"The path at which the app signs a user out on a GET request, such as `/logout`. Write it in full, including `path`. `on_user_change = \"sign-out-url\"` requires it."),
	}
}

// Served returns every app, including the one at the top of the file, with
// defaults filled in.
func (c *Config) Served() []App {
	apps := slices.Clone(c.Apps)
	if c.App.Upstream != nil {
		apps = append(apps, c.App)
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
// for the app at the top of the file. An item of 0 or more selects an item of a list; -1
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
	if given := c.givenToApp(); c.App.Upstream == nil && len(given) > 0 {
		add("upstream", "it is missing, and there are settings for its app: "+strings.Join(given, ", "), "write the address of the app, such as http://127.0.0.1:3000, or use [[app]]")
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

// givenToApp returns the settings of the app at the top of the file that do not have their default.
func (c *Config) givenToApp() (names []string) {
	byDefault := Default()
	for _, k := range appKeys("", rootApp) {
		if k.get(c) != k.get(&byDefault) {
			names = append(names, k.name)
		}
	}
	return names
}

// Server names what answers for the app: its upstream, or "" for another proxy.
func (a App) Server() string {
	if a.Upstream == nil {
		return ""
	}
	return hostPort(a.Upstream)
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

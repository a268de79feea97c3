package config

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"portico/internal/origin"
)

// checkPublicURL accepts an origin. A path is refused because Portico owns all
// paths below it. Plain http is refused except on loopback, because passwords
// would cross the network unencrypted.
func checkPublicURL(s string) (*url.URL, *mistake) {
	const write = "write https://host or https://host:port, without a path"
	u, m := parseOrigin(s, write)
	if m != nil {
		return nil, m
	}
	if u.Scheme == "http" && !origin.IsLoopback(u.Hostname()) {
		return nil, &mistake{s + " would send passwords unencrypted", write + "; http is allowed for localhost only"}
	}
	return u, nil
}

func checkUpstream(s string) (*url.URL, *mistake) {
	const write = "write http://host:port of the app, without a path"
	u, err := parseURL(s)
	if err != nil || !bare(u) || origin.CheckCalled(origin.Of(u)) != nil {
		return nil, &mistake{"the value is not the address of an app" + flaw(u, err), write}
	}
	return normal(u), nil
}

// checkCollector accepts the address of a collector, which may have a path.
func checkCollector(s string) (*url.URL, *mistake) {
	const write = "write http://host:4318 of the collector, or the whole address"
	u, err := parseURL(s)
	if err != nil || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || origin.CheckCalled(origin.Of(u)) != nil {
		return nil, &mistake{"the value is not the address of a collector", write + ", without a name, a password or a query"}
	}
	return u, nil
}

// checkHeader accepts "Name: value" (RFC 9110 5.1 and 5.5).
func checkHeader(s string) (string, *mistake) {
	name, value, ok := strings.Cut(s, ":")
	if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) || strings.TrimSpace(value) == "" {
		return "", &mistake{"the value is not a header", "write it as Name: value"}
	}
	return s, nil
}

// parseURL reads a URL. A host with umlauts becomes its xn-- form.
func parseURL(s string) (*url.URL, error) { return url.Parse(origin.ASCII(s)) }

// bare reports whether a URL has nothing after its host, and no user.
func bare(u *url.URL) bool {
	return u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && (u.Path == "" || u.Path == "/")
}

// flaw says in parentheses why a URL is not an origin. It shows nothing that may be a
// password.
func flaw(u *url.URL, err error) string {
	switch {
	case err != nil:
		return ""
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return " (it does not begin with https:// or http://)"
	case u.User != nil:
		return " (it names a user)"
	case !bare(u):
		return " (something follows the host)"
	case strings.Contains(u.Host, "_"):
		return " (browsers and certificates do not accept a host with _)"
	}
	return " (" + strconv.Quote(u.Host) + " is not a host)"
}

// parseOrigin reads the origin of a site that browsers visit, and returns it in its normal form.
func parseOrigin(s, write string) (*url.URL, *mistake) {
	u, err := parseURL(s)
	if err != nil || !bare(u) || origin.Check(origin.Of(u)) != nil {
		return nil, &mistake{"the value is not the address of a site" + flaw(u, err), write}
	}
	return normal(u), nil
}

// normal returns the origin of a URL in its normal form.
func normal(u *url.URL) *url.URL {
	scheme, host, _ := strings.Cut(origin.Of(u), "://")
	return &url.URL{Scheme: scheme, Host: host}
}

// parseReturnOrigin accepts an origin, or an origin with *. in place of one
// label. The star needs at least two labels below it, because *.com matches
// domains of strangers.
func parseReturnOrigin(s string) (string, *mistake) {
	const write = "write https://app.example.com or https://*.apps.example.com"
	concrete, wildcard := strings.Replace(s, "://*.", "://x.", 1), strings.Contains(s, "://*.")
	u, m := parseOrigin(concrete, write)
	if m != nil || wildcard && strings.Count(u.Hostname(), ".") < 2 {
		return "", &mistake{quoted(s) + " is not the origin of an app", write}
	}
	if u.Scheme == "http" && !origin.IsLoopback(u.Hostname()) {
		return "", &mistake{s + " does not use https", write + "; http is allowed for localhost only"}
	}
	if wildcard {
		return strings.Replace(origin.Of(u), "://x.", "://*.", 1), nil
	}
	return origin.Of(u), nil
}

func parsePasskeyOrigin(s string) (string, *mistake) {
	const write = "write https://example.net"
	u, m := parseOrigin(s, write)
	if m != nil || u.Scheme != "https" {
		return "", &mistake{quoted(s) + " is not the origin of a site with https", write}
	}
	return origin.Of(u), nil
}

// parseClientOrigin accepts the origin of apps that describe themselves.
func parseClientOrigin(s string) (string, *mistake) {
	const write = "write https://app.example.com"
	u, m := parseOrigin(s, write)
	if m != nil {
		return "", m
	}
	return origin.Of(u), nil
}

func checkReturnDefault(s string) (string, *mistake) {
	u, err := parseURL(s)
	path := err == nil && u.Host == "" && u.Scheme == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.Contains(s, `\`)
	site := err == nil && u.User == nil && origin.Check(origin.Of(u)) == nil
	if !path && !site {
		return "", &mistake{quoted(s) + " is not a page to return to", "write a path such as /app, or a URL of one of return_origins"}
	}
	return origin.ASCII(s), nil
}

func checkIssuer(s string) (string, *mistake) {
	const write = "write the issuer as the provider states it, such as https://id.example.com"
	u, err := parseURL(s)
	if err != nil || u.User != nil || strings.ContainsAny(s, "?#{}") || origin.CheckCalled(origin.Of(u)) != nil {
		return "", &mistake{quoted(s) + " is not an issuer", write}
	}
	if u.Scheme == "http" && !origin.IsLoopback(u.Hostname()) {
		return "", &mistake{s + " does not use https", write}
	}
	return origin.ASCII(s), nil
}

// checkLegal accepts a page on the web. Emails link to it too, so a path is not
// enough.
func checkLegal(s string) (string, *mistake) {
	s = origin.ASCII(s)
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || strings.ContainsAny(s, " \"<>") {
		return "", &mistake{quoted(s) + " is not the address of a page", "write an address such as https://example.com/privacy"}
	}
	return s, nil
}

// checkTermsVersion accepts a short word: it is stored with each account, and is the
// value of a box in a form.
func checkTermsVersion(s string) (string, *mistake) {
	if !versionForm.MatchString(s) {
		return "", &mistake{quoted(s) + " is not a version", "write up to 32 letters, digits, dots and hyphens, such as 2026-01"}
	}
	return s, nil
}

// parseRequire accepts who needs a second factor.
func parseRequire(s string) (string, *mistake) {
	role, ok := strings.CutPrefix(s, "role:")
	if s != RequireAll && !(ok && roleForm.MatchString(role)) {
		return "", &mistake{quoted(s) + " does not name users", `write "all", or "role:" with the name of a role: "role:admin"`}
	}
	return s, nil
}

// parseClaim accepts a value of amr or acr.
func parseClaim(s string) (string, *mistake) {
	if s == "" || len(s) > 256 {
		return "", &mistake{quoted(s) + " cannot be a value of the claim", "write it as the provider does, such as \"mfa\""}
	}
	return s, nil
}

// checkDatabaseURL checks TLS and leaves other details to the driver. The
// default of libpq, sslmode=prefer, continues unencrypted when the server has
// no TLS.
func checkDatabaseURL(s string) (string, *mistake) {
	if path, ok := strings.CutPrefix(s, "sqlite:"); ok {
		return checkSQLite(path)
	}
	s = origin.ASCII(s)
	u, err := url.Parse(s)
	if strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://") {
		if err != nil || cutShort(u) {
			escapes := cmp.Or(origin.Escapes(s), "@ as %40, / as %2F, ? as %3F, # as %23 and % as %25")
			return "", &mistake{"a character of the user name or the password must be escaped", "write " + escapes}
		}
	}
	if err != nil || u.Opaque != "" || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", &mistake{"the value is neither SQLite nor PostgreSQL", "write sqlite:PATH or postgres://user:password@host/name?sslmode=verify-full"}
	}
	modes := []string{"verify-full", "verify-ca", "require", "disable"}
	if host := otherHost(u); host != "" && !slices.Contains(modes, u.Query().Get("sslmode")) {
		return "", &mistake{"the connection to " + host + " could silently continue without TLS",
			"add ?sslmode=verify-full, or ?sslmode=disable if nobody else has access to the network between"}
	}
	return s, nil
}

// otherHost returns the host of a PostgreSQL URL, or "" if it is this machine. The driver
// prefers the parameter.
func otherHost(u *url.URL) string {
	host := cmp.Or(u.Query().Get("host"), u.Hostname())
	if origin.IsLoopback(host) || strings.HasPrefix(host, "/") {
		return ""
	}
	return host
}

// checkSQLite accepts a path, and an absolute one after two slashes, as other programs
// write it.
func checkSQLite(path string) (string, *mistake) {
	if rest, isURL := strings.CutPrefix(path, "//"); isURL && rest != "" && rest[0] != '/' {
		return "", &mistake{"what follows // in a URL is a host, and a file has no host", "write sqlite:" + rest + ", or sqlite:///" + rest + " for an absolute path"}
	} else if isURL {
		path = rest
	}
	switch path {
	case ":memory:":
		return "", &mistake{"an installation is kept in a file", "write sqlite:PATH, such as sqlite:portico-data/portico.db"}
	case "":
		return "", &mistake{"the path is missing", "write sqlite:PATH, such as sqlite:portico-data/portico.db"}
	}
	return "sqlite:" + path, nil
}

// cutShort reports whether an @ appears after the host. Then the parsed host is a part of
// the password, and no message may show it.
func cutShort(u *url.URL) bool {
	at := func(s string) bool { return strings.Contains(s, "@") }
	name, _, _ := strings.Cut(u.RawQuery, "=")
	return at(u.Path) || at(u.Fragment) || at(name)
}

// redactURL returns a URL with its passwords hidden.
func redactURL(s string) string {
	if strings.HasPrefix(s, "sqlite:") || s == "" {
		return s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" && u.Path == "" {
		return hide(s) // without slashes, any part can be the password
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), hidden)
	}
	q := u.Query()
	for name := range q {
		if strings.Contains(strings.ToLower(name), "password") {
			q.Set(name, hidden)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// redactQuery hides the query of an address that Portico calls: it may hold a key of the receiver.
func redactQuery(s string) string {
	address, _, asks := strings.Cut(s, "?")
	if asks {
		address += "?" + hidden
	}
	return address
}

// quoted returns a URL for a message. A URL that does not parse, or that names
// a user, can hold a password, so quoted returns "the value" instead.
func quoted(s string) string {
	if u, err := url.Parse(s); err != nil || u.User != nil || strings.Contains(s, "@") {
		return "the value"
	}
	return strconv.Quote(s)
}

// redactHeader returns a header with its value hidden.
func redactHeader(s string) string {
	name, _, ok := strings.Cut(s, ":")
	if !ok {
		return hide(s)
	}
	return name + ": " + hidden
}

// hidden replaces a secret.
const hidden = "hidden"

func hide(s string) string {
	if s == "" {
		return ""
	}
	return hidden
}

// sameListener reports whether two listen addresses collide.
func sameListener(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	return hostA == hostB || isAny(hostA) || isAny(hostB)
}

func isAny(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }

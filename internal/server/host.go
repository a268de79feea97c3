package server

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/origin"
)

// hosts is what the Host header may say. The name never enters an answer; it
// is checked all the same, because an app or a cache behind or before us might
// use it, and because a page of another name that resolves to us (DNS
// rebinding) must not be served.
type hosts struct {
	origin  string            // scheme://host[:port] as browsers write it
	public  string            // host[:port] as browsers send it
	aliases map[string]string // other spellings that are us, and the hosts of apps, to their one spelling
}

func newHosts(public *url.URL, apps []string) hosts {
	h := hosts{origin: origin.Of(public), aliases: map[string]string{}}
	scheme, hostport, _ := strings.Cut(h.origin, "://")
	h.public = hostport
	port := public.Port()
	if port == "" {
		port = origin.DefaultPort(scheme)
	}
	names := []string{strings.TrimSuffix(h.public, ":"+port)}
	if origin.IsLoopback(public.Hostname()) {
		names = append(names, "localhost", "127.0.0.1", "[::1]")
	}
	for _, name := range names {
		h.aliases[name+":"+port] = h.public
		if port == origin.DefaultPort(scheme) {
			h.aliases[name] = h.public
		}
	}
	for _, app := range apps {
		h.aliases[app] = app
		if !strings.Contains(app[strings.LastIndexByte(app, ']')+1:], ":") {
			h.aliases[app+":"+origin.DefaultPort(scheme)] = app
		}
	}
	return h
}

// check refuses a foreign host, and puts the one spelling of any other into the
// request. A browser that asks for a document under
// another loopback name is sent to the public one, because cookies and the
// cross-origin guard hold for that alone; the URL to go to is returned.
func (h hosts) check(r *http.Request) (to string, err error) {
	if r.Host == h.public {
		return "", nil
	}
	host := strings.ToLower(r.Host)
	one, known := h.aliases[host]
	switch {
	case host == h.public:
		one = host
	case !known:
		return "", errHost
	case one == h.public && isLoopbackHostPort(host) && wantsDocument(r) && isSafe(r.Method):
		return h.origin + r.URL.RequestURI(), nil
	}
	r.Host = one
	return "", nil
}

func isLoopbackHostPort(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return origin.IsLoopback(host)
}

// wantsDocument reports whether a browser asks for something to show. It says so
// itself, or is too old to; then what it accepts has to tell.
func wantsDocument(r *http.Request) bool {
	if mode := r.Header["Sec-Fetch-Mode"]; len(mode) > 0 && mode[0] != "navigate" {
		return false
	}
	return !strings.HasPrefix(r.URL.Path, apiPrefix) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

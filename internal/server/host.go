package server

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/origin"
)

// hosts lists the accepted values of the Host header. Responses never contain
// the header. It is checked because an app or a cache may use it, and because a
// foreign name that resolves to this server (DNS rebinding) must not get a
// page.
type hosts struct {
	origin  string            // scheme://host[:port] in normal form
	public  string            // host[:port] as browsers send it
	aliases map[string]string // other accepted spellings, and hosts of apps, with their normal form
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

// check refuses a foreign host and normalizes any other one in the request. For
// a document under another loopback name it returns the URL at the public host
// to redirect to, because cookies and the cross-origin guard work only there.
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

// originOf returns the origin of the host that a request asks, which check has normalized.
func (h hosts) originOf(r *http.Request) string {
	scheme, _, _ := strings.Cut(h.origin, "://")
	return scheme + "://" + r.Host
}

func isLoopbackHostPort(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return origin.IsLoopback(host)
}

// wantsDocument reports whether a browser requests a page. It reads
// Sec-Fetch-Mode, and Accept, because older browsers do not send
// Sec-Fetch-Mode.
func wantsDocument(r *http.Request) bool {
	if mode := r.Header["Sec-Fetch-Mode"]; len(mode) > 0 && mode[0] != "navigate" {
		return false
	}
	return !strings.HasPrefix(r.URL.Path, apiPrefix) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

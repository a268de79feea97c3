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
	origin  string          // scheme://host[:port] as browsers write it
	public  string          // host[:port] as browsers send it
	aliases map[string]bool // other spellings that are us
}

func newHosts(public *url.URL) hosts {
	h := hosts{origin: origin.Of(public), aliases: map[string]bool{}}
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
		h.aliases[name+":"+port] = true
		if port == origin.DefaultPort(scheme) {
			h.aliases[name] = true
		}
	}
	return h
}

// check refuses a foreign host. A browser that asks for a document under
// another loopback name is sent to the public one, because cookies and the
// cross-origin guard hold for that alone; the URL to go to is returned.
func (h hosts) check(r *http.Request) (to string, err error) {
	if r.Host == h.public {
		return "", nil
	}
	host := strings.ToLower(r.Host)
	if host == h.public {
		return "", nil
	}
	if !h.aliases[host] {
		return "", errHost
	}
	if isLoopbackHostPort(host) && wantsDocument(r) && isSafe(r.Method) {
		return h.origin + r.URL.RequestURI(), nil
	}
	return "", nil
}

func isLoopbackHostPort(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return origin.IsLoopback(host)
}

// wantsDocument reports whether a browser asks for something to show.
func wantsDocument(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, apiPrefix) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

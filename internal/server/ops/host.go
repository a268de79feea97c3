package ops

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// ownHost refuses a request by a name that somebody else may have in the DNS. A page of such
// a name could let it lead to this listener (DNS rebinding), and the operator's browser would
// read the answer to it. A browser cannot send another Host than the name in its address,
// and over http it sends no other header that tells a page from a scraper.
func (c Config) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.owns(hostname(r.Host)) {
			say(w, http.StatusMisdirectedRequest, "this name may be a stranger's: use the IP address of this node, its host name, or a name in the domain of public_url")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// owns reports whether no stranger can let a name lead here: it is an address, a name that the
// public DNS does not have, or one of the operator's. "" is of HTTP/1.0, which no browser speaks.
func (c Config) owns(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") || private(name) {
		return true
	}
	public := hostname(c.Public)
	if name == public || slices.ContainsFunc(c.Names, func(own string) bool { return hostname(own) == name }) {
		return true
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(public)
	return err == nil && (name == domain || strings.HasSuffix(name, "."+domain))
}

// private reports whether a name ends in a label that is for names within a network: by RFC
// 6762, RFC 8375, RFC 6761 and ICANN, and of the services of Kubernetes.
func private(name string) bool {
	return slices.ContainsFunc([]string{".local", ".home.arpa", ".localhost", ".internal", ".svc"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// hostname returns the name or the address in a Host header or a setting, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

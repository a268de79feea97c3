package gateway

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

const (
	// maxExpiry is the size limit in bytes of the headers that delete cookies.
	// Proxies in front have a limit of 4 KiB for all headers (nginx,
	// proxy_buffer_size).
	maxExpiry = 2200

	maxExpirySegments = 5
	maxExpiryPath     = 120
)

// cookieName returns the name in a pair "name=value".
func cookieName(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return strings.TrimRight(name, " \t")
}

// expire returns the Set-Cookie line that deletes a cookie.
func expire(c deepCookie) string {
	line := c.Name + "=; Path=" + c.Path + "; Max-Age=0"
	if c.Domain != "" {
		line += "; Domain=" + c.Domain
	}
	if folded := strings.ToLower(c.Name); strings.HasPrefix(folded, "__secure-") || strings.HasPrefix(folded, "__host-") {
		line += "; Secure" // browsers refuse this name without Secure
	}
	return line
}

// variantsOf returns the lines that delete all cookies of a name that a browser
// can have sent with a request. There is one line for each path that covers the
// request's, and for the host and each parent domain.
func variantsOf(name, path, host string) []string {
	if strings.HasPrefix(strings.ToLower(name), "__host-") {
		return []string{expire(deepCookie{Name: name, Path: "/"})}
	}
	var lines []string
	for _, domain := range append([]string{""}, domainsOf(host)...) {
		for _, p := range prefixesOf(path) {
			lines = append(lines, expire(deepCookie{name, p, domain}))
		}
	}
	return lines
}

// prefixesOf returns the paths whose cookies match a request path (RFC 6265
// 5.1.4), shortest first.
func prefixesOf(path string) []string {
	prefixes := []string{"/"}
	for i := 1; i < len(path) && i < maxExpiryPath && len(prefixes) < 2*maxExpirySegments; i++ {
		if path[i] == '/' {
			prefixes = append(prefixes, path[:i], path[:i+1])
		}
	}
	if len(path) <= maxExpiryPath && !slices.Contains(prefixes, path) {
		prefixes = append(prefixes, path)
	}
	return prefixes
}

// domainsOf returns the domains whose cookies match a host: the host itself and
// its parent domains. An IP address or a single label has no parents.
func domainsOf(host string) []string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return nil
	}
	var domains []string
	for strings.Contains(host, ".") {
		domains = append(domains, host)
		_, host, _ = strings.Cut(host, ".")
	}
	return domains
}

// covers reports whether a cookie of one path matches every request below
// another path.
func covers(cookie, below string) bool {
	return cookie == "/" || cookie == below || strings.HasPrefix(below, strings.TrimSuffix(cookie, "/")+"/")
}

// defaultPath returns the default path of a cookie (RFC 6265 5.1.4).
func defaultPath(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

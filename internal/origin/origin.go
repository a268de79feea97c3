package origin

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// ErrForm says that a text is not an origin in its canonical spelling.
var ErrForm = errors.New("write scheme://host or scheme://host:port in lower case, without path, user or default port")

// Of returns the origin of an absolute URL as browsers write it: in lower case
// and without the default port of the scheme.
func Of(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Host), ":"+DefaultPort(scheme))
}

// Check returns ErrForm unless s is an http or https origin as Of writes it.
func Check(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !hasHost(u) || Of(u) != s {
		return ErrForm
	}
	return nil
}

// hasHost reports whether the URL has a valid port and a host name that every
// program reads alike.
func hasHost(u *url.URL) bool {
	for i := range len(u.Host) {
		switch c := u.Host[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(".-[]:", c) >= 0:
		default:
			return false
		}
	}
	return u.Hostname() != "" && !strings.HasSuffix(u.Host, ":") && !strings.HasSuffix(u.Hostname(), ".")
}

// DefaultPort returns the port that a scheme uses when its URL names none.
func DefaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// IsLoopback reports whether a host name without port means this machine.
func IsLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

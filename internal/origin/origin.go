package origin

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
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
func Check(s string) error { return check(s, "") }

// CheckCalled is Check for a server that Portico calls and browsers do not: its name may have
// underscores, as the names of containers do.
func CheckCalled(s string) error { return check(s, "_") }

func check(s, more string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !hasHost(u, more) || Of(u) != s {
		return ErrForm
	}
	return nil
}

// hasHost reports whether the URL has a host and a port that every program reads alike. The name may have
// more characters.
func hasHost(u *url.URL, more string) bool {
	name, spelled := u.Hostname(), u.Hostname()
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is6() && addr.Zone() == "" {
		spelled = "[" + name + "]"
	} else if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-"+more) != "" {
		return false
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return false
		}
		spelled += ":" + port
	}
	return name != "" && spelled == u.Host && !slices.Contains(strings.Split(name, "."), "")
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

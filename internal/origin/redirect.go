package origin

import (
	"net/url"
	"strings"
)

// NoReturn says why a text is not an address to which a browser may return with an answer.
type NoReturn string

func (n NoReturn) Error() string { return string(n) }

// The reasons.
const (
	Unreadable   = NoReturn("it is not a URL")
	NotPlain     = NoReturn("it contains a space or a character outside ASCII: percent-encode it in a path, and write a host name in its xn-- form")
	Wildcard     = NoReturn("it contains a *, but addresses are compared as a whole")
	Backslash    = NoReturn("it contains a backslash")
	Fragment     = NoReturn("it contains a fragment (#), and OAuth forbids one here")
	HasUser      = NoReturn("it contains a user name before the host")
	BadHost      = NoReturn("its host or port is missing, or is not in the form that browsers use")
	Insecure     = NoReturn("it does not use https, and http is allowed for loopback addresses only")
	NoScheme     = NoReturn("it does not begin with a scheme such as https://")
	CommonScheme = NoReturn("its scheme is not https, and the scheme of an app is the name of a domain in reverse, with a dot, such as com.example.app")
)

// CheckReturn accepts the address of an OpenID client: an absolute URI without a
// fragment, by https, or by http at a loopback host. A private scheme has a dot (RFC
// 8252 7.1), so that no script scheme is accepted. Its error is a NoReturn.
func CheckReturn(s string) error {
	u, err := url.Parse(s)
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return NotPlain
	case strings.Contains(s, "*"):
		return Wildcard
	case strings.Contains(s, "\\"):
		return Backslash
	case strings.Contains(s, "#"):
		return Fragment
	case err != nil:
		return Unreadable
	case u.User != nil:
		return HasUser
	case u.Scheme == "":
		return NoScheme
	case HasPrivateScheme(u):
		if u.Host != "" && !hasHost(u, "") {
			return BadHost
		}
		return nil
	case u.Scheme != "https" && u.Scheme != "http":
		return CommonScheme
	case Check(Of(u)) != nil:
		return BadHost
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		return Insecure
	}
	return nil
}

// HasPrivateScheme reports whether a URL has a private scheme, which only an app on a user's
// device has.
func HasPrivateScheme(u *url.URL) bool { return strings.Contains(u.Scheme, ".") }

// SameHost reports whether an address is at the host of an origin, at whatever port: browsers send
// the cookies of a host to all of its ports, and users do not tell ports apart. On this machine each port is
// another program's, so there the ports must be the same.
func SameHost(address, site string) bool {
	a, err := url.Parse(address)
	if err != nil || HasPrivateScheme(a) { // an app reads what stands behind its scheme, and no host
		return false
	}
	s, err := url.Parse(site)
	if err != nil || s.Host == "" {
		return false
	}
	if IsLoopback(s.Hostname()) {
		return Of(a) == Of(s)
	}
	return strings.EqualFold(a.Hostname(), s.Hostname())
}

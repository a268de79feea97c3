package origin

import (
	"errors"
	"net/url"
	"strings"
)

var (
	// ErrReturn says that a text is not an address to which a browser may return with
	// an answer.
	ErrReturn = errors.New("it is not an address to return to")

	// ErrPlain says that such an address is http at a host that is not this machine.
	ErrPlain = errors.New("it is not reached by https")
)

// CheckReturn accepts the address of an OpenID client: an absolute URI without a
// fragment, by https, or by http at a loopback host. A private scheme has a dot (RFC
// 8252 7.1), so that no script scheme is accepted.
func CheckReturn(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.User != nil, u.Fragment != "", strings.ContainsAny(s, "#*\\"), strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return ErrReturn
	case u.Scheme == "https" && Check(Of(u)) == nil:
		return nil
	case u.Scheme == "http" && Check(Of(u)) == nil:
		if !IsLoopback(u.Hostname()) {
			return ErrPlain
		}
		return nil
	case HasPrivateScheme(u) && u.Host == "":
		return nil
	}
	return ErrReturn
}

// HasPrivateScheme reports whether a URL has a private scheme, which only an app on a user's
// device has.
func HasPrivateScheme(u *url.URL) bool { return strings.Contains(u.Scheme, ".") }

// SameHost reports whether an address is at the host of an origin, at whatever port: browsers send
// the cookies of a host to all of its ports, and users do not tell ports apart. On this machine each port is
// another program's, so there the ports must be the same.
func SameHost(address, site string) bool {
	a, err := url.Parse(address)
	if err != nil {
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

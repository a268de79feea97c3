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

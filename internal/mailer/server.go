package mailer

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"portico/internal/origin"
)

// Security is the encryption of the connection to the server.
type Security uint8

const (
	StartTLS    Security = iota // STARTTLS, required before any other command (RFC 3207)
	ImplicitTLS                 // TLS from the first byte (RFC 8314)
	Plain                       // unencrypted, only to this machine
)

// Server is the SMTP server that accepts the emails.
type Server struct {
	Host     string
	Port     int
	Security Security
	Username string // "" for no authentication
	Password string
}

// String returns host:port, without the credentials.
func (s Server) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// GoString hides the credentials from %#v.
func (s Server) GoString() string { return s.String() }

// ParseURL parses the URL of an SMTP server: smtp://user:password@host:587
// (STARTTLS is required), smtps://host:465 (TLS from the first byte), or
// smtp://localhost:25?tls=none (only for this machine). Its errors are written
// for the operator and contain no password.
func ParseURL(text string) (Server, error) {
	u, err := url.Parse(origin.ASCII(text))
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		if escapes := origin.Escapes(text); escapes != "" {
			return Server{}, errors.New("a character of the user name or the password must be escaped: write " + escapes)
		}
	}
	if err != nil {
		// url.Error repeats the text, which may contain a password.
		return Server{}, errors.New("the SMTP URL is malformed: write smtp://user:password@host:587, with special characters of the password percent-encoded")
	}
	s := Server{Host: u.Hostname(), Port: 587}
	switch u.Scheme {
	case "smtp":
	case "smtps":
		s.Security, s.Port = ImplicitTLS, 465
	default:
		return Server{}, errors.New("the value is not a mail server: write smtp://user:password@host:587 or smtps://user:password@host")
	}
	if s.Host == "" {
		return Server{}, errors.New("the SMTP URL names no server: write smtp://host:587")
	}
	if (u.Path != "" && u.Path != "/") || u.Fragment != "" {
		return Server{}, errors.New("the SMTP URL continues after the port: remove what follows; only ?tls=none may")
	}
	if strings.HasSuffix(u.Host, ":") {
		return Server{}, errors.New("the port is missing: write smtp://host:587")
	}
	if port := u.Port(); port != "" {
		if s.Port, err = strconv.Atoi(port); err != nil || s.Port < 1 || s.Port > 65535 {
			return Server{}, fmt.Errorf("the port %q of the SMTP URL does not exist: write one from 1 to 65535", port)
		}
	}
	if err := s.applyQuery(u.RawQuery); err != nil {
		return Server{}, err
	}
	return s, s.applyUser(u.User)
}

func (s *Server) applyQuery(query string) error {
	switch {
	case query == "":
		return nil
	case query != "tls=none":
		return errors.New("the SMTP URL has an unknown option: the only option is ?tls=none")
	case s.Security == ImplicitTLS:
		return errors.New("the SMTP URL says smtps:// and tls=none: remove one of them")
	case !loopback(s.Host):
		return fmt.Errorf("tls=none would send emails and the password to %s unencrypted: remove ?tls=none, which is for this machine only (localhost, 127.0.0.1, ::1)", s.Host)
	}
	s.Security = Plain
	return nil
}

func (s *Server) applyUser(user *url.Userinfo) error {
	if user == nil {
		return nil
	}
	s.Username = user.Username()
	s.Password, _ = user.Password()
	if s.Username == "" || s.Password == "" {
		return errors.New("the SMTP URL has half of the credentials: write smtp://user:password@host, or neither")
	}
	return nil
}

// loopback reports whether a host names this machine. dialer checks the
// resolved address again.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

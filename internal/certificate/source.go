package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

// Source provides certificates. It is safe for concurrent use.
type Source interface {
	// TLS returns the settings of a listener.
	TLS() *tls.Config
	// Watch keeps the certificates current until ctx ends.
	Watch(ctx context.Context)
	// States returns the state of each certificate, in the order of the names.
	States() []State
}

// State is the state of the certificate for a name.
type State struct {
	Name    string    // host, or path of the file
	Expires time.Time // zero without a certificate
	Err     error     // why the newest attempt to replace it has failed; nil if it has not
}

// ErrUnknown is the error of a handshake for a name without a certificate.
var ErrUnknown = errors.New("there is no certificate for this name")

// settings returns what all listeners have in common: TLS 1.2 or newer, with
// Go's choice of ciphers, and HTTP/2.
func settings(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), more ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: get,
		NextProtos: append([]string{"h2", "http/1.1"}, more...),
	}
}

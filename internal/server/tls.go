package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"
)

// maxStreams is the maximum number of concurrent requests of one HTTP/2
// connection. Browsers send about a hundred at most.
const maxStreams = 100

// uploadBuffer is how many bytes of bodies an HTTP/2 connection may send before handlers read them. Clients whose apps do
// not read fill it: 128 MiB from one network, where net/http's own 1 MiB makes 512. An upload gets 20 Mbit/s by it at a
// round trip of 100 ms.
const uploadBuffer = 256 << 10

// NewTLSServer returns a server with the limits of NewServer that terminates TLS.
// Browsers may choose HTTP/2, whose requests reach the handler in the same form.
// WebSockets over HTTP/2 (RFC 8441) are not offered: browsers open them over
// HTTP/1.1.
func NewTLSServer(h http.Handler, log *slog.Logger, settings *tls.Config) *http.Server {
	s := NewServer(h, log)
	s.Protocols.SetHTTP2(true)
	s.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams, WriteByteTimeout: StallTimeout,
		MaxReceiveBufferPerConnection: uploadBuffer, MaxReceiveBufferPerStream: uploadBuffer,
	}
	s.TLSConfig = settings
	s.ErrorLog = slog.NewLogLogger(handshakes{log.Handler()}, slog.LevelWarn)
	return s
}

// handshakes logs failed handshakes at debug level: scanners cause them all the
// time.
type handshakes struct{ slog.Handler }

func (h handshakes) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "http: TLS handshake error") {
		r.Level = slog.LevelDebug
		if !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// ToHTTPS returns the handler of the plain HTTP listener: it redirects browsers to the
// same path by https. hosts returns the names that Portico answers, each with
// its origin; the request chooses nothing but one of them.
//
// Requests of programs are refused (ASVS 4.1.2). A redirect would let one with a wrong URL go on sending its secrets
// unencrypted, and nobody would notice.
func ToHTTPS(hosts func() map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		to, known := hosts()[host]
		switch {
		case !known:
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		case checkTarget(r) != nil:
			w.WriteHeader(http.StatusBadRequest)
			return
		case ofProgram(r):
			http.Error(w, "use "+to, http.StatusForbidden)
			return
		}
		w.Header().Set("Location", to+r.RequestURI)
		w.WriteHeader(http.StatusPermanentRedirect)
	})
}

// ofProgram reports whether a request comes from a program: no browser opens a page with it. Other documents below
// /.well-known/ are of apps, or for an authority that follows the redirect.
func ofProgram(r *http.Request) bool {
	_, authorized := r.Header["Authorization"]
	document := func(name string) bool { return strings.HasPrefix(r.URL.Path, "/.well-known/"+name) }
	return authorized || !isSafe(r.Method) || strings.HasPrefix(r.URL.Path, apiPrefix) || document("oauth-") || document("openid-") || document("jwks.json")
}

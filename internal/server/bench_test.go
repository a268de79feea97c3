package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"testing"

	"portico/internal/server"
)

// discard is a ResponseWriter without a reader.
type discard struct{ h http.Header }

func (d discard) Header() http.Header {
	if d.h == nil {
		return http.Header{}
	}
	return d.h
}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// sessionHandler does the work of the session check that concerns this package:
// it reads the cookie and writes JSON.
func sessionHandler(cookie server.Cookie) server.Handler {
	user := map[string]string{"id": "0123456789abcdefghjkmnpqrs"}
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, found := cookie.Read(w, r); !found {
			return nil
		}
		return server.WriteJSON(w, http.StatusOK, user)
	}
}

// sessionCases returns the same handler without a Mux, with one, and with its
// log entry, which a quiet route writes only at debug level.
func sessionCases(b *testing.B) (cases []benchCase, cookieLine string) {
	public, _ := url.Parse("https://portico.test")
	cookie := server.NewCookie(public, "session")
	handler := sessionHandler(cookie)
	mux := func(level slog.Level) http.Handler {
		m := server.NewMux(server.Config{
			PublicURL: public, HSTSSubdomains: true, Catalogue: catalogue(b),
			Log: slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{Level: level})),
		})
		m.Handle("GET /auth/api/session", handler, server.Quiet)
		return m
	}
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _ = handler(w, r) })
	cases = []benchCase{{"bare", bare}, {"kit", mux(slog.LevelInfo)}, {"kit with its log line", mux(slog.LevelDebug)}}
	return cases, "theme=light; " + cookie.Name() + "=3Zk2o4mB3m0hJt8bq4cVtq3c9QkJm0uYw7sQ2m1oX0A"
}

type benchCase struct {
	name string
	h    http.Handler
}

// BenchmarkSession measures what the Mux adds to the session check.
func BenchmarkSession(b *testing.B) {
	cases, cookie := sessionCases(b)
	r := request("GET", "/auth/api/session", "", "Accept: */*", "Cookie: "+cookie)
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.h.ServeHTTP(discard{make(http.Header)}, r)
			}
		})
	}
}

// BenchmarkSessionOverTCP measures the same with net/http: 64 keep-alive
// connections on loopback, whose clients share the cores.
func BenchmarkSessionOverTCP(b *testing.B) {
	cases, cookie := sessionCases(b)
	sent := []byte("GET /auth/api/session HTTP/1.1\r\nHost: portico.test\r\nAccept: */*\r\nCookie: " + cookie + "\r\n\r\n")
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			s := server.NewServer(c.h, slog.New(slog.DiscardHandler))
			go func() { _ = s.Serve(l) }()
			defer s.Close()
			b.SetParallelism(64 / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				conn, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					b.Error(err)
					return
				}
				defer conn.Close()
				in := make([]byte, 4096)
				for pb.Next() {
					if _, err := conn.Write(sent); err != nil {
						b.Error(err)
						return
					}
					if n, err := conn.Read(in); err != nil || !bytes.HasPrefix(in[:n], []byte("HTTP/1.1 200")) {
						b.Errorf("answer %q, %v", in[:n], err)
						return
					}
				}
			})
		})
	}
}

package security

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"portico/internal/config"
)

// ownTLS lets Portico serve TLS, and so HTTP/2, itself.
func ownTLS(t *testing.T) option {
	t.Helper()
	pair := serverTLS(t).Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert := write("cert.pem", "CERTIFICATE", pair.Certificate[0])
	return func(c *config.Config) {
		c.PublicURL = &url.URL{Scheme: "https", Host: "portico.test"}
		c.TLS.CertFile, c.TLS.KeyFile = cert, write("key.pem", "PRIVATE KEY", key)
	}
}

// frames sends one request as frames of HTTP/2, with header fields as they are, and
// returns the status, or nothing if the stream or the connection ends without one.
func (s *site) frames(body string, fields ...[2]string) string {
	s.Helper()
	c, framer := s.http2()
	defer c.Close()
	framer.AllowIllegalWrites = true
	begin(framer, body, fields...)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return ""
		}
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			return f.PseudoValue("status")
		case *http2.RSTStreamFrame:
			return ""
		case *http2.GoAwayFrame:
			if f.ErrCode != http2.ErrCodeNo { // else the answer follows
				return ""
			}
		}
	}
}

// http2 opens a connection of HTTP/2.
func (s *site) http2(settings ...http2.Setting) (net.Conn, *http2.Framer) {
	s.Helper()
	c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, ServerName: "portico.test", NextProtos: []string{"h2"}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if p := c.ConnectionState().NegotiatedProtocol; p != "h2" {
		s.Fatalf("the protocol is %q", p)
	}
	_, _ = c.Write([]byte(http2.ClientPreface))
	framer := http2.NewFramer(c, c)
	_ = framer.WriteSettings(settings...)
	return c, framer
}

// begin sends the first request of a connection.
func begin(framer *http2.Framer, body string, fields ...[2]string) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range fields {
		_ = encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: body == ""})
	if body != "" {
		_ = framer.WriteData(1, true, []byte(body))
	}
}

// SEC-157: a request of HTTP/2 reaches an app as one request of HTTP/1.1, which has
// nothing that HTTP/2 forbids.
func TestSEC157_HTTP2TowardsApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, ownTLS(t), protects(app, publicAndAdmin()...))
	inner := "GET /admin/smuggled HTTP/1.1\r\nHost: portico.test\r\n\r\n"
	request := func(path string, more ...[2]string) [][2]string {
		return append([][2]string{{":method", "POST"}, {":scheme", "https"}, {":authority", "portico.test"}, {":path", path}}, more...)
	}
	if status := s.frames("x", request("/public/right", [2]string{"content-length", "1"})...); status != "200" {
		t.Fatalf("a right request: %s", status)
	}
	for i, more := range [][2]string{
		{"transfer-encoding", "chunked"}, {"connection", "close"}, {"connection", "x-portico-user"}, {"upgrade", "websocket"}, {"keep-alive", "1"}, {"proxy-connection", "close"},
		{"te", "chunked"}, {"content-length", "0"}, {"content-length", "1"}, {"content-length", "-1"}, {"content-length", "99999"},
		{"x-a", "b\r\nTransfer-Encoding: chunked\r\n\r\n" + inner}, {"x-a", "b\nX-Portico-User: evil"}, {"x-a", "b\x00"}, {"x-a: b\r\nx-portico-user", "evil"},
		{"X-A", "b"}, {"x a", "b"}, {"", "b"}, {"x-a ", "b"}, {":path", "/admin/second"}, {":unknown", "b"}, {":protocol", "websocket"}, {"host", "evil.test"},
	} {
		path := fmt.Sprintf("/public/%d", i)
		harmless := more[0] == "te" || more[0] == "host"
		if more[0] == "content-length" { // a request without a body is answered perhaps before the frame that breaks its promise
			harmless = more[1] == "0" || more[1] == "-1"
		}
		if status := s.frames(inner, request(path, more)...); strings.HasPrefix(status, "2") && !harmless {
			t.Errorf("%q: %q is answered with %s", more[0], more[1], status)
		}
	}
	for _, path := range []string{"", "admin/a", "*", "/public/ HTTP/1.1\r\n\r\n" + inner, "/public/\nadmin", "/public/../admin/a", "//admin/a", "/public/%2e%2e/admin/a", "https://portico.test/admin/a", "/admin\x00"} {
		if status := s.frames(inner, request(path)...); strings.HasPrefix(status, "2") {
			t.Errorf("the path %q is answered with %s", path, status)
		}
	}
	for _, authority := range []string{"", "evil.test", "portico.test\r\nX-Portico-User: evil", "portico.test/admin", "a@portico.test", "portico.test:444x"} {
		fields := request("/public/authority")
		fields[2][1] = authority
		s.frames(inner, fields...)
	}
	for _, e := range app.asked() {
		switch {
		case !strings.HasPrefix(e.Target, "/public/"), strings.Contains(e.Target, ".."), e.Host != "portico.test",
			e.Header.Get("X-Portico-User") != "", e.Header.Get("Upgrade") != "", e.Header.Get("Keep-Alive") != "", len(e.Header["Te"]) != 0:
			t.Errorf("the app was asked for %q of %q with %v", e.Target, e.Host, e.Header)
		}
	}
}

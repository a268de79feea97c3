package proxies

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"portico/internal/testform"
)

// connectPreface is the start of a client's HTTP/2 connection (RFC 9113 3.4).
const connectPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// SEC-240: a WebSocket over HTTP/2 (RFC 8441) has no Sec-WebSocket-Key. It
// works, and a page of another origin must not open one.
func socketsOverHTTP2(t *testing.T, p *place, person *visitor) {
	for name, test := range map[string]struct {
		v    *visitor
		from string
	}{"another site": {person, "https://evil.test"}, "no site": {person, "null"}, "a sibling": {person, "https://shop.example.com"}, "nobody": {p.visitor(), origin}} {
		p.app.requests()
		status, enabled := test.v.connect(t, "/app/ws", test.from)
		if status == http.StatusOK || len(p.app.requests()) > 0 {
			t.Errorf("%s: %d (announced: %v)", name, status, enabled)
		}
	}
	status, enabled := person.connect(t, "/app/ws", origin)
	if enabled && status != http.StatusOK {
		t.Errorf("a person: %d", status)
	}
	t.Logf("WebSockets over HTTP/2 announced: %v, a person gets %d", enabled, status)
}

// connect sends an extended CONNECT as a browser does, whether the proxy has
// announced support or not. enabled reports the announcement. The status is 0
// if the proxy refuses the stream.
func (v *visitor) connect(t *testing.T, target, from string) (status int, enabled bool) {
	t.Helper()
	c, err := tls.Dial("tcp", v.proxy, &tls.Config{ServerName: "example.com", NextProtos: []string{"h2"}, InsecureSkipVerify: true}) // the certificate is self-signed
	if err != nil || c.ConnectionState().NegotiatedProtocol != "h2" {
		return 0, false // the proxy does not support HTTP/2
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(testform.Patience))
	framer := http2.NewFramer(c, c)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := io.WriteString(c, connectPreface); err != nil {
		t.Fatal(err)
	}
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0})
	for sent := false; ; {
		frame, err := framer.ReadFrame()
		if err != nil {
			return 0, enabled
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if f.IsAck() {
				continue
			}
			if value, ok := f.Value(http2.SettingEnableConnectProtocol); ok {
				enabled = value == 1
			}
			_ = framer.WriteSettingsAck()
			if !sent {
				sent = true
				v.sendConnect(framer, target, from)
			}
		case *http2.MetaHeadersFrame:
			status, _ = strconv.Atoi(f.PseudoValue("status"))
			return status, enabled
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			return 0, enabled
		}
	}
}

func (v *visitor) sendConnect(framer *http2.Framer, target, from string) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "CONNECT"}, {":protocol", "websocket"}, {":scheme", "https"}, {":path", target}, {":authority", "example.com"},
		{"sec-websocket-version", "13"}, {"origin", from}, {"user-agent", "test"},
	} {
		_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	for name, value := range v.cookies {
		_ = encoder.WriteField(hpack.HeaderField{Name: "cookie", Value: name + "=" + value})
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
}

package doctor

import (
	"context"
	"net"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers DNS queries on a loopback port, by UDP. A name that is not
// there does not exist. Names with the answer "servfail" have a broken server.
type nameServer struct {
	texts map[string][]string // TXT records
	mx    map[string][]string
	conn  net.PacketConn
}

func newNameServer(t *testing.T, texts, mx map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{texts, mx, conn}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return resolverAt(conn.LocalAddr().String())
}

func resolverAt(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", address)
	}}
}

func (s *nameServer) serve() {
	buffer := make([]byte, 4096)
	for {
		n, from, err := s.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		if reply := s.reply(buffer[:n]); reply != nil {
			_, _ = s.conn.WriteTo(reply, from)
		}
	}
}

func (s *nameServer) reply(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type, TTL: 60}
	texts, there := s.texts[name]
	exchangers, receives := s.mx[name]
	switch {
	case len(texts) == 1 && texts[0] == "servfail":
		m.RCode = dnsmessage.RCodeServerFailure
	case !there && !receives:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeTXT:
		for _, text := range texts {
			body := &dnsmessage.TXTResource{}
			for ; len(text) > 255; text = text[255:] { // a record is a list of short strings
				body.TXT = append(body.TXT, text[:255])
			}
			body.TXT = append(body.TXT, text)
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: body})
		}
	case q.Type == dnsmessage.TypeMX:
		for i, host := range exchangers {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.MXResource{Pref: uint16(10 + i), MX: dnsmessage.MustNewName(host)}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

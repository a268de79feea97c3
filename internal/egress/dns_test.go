package egress_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers A and AAAA queries in this process. Each name has a list
// of answers. Every query takes the next one, and the last one stays.
type nameServer struct {
	mu      sync.Mutex
	answers map[string][][]string
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go s.serve(server)
		return client, nil
	}}
}

func (s *nameServer) next(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.answers[name]
	if len(list) > 1 {
		s.answers[name] = list[1:]
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// serve implements DNS over a stream: each message has its length before it.
func (s *nameServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := s.reply(query)
		out := binary.BigEndian.AppendUint16(nil, uint16(len(reply)))
		if _, err := conn.Write(append(out, reply...)); err != nil {
			return
		}
	}
}

func (s *nameServer) reply(query []byte) []byte {
	var msg dnsmessage.Message
	if msg.Unpack(query) != nil || len(msg.Questions) != 1 {
		return nil
	}
	q := msg.Questions[0]
	msg.Response, msg.Additionals = true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
	if q.Type == dnsmessage.TypeA { // the tests' names have IPv4 addresses only
		for _, text := range s.next(q.Name.String()) {
			msg.Answers = append(msg.Answers, dnsmessage.Resource{
				Header: header, Body: &dnsmessage.AResource{A: netip.MustParseAddr(text).As4()},
			})
		}
	}
	out, err := msg.Pack()
	if err != nil {
		return nil
	}
	return out
}

func TestNameServerTakesTurns(t *testing.T) {
	t.Parallel()
	s := &nameServer{answers: map[string][][]string{"id.test.": {{"192.0.2.1"}, {"192.0.2.2"}}}}
	for _, want := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.2"} {
		got, err := s.resolver().LookupHost(t.Context(), "id.test.")
		if err != nil || len(got) != 1 || got[0] != want {
			t.Fatalf("got %v, %v, want %s", got, err, want)
		}
	}
}

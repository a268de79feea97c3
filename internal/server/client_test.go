package server_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"portico/internal/server"
)

// clientOf returns the client address that a handler gets.
func clientOf(t testing.TB, k *kit, peer string, forwarded ...string) string {
	t.Helper()
	r := request("GET", "/client", "")
	r.RemoteAddr = peer
	for _, line := range forwarded {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	var got string
	k.Handle("GET /client", func(_ http.ResponseWriter, r *http.Request) error {
		got = server.ClientAddr(r).String()
		return nil
	})
	k.ServeHTTP(discard{}, r)
	return got
}

func TestClientAddr(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "203.0.113.9:1234", nil, "203.0.113.9"},
		{"an untrusted peer names nobody", "203.0.113.9:1234", []string{"X-Forwarded-For: 198.51.100.1"}, "203.0.113.9"},
		{"a trusted peer without the header", "10.0.0.1:1234", nil, "10.0.0.1"},
		{"a trusted peer", "10.0.0.1:1234", []string{"X-Forwarded-For: 198.51.100.1"}, "198.51.100.1"},
		{"what the client prepends", "10.0.0.1:1234", []string{"X-Forwarded-For: 1.2.3.4, 198.51.100.1"}, "198.51.100.1"},
		{"a chain of trusted proxies", "10.0.0.1:1234", []string{"X-Forwarded-For: 1.2.3.4, 198.51.100.1, 10.0.0.3,10.0.0.2"}, "198.51.100.1"},
		{"several lines are one list", "10.0.0.1:1234", []string{"X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"only trusted hops", "10.0.0.1:1234", []string{"X-Forwarded-For: 10.0.0.7, 10.0.0.2"}, "10.0.0.7"},
		{"a hop that is no address ends the list", "10.0.0.1:1234", []string{"X-Forwarded-For: 198.51.100.1, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"an empty hop ends the list", "10.0.0.1:1234", []string{"X-Forwarded-For: 198.51.100.1,"}, "10.0.0.1"},
		{"ports and brackets", "[fd00::1]:1234", []string{"X-Forwarded-For: [2001:db8::1]:443, 10.0.0.2:80"}, "2001:db8::1"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:1234", []string{"X-Forwarded-For: ::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a zone is dropped", "10.0.0.1:1234", []string{"X-Forwarded-For: fe80::1%eth0"}, "fe80::1"},
		{"too many hops", "10.0.0.1:1234", []string{"X-Forwarded-For: 198.51.100.1" + strings.Repeat(", 10.0.0.2", 40)}, "10.0.0.2"},
		{"headers that are not read", "10.0.0.1:1234", []string{
			"X-Real-IP: 1.2.3.4", "True-Client-IP: 1.2.3.4", "CF-Connecting-IP: 1.2.3.4", "X-Client-IP: 1.2.3.4", "Forwarded: for=1.2.3.4",
		}, "10.0.0.1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := clientOf(t, httpsKit(t), c.peer, c.forwarded...); got != c.want {
				t.Errorf("client %s, want %s", got, c.want)
			}
		})
	}
}

func TestPeerNetwork(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"203.0.113.9":              "203.0.113.9/32",
		"2001:db8:1:2:3:4:5:6":     "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff:4:5:99": "2001:db8:1:2::/64",
	} {
		if got := server.PeerNetwork(netip.MustParseAddr(addr)).String(); got != want {
			t.Errorf("PeerNetwork(%s) = %s, want %s", addr, got, want)
		}
	}
	if got := server.PeerNetwork(netip.Addr{}); got.IsValid() {
		t.Errorf("PeerNetwork of no address = %s, want none", got)
	}
	around := server.AroundPeer(netip.MustParseAddr("2001:db8:1:1ff:3:4:5:6"))
	if around[0].String() != "2001:db8:1:100::/56" || around[1].String() != "2001:db8:1::/48" {
		t.Errorf("AroundPeer = %v", around)
	}
	for _, addr := range []netip.Addr{{}, netip.MustParseAddr("203.0.113.9")} {
		if around := server.AroundPeer(addr); around[0].IsValid() || around[1].IsValid() {
			t.Errorf("AroundPeer(%s) = %v, want none", addr, around)
		}
	}
}

// Whatever a client sends, the client is the untrusted address that the last
// proxy appended.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{"", "1.2.3.4", "unknown", ",,,", "[::1]:80", "1.2.3.4, 10.0.0.1", "for=1.2.3.4;proto=http", "\x00", "[", "fe80::1%25"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		if got := clientOf(t, httpsKit(t), "10.0.0.1:1", "X-Forwarded-For: "+sent+", 198.51.100.7"); got != "198.51.100.7" {
			t.Errorf("client %s after X-Forwarded-For: %q", got, sent)
		}
		if got := clientOf(t, httpsKit(t), "203.0.113.9:1", "X-Forwarded-For: "+sent); got != "203.0.113.9" {
			t.Errorf("an untrusted peer became %s by %q", got, sent)
		}
	})
}

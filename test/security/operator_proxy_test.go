package security

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/egress/egresstest"
)

// Behind a proxy, the address that Portico dials is the proxy's. A stranger must
// not reach a server inside by it. The origins that the operator has named are
// reached, with the operator's own authority.
func TestSEC362_InsideThroughAProxy(t *testing.T) {
	announce(t)
	t.Parallel()
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"client_id": "https://example.com/client.json", "client_name": "App", "redirect_uris": []string{"https://rp3.test/cb"}, "token_endpoint_auth_method": "none"})
	}))
	site.Config.ErrorLog = log.New(io.Discard, "", 0)
	site.StartTLS()
	t.Cleanup(site.Close)
	proxy := egresstest.NewProxy(t, site.Listener.Addr().String(), http.StatusOK)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: site.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	behind := func(c *config.Config) {
		c.OpenID.ClientDocuments, c.HTTPSProxy, c.TLS.CAFile = true, proxy.URL, authority
	}
	s := start(t, behind)
	v := s.visitor().register(fresh("v"))
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	for _, host := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "10.0.0.1", "192.168.0.1", "172.16.0.1:8443", "169.254.169.254", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "0x7f.1", "2130706433",
		"[::ffff:10.0.0.1]", "100.64.0.1", "user@10.0.0.1",
	} {
		id := "https://" + host + "/client.json"
		s.unknown(id, v.authorize(codeRequest("client_id", id, "redirect_uri", "https://rp3.test/cb")))
		s.clock.Advance(11 * time.Minute) // the limit of the network is another test
	}
	if asked := proxy.Asked(); len(asked) > 0 {
		t.Errorf("the proxy was asked for %q", asked)
	}
	s2 := start(t, behind, func(c *config.Config) { c.OpenID.ClientOrigins = []string{"https://example.com"} })
	v2 := s2.visitor().register(fresh("v"))
	if a := v2.authorize(codeRequest("client_id", "https://example.com/client.json", "redirect_uri", "https://rp3.test/cb")); a.status == 422 {
		t.Errorf("an app of the operator's is unknown: %d", a.status)
	}
	if asked := proxy.Asked(); !slices.Equal(asked, []string{"CONNECT example.com:443"}) {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/config"
	"portico/internal/openid/openidtest"
)

// A reload of other settings keeps what was loaded from OpenID clients, which may be down at that moment.
func TestReload_KeepsWhatClientsPublish(t *testing.T) {
	t.Parallel()
	key := openidtest.NewKey(t, jose.EdDSA)
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	var down atomic.Bool
	loads := map[string]*atomic.Int32{"/keys": {}, "/newer": {}, "/client.json": {}}
	var origin string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		loads[r.URL.Path].Add(1)
		switch w.Header().Set("Content-Type", "application/json"); {
		case down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/client.json":
			_, _ = w.Write([]byte(`{"client_id":"` + origin + `/client.json","client_name":"Guest","token_endpoint_auth_method":"none","redirect_uris":["https://app.test/cb"]}`))
		default:
			_, _ = w.Write(keys)
		}
	}))
	t.Cleanup(server.Close)
	origin = server.URL

	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	cfg.OpenID.ClientDocuments, cfg.OpenID.ClientOrigins = true, []string{origin}
	cfg.Clients = []config.Client{{
		ID: "bank", Key: "client.1", IDTokenAlg: "ES256", AccessToken: "opaque", KeysURI: origin + "/keys",
		Grants: []string{"client_credentials"}, OwnScopes: []string{"jobs"},
	}}
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }})
	r := run(t, a)
	cfg.PublicURL = a.Config.PublicURL          // with the port
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	token := func() string {
		claims := openidtest.Assertion(time.Now(), "bank", r.public, nil)
		return r.post("/auth/openid/token", "application/x-www-form-urlencoded", url.Values{
			"grant_type": {"client_credentials"}, "client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
			"client_assertion": {openidtest.Sign(t, jose.EdDSA, jose.JSONWebKey{Key: key, KeyID: "k1"}, claims, nil)},
		}.Encode())
	}
	guest := func() {
		r.get(r.public + "/auth/openid/authorize?" + openidtest.Request("client_id", origin+"/client.json", "redirect_uri", "https://app.test/cb").Encode())
	}
	for _, step := range []struct {
		name  string
		set   func()
		token string
		loads [3]int32 // of keys, of newer keys, of the document
	}{
		{"at the start", func() {}, "200 ", [3]int32{1, 0, 1}},
		{"another setting", func() { cfg.Brand.Name = "Bank"; down.Store(true) }, "200 ", [3]int32{1, 0, 1}},
		{"other keys", func() { cfg.Clients[0].KeysURI = origin + "/newer" }, "503 ", [3]int32{1, 1, 1}},
		{"other guests", func() { cfg.OpenID.ClientOrigins = append(cfg.OpenID.ClientOrigins, "https://app.test") }, "503 ", [3]int32{1, 1, 2}},
	} {
		cfg.Clients = slices.Clone(cfg.Clients) // what runs keeps its own
		step.set()
		if result := a.Reload(t.Context()); len(result.Problems)+len(result.Restart) > 0 {
			t.Fatalf("%s: the reload says %+v", step.name, result)
		}
		if got := token(); !strings.HasPrefix(got, step.token) {
			t.Errorf("%s: the answer is %s, want %s", step.name, got, step.token)
		}
		guest()
		if got := [3]int32{loads["/keys"].Load(), loads["/newer"].Load(), loads["/client.json"].Load()}; got != step.loads {
			t.Errorf("%s: %v loads, want %v", step.name, got, step.loads)
		}
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}

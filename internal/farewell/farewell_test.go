package farewell_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/farewell"
	"portico/internal/openid"
	"portico/internal/outbox"
)

// A client of the settings may have an address in a private network. A guest that names the
// same address is not let through.
func TestSend_Guard(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(inside.Close)
	s := apptest.Start(t, func(c *config.Config) {
		c.Clients = []config.Client{{ID: "rp", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"https://rp.test/cb"}, Scopes: []string{"openid"}, PKCE: true}}
	})
	s.Browser().Open("/auth/signin") // it serves now, and has its keys
	client := openid.Client{ID: "rp", IDTokenAlg: "ES256", LogoutURI: inside.URL}
	named, err := egress.New(egress.Config{Allow: []string{inside.URL}})
	if err != nil {
		t.Fatal(err)
	}
	public, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	sender := farewell.New(farewell.Config{
		Client: named, Guests: public, Keys: s.Keys, Clock: s.Clock, Issuer: s.Origin,
		Find: func(context.Context, string) (openid.Client, bool, error) { return client, true, nil },
	})
	t.Cleanup(sender.Close)
	if err := sender.Send(t.Context(), outbox.Message{ID: "1", To: "rp"}); err != nil || asked.Load() != 1 {
		t.Fatalf("a client of the settings: %v, asked %d times", err, asked.Load())
	}
	client.Guest = true
	if err := sender.Send(t.Context(), outbox.Message{ID: "2", To: "rp"}); !errors.Is(err, egress.ErrRefused) || asked.Load() != 1 {
		t.Errorf("a guest: %v, asked %d times", err, asked.Load())
	}
}

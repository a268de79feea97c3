package issuer_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/farewell"
	"portico/internal/outbox"
	"portico/internal/store"
)

// A client of the settings that does not answer delays no other client.
func TestBackChannel_HangingClient(t *testing.T) {
	t.Parallel()
	const many = 2 * farewell.Parallel
	release, asked := make(chan struct{}), make(chan struct{}, many)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hanging.Close)
	known := newTold()
	client := httptest.NewServer(known)
	t.Cleanup(client.Close)
	s := startFor(t, func(c *config.Config) {
		c.Clients[0].LogoutURI, c.Clients[1].LogoutURI = hanging.URL, client.URL
	})
	known.site = s
	b := s.signedIn("mara@example.org")
	if got := s.token(redemption(s.code(b, "client_id", "other"), "client_id", "other", "client_secret", "other "+rpSecret)); got.StatusCode != 200 {
		t.Fatal(got.text)
	}
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		for range many {
			if err := s.Outbox.Enqueue(t.Context(), tx, outbox.Message{Template: outbox.LogoutTemplate, To: "rp"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range farewell.PerClient {
		<-asked
	}
	s.Clock.Advance(time.Second) // later than these
	b.Send("/auth/signout", nil)
	known.next("other")
	if len(asked) > 0 {
		t.Errorf("%d messages more are under way to the client that does not answer", len(asked))
	}
	close(release)
	known.settled()
	if n := len(asked); n != many-farewell.PerClient {
		t.Errorf("%d of %d messages followed", n, many-farewell.PerClient)
	}
}

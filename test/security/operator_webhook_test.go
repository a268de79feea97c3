package security

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/signature"
	"portico/internal/testform"
)

// The receiver of all events learns no secret of a user, and no address but those of new accounts. Neither the log
// of Portico nor its database has the secret of the webhook.
func TestSEC420_EventsHaveNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	came := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- string(body)
	}))
	t.Cleanup(receiver.Close)
	shared := signature.NewKey()
	s := start(t, func(c *config.Config) {
		c.Webhooks = []config.Webhook{{Name: "shop", URL: receiver.URL, Events: []string{"*"}, Secret: shared, Private: true, Key: "webhook.1"}}
	})
	user, p := s.protected()
	secrets := append([]string{p.secret.Text(), user.cookie("session"), shared, "argon2"}, p.codes...)
	kinds := map[string]bool{}
	for len(kinds) < 2 {
		select {
		case body := <-came:
			_, rest, _ := strings.Cut(body, `"type":"`)
			kind, _, _ := strings.Cut(rest, `"`)
			kinds[kind] = true
			for _, secret := range secrets {
				if strings.Contains(body, secret) {
					t.Errorf("an event has the secret %q: %s", secret, body)
				}
			}
			if strings.Contains(body, "@") && kind != "account.created" {
				t.Errorf("an event has an address: %s", body)
			}
			if !strings.Contains(body, user.id()) {
				t.Errorf("the event of another user: %s", body)
			}
		case <-time.After(testform.Patience):
			t.Fatalf("the events were %v", kinds)
		}
	}
	for _, text := range s.strings(s.database(), `SELECT id || webhook || type || change || actor || answer FROM webhook_delivery`) {
		if strings.Contains(text, "@") || strings.Contains(text, shared) {
			t.Errorf("a row has %q", text)
		}
	}
}

// A receiver without the setting private is not reached at an address inside, also not by a redirect from outside.
func TestSEC421_EventsStayOutside(t *testing.T) {
	announce(t)
	t.Parallel()
	var asked atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(inside.Close)
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusPermanentRedirect)
	}))
	t.Cleanup(away.Close)
	key := signature.NewKey()
	s := start(t, func(c *config.Config) {
		c.Webhooks = []config.Webhook{
			{Name: "inside", URL: inside.URL, Events: []string{"*"}, Secret: key, Key: "webhook.1"},
			{Name: "away", URL: away.URL, Events: []string{"*"}, Secret: key, Private: true, Key: "webhook.2"},
		}
	})
	s.protected()
	db, deadline := s.database(), time.After(testform.Patience)
	for {
		answers := strings.Join(s.strings(db, `SELECT webhook || ' ' || status || ' ' || answer FROM webhook_delivery WHERE failures > 0`), "\n")
		if strings.Contains(answers, "not a public address") && strings.Contains(answers, "away 308") {
			break
		}
		select {
		case <-deadline:
			t.Fatalf("the answers are %q", answers)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server inside was asked %d times", n)
	}
}

package doctor

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/store"
	"portico/internal/webhook"
)

// A receiver is reached as its events are, and gets none. One that has failed for long is named.
func TestWebhook(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	t.Cleanup(s.Close)
	cfg := made(t, settings(t, t.TempDir()))
	cfg.Webhooks = []config.Webhook{
		{Name: "shop", URL: s.URL + "/events?key=hunter2", Key: "webhook.1"},
		{Name: "gone", URL: "https://no-such-name.invalid/", Key: "webhook.2"},
	}
	expect(t, cfg, "webhook shop", Failed, s.URL+" is not called (dial tcp ")
	expect(t, cfg, "webhook shop", Failed, "the request is not allowed to leave: 127.0.0.1 is not a public address): write private = true")
	expect(t, cfg, "webhook gone", Failed, "https://no-such-name.invalid does not answer (")
	const question, former = "question at sign-up", "former system"
	cfg.SignUp.Ask, cfg.SignIn.Legacy, cfg.SignIn.LegacyUntil = s.URL+"/ask", s.URL+"/legacy", time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	expect(t, cfg, question, Failed, "signup.ask_private = true")
	expect(t, cfg, former, Failed, "signin.legacy_private = true")
	cfg.SignUp.AskPrivate, cfg.SignIn.LegacyPrivate = true, true
	expect(t, cfg, question, Failed, "tls.ca_file")
	expect(t, cfg, former, Failed, "is not trusted (tls: ")
	cfg.Webhooks[0].Private = true
	expect(t, cfg, "webhook shop", Failed, "tls.ca_file")
	cfg.TLS.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(cfg.TLS.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, cfg, "webhook shop", OK, "can be reached")
	expect(t, cfg, question, OK, "can be reached")
	expect(t, cfg, former, OK, "can be reached")
	for len(asked) > 0 {
		if got := <-asked; got != "HEAD /" {
			t.Errorf("a receiver was asked for %s", got)
		}
	}
	a, err := app.New(t.Context(), cfg, app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * time.Hour)
	add := func(name string, failures int64) {
		if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
			d := webhook.Delivery{ID: "msg_" + name, Webhook: name, Event: webhook.Event{At: long}, Failures: failures}
			if err := tx.InsertDelivery(t.Context(), d); err != nil {
				return err
			}
			return tx.PostponeDelivery(t.Context(), d)
		}); err != nil {
			t.Fatal(err)
		}
	}
	add("shop", 2)
	add("gone", 0)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	expect(t, cfg, "webhook shop", Warning, "1 waiting, the oldest for 2h0m")
	expect(t, cfg, "webhook shop", Warning, "portico webhook log shop")
	expect(t, cfg, "webhook gone", Warning, "check that it is running")
}

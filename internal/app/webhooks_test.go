package app

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/signature"
	"portico/internal/store"
	"portico/internal/testform"
	"portico/internal/webhook"
)

// A change of an account reaches the receiver over TLS, signed with the secrets of this moment. After a reload the
// webhook has another secret. What waits for a webhook that is gone is deleted.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	type request struct {
		header http.Header
		body   []byte
	}
	came := make(chan request, 100)
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- request{r.Header, body}
	}))
	t.Cleanup(receiver.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := signature.NewKey(), signature.NewKey()
	cfg := settings(t, t.TempDir())
	cfg.TLS.CAFile = authority
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "a@login.test"
	cfg.Webhooks = []config.Webhook{{Name: "shop", URL: receiver.URL + "/events", Events: []string{"account.created", "account.state_changed"}, Secret: first, Private: true, Key: "webhook.1"}}
	next := cfg
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return next, nil }})
	r := run(t, a)
	user := a.create(t, "mara@example.org")
	check := func(kind string, keys ...string) webhook.Payload {
		t.Helper()
		var got request
		select {
		case got = <-came:
		case <-time.After(testform.Patience):
			t.Fatal("no event came")
		}
		var parsed []signature.Key
		for _, text := range keys {
			key, err := signature.ParseKey(text)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, key)
		}
		stamp := json.Number(got.header.Get(signature.HeaderTime))
		at, _ := stamp.Int64()
		want := http.Header{}
		signature.Sign(want, got.header.Get(signature.HeaderID), time.Unix(at, 0), got.body, parsed...)
		if got.header.Get(signature.HeaderSignature) != want.Get(signature.HeaderSignature) {
			t.Errorf("%s is signed %q, want %q", got.body, got.header.Get(signature.HeaderSignature), want.Get(signature.HeaderSignature))
		}
		var p webhook.Payload
		if err := json.Unmarshal(got.body, &p); err != nil || p.Type != kind || p.Data.User != user.ID || p.Data.By != "operator" {
			t.Errorf("%s: %v", got.body, err)
		}
		return p
	}
	p := check("account.created", first)
	if told, _ := p.Data.Account.(map[string]any); told["email"] != "mara@example.org" || told["state"] != "active" {
		t.Errorf("%+v", p)
	}
	next.Webhooks = slices.Clone(cfg.Webhooks)
	next.Webhooks[0].Secret, next.Webhooks[0].SecretNext = second, first
	if result := a.Reload(t.Context()); len(result.Problems) > 0 {
		t.Fatal(result.Problems)
	}
	operator := a.live.Load().Operator
	if err := operator.SetUserState(t.Context(), flow.ByOperator, user.ID, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	if err := operator.SetUserRoles(t.Context(), flow.ByOperator, user.ID, []string{"editor"}); err != nil { // which it does not want
		t.Fatal(err)
	}
	p = check("account.state_changed", second, first)
	if told, _ := p.Data.Account.(map[string]any); told["state"] != "disabled" || told["email"] != nil {
		t.Errorf("%+v", p)
	}
	result, err := a.TestWebhook(t.Context(), flow.ByOperator, "shop")
	if err != nil || result.Status != 200 {
		t.Errorf("a test: %+v, %v", result, err)
	}
	next.Webhooks = []config.Webhook{{Name: "other", URL: receiver.URL, Events: []string{"account.deleted"}, Secret: first, Private: true, Key: "webhook.1"}}
	gone := a.live.Load().hooks[0]
	<-came // the test
	if result := a.Reload(t.Context()); len(result.Problems) > 0 {
		t.Fatal(result.Problems)
	}
	late := webhook.Delivery{ID: "msg_late", Webhook: "shop", Event: webhook.Event{AccountID: user.ID, Type: "account.created"}} // claimed before the reload
	if result := a.sendEvent(t.Context(), gone, late); result.Status != 0 || len(came) > 0 {
		t.Errorf("a webhook that is gone gets an event: %+v", result)
	}
	if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		now := time.Now()
		return tx.InsertDelivery(t.Context(), webhook.Delivery{ID: "msg_waits", Webhook: "other", Event: webhook.Event{At: now.Add(-time.Hour)}, DueAt: now.Add(time.Hour)})
	}); err != nil {
		t.Fatal(err)
	}
	if w := a.figures(t.Context()).Webhooks; len(w) != 1 || w[0].Name != "other" || w[0].Waiting != 1 || w[0].Oldest < time.Hour {
		t.Errorf("the figures are %+v", w)
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Fatal(err)
	}
	a.clock.machine = clock.Skewed{By: 2 * time.Hour}
	if _, _, err := a.live.Load().Operator.Deliveries(t.Context(), "shop", "", 9); !errors.Is(err, webhook.Missing) {
		t.Error("there is a log of a webhook that is gone")
	}
	if err := a.batches(t.Context(), func(tx *store.Tx) (bool, error) { return a.forgetEvents(context.Background(), tx) }); err != nil {
		t.Fatal(err)
	}
	var left []webhook.Delivery
	if err := a.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		left, err = tx.Deliveries(t.Context(), "shop", "", 9)
		return err
	}); err != nil || len(left) > 0 {
		t.Errorf("%d events are left, %v", len(left), err)
	}
	a.end(t)
}

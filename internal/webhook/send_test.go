package webhook_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/webhook"
)

// An answer is shown to whoever may see webhooks: it has no error of the database, and not the address with its query.
func TestSend_AnswersTellNothing(t *testing.T) {
	t.Parallel()
	client, err := egress.New(egress.Config{Timeout: webhook.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	away := errors.New("dial tcp 10.0.0.7:5432")
	s := webhook.Sender{Client: client, Clock: clock.System{}, Account: func(_ context.Context, id, _ string) (any, error) {
		if id == "away" {
			return nil, away
		}
		return nil, nil
	}}
	h := webhook.Hook{Name: "crm", URL: "https://127.0.0.1:1/in?token=hidden"}
	if r := s.Send(t.Context(), h, webhook.Delivery{Event: webhook.Event{AccountID: "away"}}); r.Answer != "Portico could not read the account" || !errors.Is(r.Err, away) {
		t.Errorf("without the database it is %+v", r)
	}
	if r := s.Send(t.Context(), h, webhook.Delivery{Event: webhook.Event{AccountID: "mara"}}); !strings.HasSuffix(r.Answer, "not a public address: write private = true if the receiver is in your network") || strings.Contains(r.Answer, "hidden") {
		t.Errorf("without the receiver it is %+v", r)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if r := s.Send(late, h, webhook.Delivery{}); !strings.HasSuffix(r.Answer, "within ten seconds") {
		t.Errorf("of a slow receiver it is %+v", r)
	}
}

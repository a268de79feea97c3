package admin

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/server/form"
	"portico/internal/webhook"
)

// AdminWebhooks has all webhooks of the settings.
type AdminWebhooks struct {
	Webhooks []AdminWebhook `json:"webhooks"`
}

// AdminWebhook is a receiver of events, without its secrets.
type AdminWebhook struct {
	Name      string      `json:"name"`
	URL       string      `json:"url"`    // without its query
	Events    []string    `json:"events"` // types, or "*"
	Secrets   int         `json:"secrets"`
	State     string      `json:"state" enum:"unused works failing"` // by the last attempt, and failing while an event waits after a failure
	Waiting   int         `json:"waiting"`                           // counted up to 10,000
	OldestAt  form.Moment `json:"oldest_at" empty:"true"`            // of what waits, "" if nothing does
	FailingAt form.Moment `json:"failing_at" empty:"true"`           // of the oldest event that waits after a failure
	TriedAt   form.Moment `json:"tried_at" empty:"true"`             // the last attempt, "" if none is known
	Status    int         `json:"status"`                            // of its answer, 0 without one
	Answer    string      `json:"answer"`                            // its beginning, or what failed
}

// AdminDeliveries is a page of the events of a webhook.
type AdminDeliveries struct {
	Webhook    AdminWebhook    `json:"webhook"`
	Deliveries []AdminDelivery `json:"deliveries"`
	Next       string          `json:"next,omitempty"` // the parameter after of the next page
}

// AdminDelivery is an event on the way to a webhook.
type AdminDelivery struct {
	ID       string      `json:"id"`
	State    string      `json:"state" enum:"waiting held delivered dropped"`
	Type     string      `json:"type"`
	Change   string      `json:"change"` // the name of the record
	Person   string      `json:"person"` // the id of the account
	At       form.Moment `json:"at"`
	DueAt    form.Moment `json:"due_at" empty:"true"` // the next attempt, "" after the end, and while an earlier event of the person waits
	TriedAt  form.Moment `json:"tried_at" empty:"true"`
	EndedAt  form.Moment `json:"ended_at" empty:"true"`
	Failures int64       `json:"failures"`
	Status   int         `json:"status"`
	Answer   string      `json:"answer"`
}

// AdminWebhookAnswer is what a receiver says to a test.
type AdminWebhookAnswer struct {
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status"`
	Answer    string `json:"answer"`
}

// AdminWebhookRetry names an event. Without an id, those that were dropped are sent.
type AdminWebhookRetry struct {
	ID     string `json:"id,omitempty"`
	Before string `json:"before,omitempty"` // of the answer before, which spares those that were dropped again
}

// AdminRetried says how many events were queued again.
type AdminRetried struct {
	Queued int         `json:"queued"`
	More   bool        `json:"more"`   // there may be more that were dropped
	Before form.Moment `json:"before"` // for the next request
}

func webhookOf(w flow.Webhook) AdminWebhook {
	shown := AdminWebhook{
		w.Name, w.Address(), w.Events, len(w.Keys), "unused", w.Waiting, form.MomentOf(w.Oldest), form.MomentOf(w.Failing), form.MomentOf(w.Last.TriedAt), w.Last.Status, w.Last.Answer,
	}
	switch {
	case !w.Failing.IsZero(), !w.Last.TriedAt.IsZero() && w.Last.State != webhook.Delivered:
		shown.State = "failing"
	case !w.Last.TriedAt.IsZero():
		shown.State = "works"
	}
	return shown
}

func deliveryOf(d webhook.Delivery) AdminDelivery {
	shown := AdminDelivery{
		d.ID, string(d.State), d.Type, d.Change, d.AccountID, form.MomentOf(d.At), form.MomentOf(d.DueAt), form.MomentOf(d.TriedAt), form.MomentOf(d.EndedAt), d.Failures, d.Status, d.Answer,
	}
	if d.State != webhook.Waiting {
		shown.DueAt = ""
	}
	return shown
}

func (a *Admin) webhooks(r *http.Request, _ flow.Actor) (AdminWebhooks, error) {
	all, err := a.Operator.Webhooks(r.Context())
	return AdminWebhooks{each(all, webhookOf)}, err
}

func (a *Admin) deliveries(r *http.Request, _ flow.Actor) (shown AdminDeliveries, err error) {
	values, limit, err := paging(r)
	if err != nil {
		return shown, err
	}
	w, page, err := a.Operator.Deliveries(r.Context(), r.PathValue("id"), values["after"], limit)
	return AdminDeliveries{webhookOf(w), each(page.Items, deliveryOf), page.Next}, err
}

func (a *Admin) testWebhook(r *http.Request, by flow.Actor, name string, _ none) (AdminWebhookAnswer, error) {
	result, err := a.System.TestWebhook(r.Context(), by, name)
	return AdminWebhookAnswer{result.Delivered(), result.Status, result.Answer}, err
}

func (a *Admin) retryWebhook(r *http.Request, by flow.Actor, name string, in AdminWebhookRetry) (AdminRetried, error) {
	before, err := timeField("before", in.Before)
	if err != nil {
		return AdminRetried{}, err
	}
	retried, err := a.Operator.RetryWebhook(r.Context(), by, name, in.ID, before)
	return AdminRetried{retried.Queued, retried.More, form.MomentOf(retried.Before)}, err
}

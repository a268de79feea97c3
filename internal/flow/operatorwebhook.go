package flow

import (
	"context"
	"strings"
	"time"

	"portico/internal/audit"
	"portico/internal/webhook"
)

// lookedAt is among how many of the newest events of a webhook the last attempt is looked for.
const lookedAt = 100

// Webhook is a webhook of the settings with its queue.
type Webhook struct {
	webhook.Hook
	webhook.Counts
	Last webhook.Delivery // the last attempt among the newest events; no TriedAt without one
}

// Webhooks returns all webhooks of the settings.
func (f *Operator) Webhooks(ctx context.Context) (all []Webhook, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		for _, h := range f.record.events.Hooks() {
			w, err := f.standing(ctx, tx, h)
			if err != nil {
				return err
			}
			all = append(all, w)
		}
		return nil
	})
	return all, err
}

func (f *Operator) standing(ctx context.Context, tx Tx, h webhook.Hook) (w Webhook, err error) {
	w.Hook = h
	if w.Counts, err = tx.CountDeliveries(ctx, h.Name, webhook.MostCounted); err != nil {
		return w, err
	}
	newest, err := tx.Deliveries(ctx, h.Name, "", lookedAt)
	for _, d := range newest {
		if d.TriedAt.After(w.Last.TriedAt) {
			w.Last = d
		}
	}
	return w, err
}

// Deliveries returns a webhook and a page of its events.
//
// Faults: webhook.Missing, account.BadCursor.
func (f *Operator) Deliveries(ctx context.Context, name, after string, limit int) (w Webhook, page Page[webhook.Delivery], err error) {
	h, err := f.record.events.Hook(name)
	if err != nil {
		return w, page, err
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		if w, err = f.standing(ctx, tx, h); err != nil {
			return err
		}
		page, err = paged(limit, webhook.Delivery.Place, nil, func(most int) ([]webhook.Delivery, error) {
			return tx.Deliveries(ctx, name, after, most)
		})
		return err
	})
	return w, page, err
}

// RetryWebhook sends an event of a webhook again that has ended, or without an id some of those that were
// dropped before a time, zero for now, and records who did.
//
// Faults: as webhook.Queue.Retry.
func (f *Operator) RetryWebhook(ctx context.Context, by Actor, name, id string, before time.Time) (r webhook.Retried, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if r, err = f.record.events.Retry(ctx, tx, name, id, before); err != nil || r.Queued == 0 {
			return err
		}
		detail := name
		if id != "" {
			detail += "," + id
		}
		return f.record.Add(ctx, tx, by.fact(audit.WebhookRetried, "", detail))
	})
	return r, err
}

// TryWebhook records that somebody tries a webhook, and returns the event to send.
//
// Faults: webhook.Missing.
func (f *Operator) TryWebhook(ctx context.Context, by Actor, name string) (h webhook.Hook, d webhook.Delivery, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if h, err = f.record.events.Hook(name); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.WebhookTried, "", name))
	})
	if err == nil {
		kind, _, _ := strings.Cut(by.name, ":")
		d = f.record.events.Try(name, kind)
	}
	return h, d, err
}

package app

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/flow"
	"portico/internal/origin"
	"portico/internal/store"
	"portico/internal/telemetry/metric"
	"portico/internal/webhook"
)

const (
	// forgetAfter leaves time until every node has the settings with a new webhook.
	forgetAfter = time.Hour
	forgetBatch = 100
)

// takeWebhooks builds the webhooks of the settings, with a client that may leave the public network only for
// those that say so.
func (p *parts) takeWebhooks(r *config.Report) (err error) {
	known := []string{webhook.Every}
	for _, t := range flow.EventTypes() {
		known = append(known, t.Name)
	}
	var private []string
	for _, w := range p.config.Webhooks {
		h := webhook.Hook{Name: w.Name, URL: w.URL, Events: w.Events, Keys: signingKeys(r, w.Key+".secret", w.Secret, w.SecretNext)}
		for i, event := range w.Events {
			if !slices.Contains(known, event) {
				r.Add(fmt.Sprintf("%s.events.%d", w.Key, i+1), "there is no event "+event, config.OneFrom(event, known))
			}
		}
		if u, err := url.Parse(w.URL); err == nil && w.Private && w.URL != "" {
			private = append(private, origin.Of(u))
		}
		p.hooks = append(p.hooks, h)
	}
	way, err := Outgoing(p.config)
	if err != nil {
		return err
	}
	way.Allow, way.Timeout = private, webhook.Timeout
	p.hooked, err = egress.New(way)
	return err
}

// prepareWebhooks makes the runner, which exists without webhooks too, because a reload may add one.
func (a *App) prepareWebhooks() {
	u := unit[webhook.Store]{a.Store, func(tx *store.Tx) webhook.Store { return tx }}
	a.events = webhook.NewRunner(webhook.RunnerConfig{
		Clock: a.clock, Log: a.log,
		Hooks: func() []webhook.Hook { return a.live.Load().hooks },
		Write: u.Write, Read: u.Read, Send: a.sendEvent,
	})
}

// sendEvent sends a delivery with the settings of this moment, which may not have its webhook anymore.
func (a *App) sendEvent(ctx context.Context, h webhook.Hook, d webhook.Delivery) webhook.Result {
	l := a.live.Load()
	i := slices.IndexFunc(l.hooks, func(now webhook.Hook) bool { return now.Name == h.Name })
	if i < 0 {
		return webhook.Result{Answer: "no webhook of the settings has this name"}
	}
	h = l.hooks[i]
	s := webhook.Sender{Client: l.hooked, Clock: a.clock, Account: l.Operator.EventAccount}
	return s.Send(ctx, h, d)
}

// forgetEvents deletes what waits for webhooks that the settings no longer have.
func (a *App) forgetEvents(ctx context.Context, tx *store.Tx) (more bool, err error) {
	var names []string
	for _, h := range a.live.Load().hooks {
		names = append(names, h.Name)
	}
	n, err := tx.ForgetDeliveries(ctx, names, a.clock.Now().Add(-forgetAfter), forgetBatch)
	if n > 0 {
		tx.AfterCommit(func() {
			a.log.Warn("events of a webhook that the settings do not have were deleted", "events", n)
		})
	}
	return n == forgetBatch, err
}

// TestWebhook sends an event of the type webhook.TestType at once, which is not kept.
//
// Faults: webhook.Missing.
func (a *App) TestWebhook(ctx context.Context, by flow.Actor, name string) (webhook.Result, error) {
	h, d, err := a.live.Load().Operator.TryWebhook(ctx, by, name)
	if err != nil {
		return webhook.Result{}, err
	}
	return a.sendEvent(ctx, h, d), nil
}

// webhookFigures returns the metrics of webhooks, whose queues only if the database answers.
func (a *App) webhookFigures(ctx context.Context) (all []metric.Webhook) {
	totals := a.events.Totals()
	a.report("count the events for webhooks", a.Store.Read(ctx, func(tx *store.Tx) error {
		for _, h := range a.live.Load().hooks {
			counts, err := tx.CountDeliveries(ctx, h.Name, webhook.MostCounted)
			if err != nil {
				return err
			}
			t := totals[h.Name]
			w := metric.Webhook{Name: h.Name, Delivered: t.Delivered, Failed: t.Failed, Dropped: t.Dropped, Waiting: counts.Waiting}
			if !counts.Oldest.IsZero() {
				w.Oldest = max(0, a.clock.Now().Sub(counts.Oldest))
			}
			all = append(all, w)
		}
		return nil
	}))
	return all
}

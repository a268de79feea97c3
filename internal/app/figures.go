package app

import (
	"context"

	"portico/internal/outbox"
	"portico/internal/store"
	"portico/internal/telemetry/metric"
)

// figures collects the metrics of every part. If the database does not answer,
// the metrics of the queue are absent.
func (a *App) figures(ctx context.Context) metric.Figures {
	public := a.live.Load()
	f := metric.Figures{
		Build:    metric.Build{Version: a.options.Build.Version, Revision: a.options.Build.Revision, Go: a.options.Build.Go},
		Requests: public.handler.Stats(), Violations: public.reports.Counts(),
		Flows: a.Flows.Stats(), Sessions: a.Sessions.Stats(),
		Legacy: public.legacy.Stats(), Questions: public.signUpAsk.Stats(),
		Hashing: a.Passwords.Stats(), Hashes: a.Passwords.Durations(),
		Database: a.Store.Stats(), Differing: len(a.node.Differ()),
	}
	for _, lane := range a.mails {
		f.Mail = f.Mail.Plus(lane.Totals())
	}
	f.Certificates = a.certificateStates()
	if a.traces != nil {
		f.Traces.Sent, f.Traces.Lost = a.traces.Totals()
	}
	for _, app := range public.gateway.Apps() {
		f.Apps = append(f.Apps, metric.App(app))
	}
	if a.Store.Ping(ctx) != nil {
		return f
	}
	var counts outbox.Counts
	err := a.Store.Read(ctx, func(tx *store.Tx) (err error) {
		counts, err = tx.CountMessages(ctx)
		return err
	})
	if err != nil {
		return f
	}
	f.Webhooks = a.webhookFigures(ctx)
	for lane := range outbox.Lane(outbox.Lanes) {
		q := metric.Queue{Lane: lane.Name(), Waiting: counts[lane].Waiting, Dead: counts[lane].Dead}
		if q.Waiting > 0 {
			q.Oldest = max(0, a.clock.Now().Sub(counts[lane].Oldest))
		}
		f.Queues = append(f.Queues, q)
	}
	return f
}

// certificateStates returns the certificates with which Portico terminates TLS.
func (a *App) certificateStates() (all []metric.Certificate) {
	if a.certificates == nil {
		return nil
	}
	for _, s := range a.certificates.States() {
		all = append(all, metric.Certificate{Name: s.Name, Expires: s.Expires, Failing: s.Err != nil})
	}
	return all
}

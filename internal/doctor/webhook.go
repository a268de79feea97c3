package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/origin"
	"portico/internal/store"
	"portico/internal/webhook"
)

// eventWaits is the age of the oldest waiting event that causes a warning. It must match the
// alert PorticoWebhookWaits.
const eventWaits = time.Hour

func (d *doctor) webhookChecks() (all []check) {
	for _, w := range d.config.Webhooks {
		all = append(all, check{"webhook " + w.Name, []string{w.Key + ".url", w.Key + ".private"}, func(ctx context.Context, r *report) {
			d.receiver(ctx, r, w)
			d.events(ctx, r, w.Name)
		}})
	}
	return all
}

// receiver connects as an event does, and asks the server for nothing but its root: that is no event.
func (d *doctor) receiver(ctx context.Context, r *report, w config.Webhook) {
	u, err := url.Parse(w.URL)
	if err != nil || u.Host == "" {
		r.add(Skipped, "its settings are invalid", "")
		return
	}
	site := origin.Of(u)
	err = d.connects(ctx, site, w.Private)
	switch {
	case errors.Is(err, egress.ErrRefused):
		r.add(Failed, err.Error(), "write private = true if the receiver is in your own network")
	case unknownAuthority(err):
		r.add(Failed, err.Error(), trustAuthority)
	case err != nil:
		r.add(Failed, err.Error(), "check "+w.Key+".url, and that this machine can reach it; events wait up to three days")
	default:
		r.add(OK, site+" can be reached; 'portico webhook test "+w.Name+"' sends a test", "")
	}
}

func (d *doctor) connects(ctx context.Context, site string, private bool) error {
	way, err := app.Outgoing(d.config)
	if err != nil {
		return err
	}
	if private {
		way.Allow = []string{site}
	}
	client, err := egress.New(way)
	if err != nil {
		return err
	}
	defer client.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, site+"/", nil)
	if err != nil {
		return err
	}
	resp, err := client.HTTP().Do(req)
	if err == nil {
		_ = resp.Body.Close() // any status comes from a server that can be reached
	}
	return err
}

// events judges what waits for a webhook.
func (d *doctor) events(ctx context.Context, r *report, name string) {
	db := d.database()
	if db.err != nil || db.facts.Schema < db.facts.Newest {
		return // the check of the database says why
	}
	var counts webhook.Counts
	err := db.store.Read(ctx, func(tx *store.Tx) (err error) {
		counts, err = tx.CountDeliveries(ctx, name)
		return err
	})
	if err != nil {
		r.add(Failed, words(err), "")
		return
	}
	age := d.clock.Now().Sub(counts.Oldest).Round(time.Second)
	if counts.Waiting == 0 || age <= eventWaits {
		return
	}
	found, do := fmt.Sprintf("%d waiting, the oldest for %s", counts.Waiting, age), "'portico serve' sends events: check that it is running"
	if !counts.Failing.IsZero() {
		found += ", and attempts have failed"
		do = "'portico webhook log " + name + "' has the answers; 'portico webhook retry " + name + " --all' sends again what was dropped after three days"
	}
	r.add(Warning, found, do)
}

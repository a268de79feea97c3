package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"portico/internal/app"
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
			d.receiver(ctx, r, called{w.URL, w.Private, w.Key + ".url", "private", "events wait up to three days", "; 'portico webhook test " + w.Name + "' sends a test"})
			d.events(ctx, r, w.Name)
		}})
	}
	if s := d.config.SignUp; s.Ask != "" {
		all = append(all, check{"question at sign-up", []string{"signup.ask", "signup.ask_private"}, func(ctx context.Context, r *report) {
			does := map[string]string{"closed": "nobody signs up meanwhile", "open": "everybody may sign up meanwhile"}[s.AskFailure]
			d.receiver(ctx, r, called{s.Ask, s.AskPrivate, "signup.ask", "signup.ask_private", does, ""})
		}})
	}
	if s := d.config.SignIn; d.clock.Now().Before(s.LegacyEnds()) {
		all = append(all, check{"former system", []string{"signin.legacy", "signin.legacy_private"}, func(ctx context.Context, r *report) {
			d.receiver(ctx, r, called{s.Legacy, s.LegacyPrivate, "signin.legacy", "signin.legacy_private", "passwords that only it knows are refused meanwhile", ""})
		}})
	}
	return all
}

// called is an address that Portico posts to.
type called struct {
	url        string
	private    bool
	key, opens string // the settings of both
	meanwhile  string // what happens while it cannot be reached
	try        string // how to try it
}

// receiver connects as an event does, and asks the server for nothing but its root: that is no event.
func (d *doctor) receiver(ctx context.Context, r *report, c called) {
	u, err := url.Parse(c.url)
	if err != nil || u.Host == "" {
		r.add(Skipped, "its settings are invalid", "")
		return
	}
	site := origin.Of(u)
	err = d.connects(ctx, site, c.private)
	switch {
	case errors.Is(err, egress.ErrRefused):
		r.add(Failed, unreached(site+" is not called", err), "write "+c.opens+" = true if the receiver is in your own network")
	case unknownAuthority(err):
		r.add(Failed, unreached("the certificate of "+site+" is not trusted", err), trustAuthority)
	case err != nil:
		r.add(Failed, unreached(site+" does not answer", err), "check "+c.key+", and that this machine can reach it; "+c.meanwhile)
	default:
		r.add(OK, site+" can be reached"+c.try, "")
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
		counts, err = tx.CountDeliveries(ctx, name, webhook.MostCounted)
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
	found, do := fmt.Sprintf("%s waiting, the oldest for %s", counted(counts.Waiting, webhook.MostCounted), age), "'portico serve' sends events: check that it is running"
	if !counts.Failing.IsZero() {
		found += ", and attempts have failed"
		do = "'portico webhook log " + name + "' has the answers; 'portico webhook retry " + name + " --all' sends again what was dropped after three days"
	}
	r.add(Warning, found, do)
}

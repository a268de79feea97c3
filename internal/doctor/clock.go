package doctor

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"portico/internal/app"
	"portico/internal/egress"
	"portico/internal/origin"
)

// near is a difference that the header Date cannot show: it has whole seconds, and other
// servers may be a little wrong.
const near = 10 * time.Second

// ownClock judges the clock of a machine with SQLite, which has no database server
// to compare with. It compares with the providers, which are servers of others and
// answer by TLS. Without one, the kernel knows whether a time service keeps the
// clock right. The public URL may be this machine, so its time proves nothing.
func (d *doctor) ownClock(ctx context.Context, r *report) {
	const set = "let a time service keep the clock right, such as systemd-timesyncd or chrony"
	for _, issuer := range app.Issuers(d.config) {
		ahead, ok := d.aheadOf(ctx, issuer)
		switch {
		case !ok:
			continue
		case ahead.Abs() > app.TooFar:
			r.add(Failed, apart(ahead, issuer), set)
		case ahead != 0:
			r.add(Warning, apart(ahead, issuer), set)
		default:
			r.add(OK, "this machine and "+issuer+" agree", "")
		}
		return
	}
	switch kept, known := d.kept(); {
	case !known:
		r.add(Skipped, "unknown: no provider tells the time, and this system does not say whether a time service keeps it", "")
	case kept:
		r.add(OK, "a time service keeps the clock of this machine right", "")
	default:
		r.add(Warning, "this system does not say that a time service keeps its clock right", set)
	}
}

func apart(ahead time.Duration, of string) string {
	if ahead < 0 {
		return "the clock of this machine is behind " + of + " by " + (-ahead).Round(time.Second).String()
	}
	return "the clock of this machine is ahead of " + of + " by " + ahead.Round(time.Second).String()
}

// aheadOf returns the lead of this machine's clock over a server's, 0 for a small
// one. It returns false if the server does not tell the time.
func (d *doctor) aheadOf(ctx context.Context, issuer string) (time.Duration, bool) {
	u, err := url.Parse(issuer)
	if err != nil {
		return 0, false
	}
	way, err := app.Outgoing(d.config)
	if err != nil {
		return 0, false
	}
	way.Allow, way.Timeout = []string{origin.Of(u)}, lookLimit
	client, err := egress.New(way)
	if err != nil {
		return 0, false
	}
	defer client.HTTP().CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, origin.Of(u)+"/", nil)
	if err != nil {
		return 0, false
	}
	req.Header.Set("User-Agent", "Portico")
	before := d.clock.Now()
	answer, err := client.HTTP().Do(req)
	if err != nil {
		return 0, false
	}
	_ = answer.Body.Close()
	took := d.clock.Now().Sub(before)
	theirs, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil || answer.Header.Get("Age") != "" { // a cache repeats the time of an earlier answer
		return 0, false
	}
	ahead := before.Add(took / 2).Sub(theirs)
	if ahead.Abs() <= near+took {
		ahead = 0
	}
	return ahead, true
}

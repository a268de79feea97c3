package faults

import (
	"context"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/testform"
)

// lease is how long a claim of the outbox is valid. With the polling, a crash
// delays an email by less than 60 seconds.
const lease = outbox.Lease

// postOffice runs applications on folders, with a clock that the test moves.
// The image of a crash is a copy of the folder while the application runs.
type postOffice struct {
	*testing.T
	dir  string
	mail *sink
	now  time.Time
}

// open runs the application on the folder as it is, until the caller calls the
// returned function.
func (o *postOffice) open(dir string, now time.Time) (*app.App, func()) {
	o.Helper()
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "https", Host: "portico.test"}
	cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "portico.db")
	cfg.SecretFile = filepath.Join(dir, "secret.key")
	cfg.SMTPURL, cfg.MailFrom = "smtp://"+o.mail.addr+"?tls=none", "no-reply@portico.test"
	a, err := app.New(o.Context(), cfg, app.Options{Clock: clock.NewManual(now)})
	if err != nil {
		o.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, app.Listeners{Public: l}) }()
	return a, func() {
		cancel()
		<-done
		_ = a.Close()
	}
}

// image returns a copy of the folder as a crash at this moment leaves it.
func (o *postOffice) image(dir string) string {
	o.Helper()
	to := o.TempDir()
	for _, name := range []string{"portico.db", "portico.db-wal", "secret.key"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			o.Fatal(err)
		}
	}
	return to
}

// crashDuring opens the folder, waits until a delivery is held at the mode's
// point, copies the folder and releases the delivery.
func (o *postOffice) crashDuring(m mode, dir string, now time.Time, cause func(*app.App)) string {
	o.Helper()
	o.mail.be(m)
	a, stop := o.open(dir, now)
	cause(a)
	var held parked
	select {
	case held = <-o.mail.parked:
	case <-time.After(testform.Patience):
		o.Fatalf("no delivery was held: %s", m)
	}
	image := o.image(dir)
	o.mail.be(healthy) // cuts the connection, so the first run never learns the result
	close(held.release)
	stop()
	return image
}

// arrives reports whether another email comes within the time.
func (o *postOffice) arrives(dir string, now time.Time, within time.Duration) bool {
	o.Helper()
	before := len(o.mail.all())
	_, stop := o.open(dir, now)
	for deadline := time.Now().Add(within); time.Now().Before(deadline) && len(o.mail.all()) == before; {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	return len(o.mail.all()) > before
}

func (o *postOffice) begin(a *app.App) {
	o.Helper()
	_, err := a.Flows.Recover(o.Context(), flow.Caller{Peer: "192.0.2.1/32", Locale: "en"}, fresh("nobody"), flow.Target{})
	if err != nil {
		o.Fatal(err)
	}
}

// The process ends between claiming an email, sending it and marking it. Each
// email arrives once or twice, with one Message-ID, after the lease has
// expired.
func TestFLT03_KillAroundTheOutbox(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, point := range []mode{holdBefore, holdAfter} {
		mail := newSink(t)
		o := &postOffice{T: t, dir: t.TempDir(), mail: mail, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
		image := o.crashDuring(point, o.dir, o.now, o.begin)
		first := len(mail.all())
		if want := map[mode]int{holdBefore: 0, holdAfter: 1}[point]; first != want {
			t.Fatalf("%s: %d emails were taken before the crash, want %d", point, first, want)
		}
		if o.arrives(o.image(image), o.now.Add(lease-time.Second), 2*time.Second) {
			t.Errorf("%s: sent again while the claim was valid", point)
		}
		if !o.arrives(o.image(image), o.now.Add(lease+time.Second), testform.Patience) {
			t.Errorf("%s: not sent after the claim had expired", point)
		}
		most, _ := mail.repeats()
		if n := len(mail.all()); most != n || n != first+1 {
			t.Errorf("%s: %d emails, one came %d times: the repeat has another Message-ID", point, n, most)
		}
		t.Logf("FLT-03: crashed once, %s: %d email(s) in two runs, one Message-ID", point, len(mail.all()))
		o.crashesTwice(point)
	}
	if full() {
		realKills(t)
	}
}

// crashesTwice fails if a second crash in a row causes a third email. The
// outbox cannot know whether two were sent, so it gives up and shows that to
// the operator.
func (o *postOffice) crashesTwice(point mode) {
	o.Helper()
	mail := newSink(o.T)
	two := &postOffice{T: o.T, dir: o.TempDir(), mail: mail, now: o.now}
	image := two.crashDuring(point, two.dir, two.now, two.begin)
	image = two.crashDuring(point, image, two.now.Add(lease+time.Second), func(*app.App) {})
	sent := len(mail.all())
	a, stop := two.open(image, two.now.Add(2*lease+2*time.Second))
	defer stop()
	listed := eventually(testform.Patience, func() bool {
		_, dead, _, err := a.Unsent(o.Context(), 10)
		return err == nil && len(dead) == 1
	})
	if n := len(mail.all()); n != sent || n > 2 || !listed {
		o.Errorf("%s, twice: %d emails, %d in the third run, listed for the operator: %v", point, n, n-sent, listed)
	}
}

// realKills does the same with kill -9 at random moments under load, and waits
// for the promised time.
func realKills(t *testing.T) {
	mail := newSink(t)
	p := newPlace(t, mail)
	mail.be(slow)
	acked := map[string]bool{}
	var r *process
	for range 30 {
		r = p.serve()
		for range 8 {
			b, address := p.browser(), fresh("mail")
			if b.begin(address) != "" {
				acked[address] = true
			}
			b.close()
		}
		time.Sleep(rand.N(300 * time.Millisecond))
		r.kill()
	}
	mail.be(healthy)
	began := time.Now()
	p.serve()
	var last time.Duration
	for time.Since(began) < 60*time.Second && missing(mail, acked) > 0 {
		time.Sleep(100 * time.Millisecond)
		last = time.Since(began)
	}
	most, which := mail.repeats()
	lost := missing(mail, acked)
	t.Logf("FLT-03: 30 kills, %d acknowledged registrations, %d emails, %d lost, none more than %d times, the last came %v after the restart", len(acked), len(mail.all()), lost, most, last)
	if lost > 0 || most > 2 {
		t.Errorf("%d emails did not come within 60 seconds, one came %d times: %s", lost, most, which)
	}
}

func missing(mail *sink, acked map[string]bool) int {
	come := map[string]bool{}
	for _, d := range mail.all() {
		come[d.to] = true
	}
	n := 0
	for address := range acked {
		if !come[address] {
			n++
		}
	}
	return n
}

package faults

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/logtest"
	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// One of two nodes is five minutes ahead. A flow or session of one node works
// on the other, and an ended session has ended on both. No wait is longer than
// its limit, one node holds the lease, and the log reports the difference.
func TestFLT10_NodesApart(t *testing.T) {
	announce(t)
	t.Parallel()
	past, mail, log := pgtest.Plain(pgtest.Migrated(t)), newSink(t), &logtest.Buffer{}
	key := filepath.Join(t.TempDir(), "secret.key")
	if _, err := secret.CreateKey(key); err != nil {
		t.Fatal(err)
	}
	var fast *inside
	shared := func(cfg *config.Config) {
		cfg.DatabaseURL, cfg.SecretFile, cfg.SMTPURL = pgtest.Patient(past), key, "smtp://"+mail.addr+"?tls=none"
		if fast != nil {
			cfg.PublicURL = fast.app.Config.PublicURL
		}
	}
	fast = runInside(t, clock.Skewed{By: clock.MaxSkew}, slog.New(slog.NewTextHandler(log, nil)), shared)
	right := runInside(t, clock.System{}, slog.New(slog.DiscardHandler), shared)
	right.origin = fast.origin
	fast.mail, right.mail = mail, mail
	mail.be(slow)

	for _, pair := range []struct {
		name        string
		here, there *inside
	}{{"begun ahead", fast, right}, {"begun behind", right, fast}} {
		t.Run(pair.name, func(t *testing.T) {
			pair.here.begun().finish(pair.there.place)
			b, address := pair.here.browser(), fresh("apart")
			flow := b.begin(address)
			code := map[string]string{"flow": flow, "code": mail.code(address, 30*time.Second)}
			b.must("verify-code", code)
			far := pair.there.browser()
			far.cookies = b.cookies
			if !far.whoami() || !b.whoami() {
				t.Error("a session does not work on both nodes")
			}
			for _, again := range []*browser{b, far} {
				thief := again.browser()
				thief.cookies = clone(b.cookies)
				if a, err := thief.post("verify-code", code); err != nil || a.status == 200 {
					t.Errorf("a used code works again: %d (%v)", a.status, err)
				}
			}
			kept := pair.here.browser()
			kept.cookies = map[string]string{"portico-session": b.cookies["portico-session"]}
			far.must("signout", map[string]string{})
			if !eventually(testform.Patience, func() bool { return !kept.whoami() }) {
				t.Error("a session that ended on the other node still works")
			}

			pair.here.lockOut(address)
			a, err := pair.there.browser().post("signin", map[string]string{"email": address, "password": "not the right password 7"})
			wait, _ := strconv.Atoi(a.header.Get("Retry-After"))
			if err != nil || a.status >= 500 || wait > 31 {
				t.Errorf("the other node answers %d (%v) and a wait of %d s, more than the limit", a.status, err, wait)
			}
			t.Logf("FLT-10: five minutes apart, %s: codes, links, recovery and sessions work on the other node, ended ones on neither; the wait after wrong passwords is shown as %d s", pair.name, wait)
		})
	}
	if !eventually(testform.Patience, func() bool { return countPostgres(t, past, `SELECT COUNT(*) FROM outbox`) == 0 }) {
		t.Error("emails are left")
	}
	most, which := mail.repeats()
	if most > 1 {
		t.Errorf("an email came %d times: %s", most, which)
	}
	if !eventually(testform.Patience, func() bool { return strings.Contains(log.String(), "ahead_by=5m0s") }) {
		t.Errorf("the log does not report it:\n%s", log)
	}
	if full() { // counts the beats of one holder
		beat := func() int { return countPostgres(t, past, `SELECT beat FROM lease WHERE name = 'tidying'`) }
		held := func() bool { return countPostgres(t, past, `SELECT COUNT(*) FROM lease WHERE name = 'tidying'`) == 1 }
		if !eventually(2*time.Minute, held) {
			t.Fatal("no node has taken the lease")
		}
		before := beat()
		time.Sleep(time.Minute)
		if n := beat() - before; n < 4 || n > 9 { // one each ten seconds, and one each minute from the purge
			t.Errorf("the lease was kept %d times in a minute", n)
		}
	}
	t.Logf("FLT-10: five minutes apart: %d emails, none more than %d times; the log of the node says so", len(mail.all()), most)
}

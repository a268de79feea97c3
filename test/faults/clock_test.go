package faults

import (
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/logtest"
	"portico/internal/openid/openidtest"
)

const year = 365 * 24 * time.Hour

// The clock of the machine jumps. Expired sessions and codes stay expired, and
// no wait is longer than its limit. New users can sign up and in, email is
// sent, and the log reports the jump.
func TestFLT10_ClockJumps(t *testing.T) {
	announce(t)
	for _, jump := range []struct {
		name  string
		by    time.Duration
		holds bool // whether a session from before the jump still works, and what it has given an app
	}{
		{"an hour ahead", time.Hour, true},
		{"an hour back", -time.Hour, true},
		{"ten years ahead", 10 * year, false},
		{"ten years back", -10 * year, false},
	} {
		t.Run(jump.name, func(t *testing.T) {
			t.Parallel()
			log := &logtest.Buffer{}
			c := clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
			in := runInside(t, c, slog.New(slog.NewTextHandler(log, nil)), func(cfg *config.Config) {
				cfg.Clients = []config.Client{{ID: "rp", IDTokenAlg: "ES256", Secret: openidtest.Secret, RedirectURIs: []string{openidtest.Back}, Scopes: []string{"openid", "profile", "email"}, PKCE: true}}
			})
			known, me := in.registered(), in.browser()
			me.must("signin", map[string]string{"email": known, "password": good})
			app, forApp := me.atToken(openidtest.Redemption(me.authorizes())), me.authorizes()
			pending, used := in.browser(), in.browser()
			first, second := fresh("pending"), fresh("used")
			waits := pending.begin(first)
			unused := in.mail.code(first, 20*time.Second)
			done := used.begin(second)
			spent := in.mail.code(second, 20*time.Second)
			used.must("verify-code", map[string]string{"flow": done, "code": spent})
			used.cookies = clone(used.cookies) // a signed-in user may press the button twice
			in.lockOut(known)
			twice := in.registered()
			in.mail.be(refusing)
			in.causeMail(twice)
			facts := in.count(`SELECT COUNT(*) FROM audit`)

			c.Advance(jump.by)
			in.mail.be(healthy)
			for what, try := range map[string]struct {
				b          *browser
				flow, code string
			}{"a code from before the jump": {pending, waits, unused}, "a used code": {used, done, spent}} {
				if a, err := try.b.post("verify-code", map[string]string{"flow": try.flow, "code": try.code}); err != nil || a.status == 200 || a.status >= 500 {
					t.Errorf("%s: %v %d %s", what, err, a.status, a.body)
				}
			}
			if me.whoami() != jump.holds {
				t.Errorf("a session from before the jump works: %v, want %v", !jump.holds, jump.holds)
			}
			if got := me.atToken(openidtest.Redemption(forApp)); got.Access != "" || got.Error == "" {
				t.Errorf("a code for an app from before the jump: %+v", got)
			}
			if got := me.atToken(openidtest.Refresh(app.Refresh)); (got.Refresh != "") != jump.holds {
				t.Errorf("what an app got before the jump works: %v, want %v", !jump.holds, jump.holds)
			}
			c.Advance(31 * time.Second) // the wait after the wrong passwords
			in.journey(known)
			c.Advance(2 * time.Hour)
			if !eventually(15*time.Second, func() bool { return in.mailsTo(twice) == 2 }) {
				t.Error("the email from before the jump is not sent")
			}
			if !eventually(15*time.Second, func() bool { return strings.Contains(log.String(), "the clock of this machine has jumped") }) {
				t.Error("the log does not report it")
			}
			if n := in.count(`SELECT COUNT(*) FROM audit`); n < facts {
				t.Errorf("%d audit records are gone", facts-n)
			}
			in.sound()
			t.Logf("FLT-10: %s: the session works: %v; older codes are refused, no wait is longer than 31s, email is sent, the log reports the jump", jump.name, jump.holds)
		})
	}
}

// authorizes returns a code for the app "rp".
func (b *browser) authorizes() string {
	b.Helper()
	a, err := b.do("GET", "/auth/openid/authorize?"+openidtest.Request().Encode(), nil)
	if err != nil || a.status != 303 {
		b.Fatalf("%v %d %s", err, a.status, a.body)
	}
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		b.Fatal(err)
	}
	return u.Query().Get("code")
}

// atToken sends a form to the token endpoint. It tries again after a 503: a new signing key may be on its way.
func (b *browser) atToken(form url.Values) (got openidtest.Answer) {
	b.Helper()
	if !eventually(20*time.Second, func() bool {
		a, err := b.send("POST", "/auth/openid/token", "application/x-www-form-urlencoded", form.Encode())
		return err == nil && a.status != 503 && json.Unmarshal([]byte(a.body), &got) == nil
	}) {
		b.Fatal("the token endpoint does not answer")
	}
	return got
}

// lockOut sends wrong passwords until the account has to wait.
func (in *inside) lockOut(address string) {
	in.Helper()
	b := in.browser()
	for range 6 {
		a, err := b.post("signin", map[string]string{"email": address, "password": "not the right password 7"})
		if err != nil {
			in.Fatal(err)
		}
		if a.status == 429 {
			return
		}
	}
	in.Fatal("six wrong passwords cause no wait")
}

// causeMail enqueues an email that does not expire and cannot be delivered yet.
func (in *inside) causeMail(address string) {
	in.Helper()
	b := in.browser()
	if a, err := b.post("signup", map[string]string{"email": address, "password": good, "confirm_password": good}); err != nil || a.status != 200 {
		in.Fatalf("%v %d %s", err, a.status, a.body)
	}
	if !eventually(10*time.Second, func() bool { return in.count(`SELECT COUNT(*) FROM outbox WHERE failures > 0`) > 0 }) {
		in.Fatal("no delivery has failed")
	}
}

// mailsTo returns the number of emails that arrived at an address.
func (in *inside) mailsTo(address string) (n int) {
	for _, d := range in.mail.all() {
		if d.to == address {
			n++
		}
	}
	return n
}

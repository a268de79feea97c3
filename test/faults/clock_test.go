package faults

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/logtest"
)

const year = 365 * 24 * time.Hour

// FLT-10: the clock of the machine jumps. Nothing dead lives again, nobody waits
// longer than the limits say, who comes afterwards can sign up and in, mail
// still goes, and the operator is told.
func TestFLT10_ClockJumps(t *testing.T) {
	announce(t)
	for _, jump := range []struct {
		name  string
		by    time.Duration
		holds bool // whether a session of before does
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
			in := runInside(t, c, slog.New(slog.NewTextHandler(log, nil)), nil)
			known, me := in.registered(), in.browser()
			me.must("signin", map[string]string{"email": known, "password": good})
			pending, used := in.browser(), in.browser()
			first, second := fresh("pending"), fresh("used")
			waits := pending.begin(first)
			unused := in.mail.code(first, 20*time.Second)
			done := used.begin(second)
			spent := in.mail.code(second, 20*time.Second)
			used.must("verify-code", map[string]string{"flow": done, "code": spent})
			used.cookies = clone(used.cookies) // who is signed in may press the button twice
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
			}{"a code of before": {pending, waits, unused}, "a used code": {used, done, spent}} {
				if a, err := try.b.post("verify-code", map[string]string{"flow": try.flow, "code": try.code}); err != nil || a.status == 200 || a.status >= 500 {
					t.Errorf("%s: %v %d %s", what, err, a.status, a.body)
				}
			}
			if me.whoami() != jump.holds {
				t.Errorf("a session of before holds: %v, want %v", !jump.holds, jump.holds)
			}
			c.Advance(31 * time.Second) // the wait that the wrong passwords have earned
			in.journey(known)
			c.Advance(2 * time.Hour)
			if !eventually(15*time.Second, func() bool { return in.mailsTo(twice) == 2 }) {
				t.Error("the mail of before is not sent")
			}
			if !eventually(15*time.Second, func() bool { return strings.Contains(log.String(), "the clock of this machine has jumped") }) {
				t.Error("the operator is not told")
			}
			if n := in.count(`SELECT COUNT(*) FROM audit`); n < facts {
				t.Errorf("%d facts of the record are gone", facts-n)
			}
			in.sound()
			t.Logf("FLT-10: %s: the session holds: %v; codes of before are refused, no wait is longer than 31s, mail goes, the log says so", jump.name, jump.holds)
		})
	}
}

// lockOut types wrong passwords until one has to wait.
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
	in.Fatal("nobody has to wait after six wrong passwords")
}

// causeMail makes one that has no end and cannot be delivered yet.
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

// mailsTo returns how many mails have come to an address.
func (in *inside) mailsTo(address string) (n int) {
	for _, d := range in.mail.all() {
		if d.to == address {
			n++
		}
	}
	return n
}

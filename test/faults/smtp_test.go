package faults

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

// The mail server is down, slow or hostile. A sign-up takes no longer, and
// emails that are still valid are sent afterwards.
//
// Not parallel: it compares times.
func TestFLT07_MailServerMisbehaves(t *testing.T) {
	announce(t)
	mail := newSink(t)
	p := newPlace(t, mail)
	p.serve()
	measure := func(m mode) (p50, p99 time.Duration) {
		mail.be(m)
		var times []time.Duration
		for i := range rounds(40, 200) {
			b := p.browser()
			operation, body := "forgot-password", map[string]string{"email": fresh("p99")}
			if i%8 == 0 { // the hash of a registration would hide the cost of its email
				operation, body = "signup", map[string]string{"email": fresh("p99"), "password": good, "confirm_password": good}
			}
			began := time.Now()
			a, err := b.post(operation, body)
			if err != nil || a.status != 200 {
				t.Fatalf("%s: %v %d %s", m, err, a.status, a.body)
			}
			if i%8 != 0 {
				times = append(times, time.Since(began))
			}
			b.close()
		}
		return percentile(times, 50), percentile(times, 99)
	}
	measure(healthy) // warms up
	base50, base99 := measure(healthy)
	t.Logf("FLT-07: %s: p50 %v, p99 %v", healthy, base50, base99)
	for _, m := range []mode{refusing, silent, tarpit, later, never, vanishing, talkative} {
		p50, p99 := measure(m)
		t.Logf("FLT-07: %s: p50 %v, p99 %v", m, p50, p99)
		// A registration that waits for its email takes seconds. The short form
		// shares the machine, so it allows half a registration more.
		room := 5 * time.Millisecond
		if !full() {
			room = 500 * time.Millisecond
		}
		if p50 > 3*base50+room || full() && p99 > 3*base99+20*time.Millisecond {
			t.Errorf("%s: p50 %v and p99 %v, with a healthy server %v and %v", m, p50, p99, base50, base99)
		}
	}
	// An email that was refused for good is given up at once and shown to the
	// operator.
	mail.be(never)
	b, address := p.browser(), fresh("refused")
	if b.begin(address) == "" {
		t.Fatal("a registration fails with its email")
	}
	if !eventually(testform.Patience, func() bool {
		return p.count(`SELECT COUNT(*) FROM outbox WHERE dead_at > 0 AND template = 'verify-address'`) > 0
	}) {
		t.Error("an email that is refused for good is retried")
	}
	out := p.command("mail", "list")
	if !strings.Contains(out, address) || !strings.Contains(out, "550") {
		t.Errorf("the log does not report it:\n%s", out)
	}
	// Once the server is back, the next email is sent at once.
	mail.be(healthy)
	b, address = p.browser(), fresh("back")
	b.begin(address)
	if mail.code(address, 20*time.Second) == "" {
		t.Error("no email comes after the server is back")
	}
	drain(p, mail)
}

// drain measures how fast a queue empties.
func drain(p *place, mail *sink) {
	p.Helper()
	n := rounds(120, 180) // under the limit for emails to unknown addresses
	before := len(mail.all())
	began := time.Now()
	var senders sync.WaitGroup
	for range 6 {
		senders.Go(func() {
			b := p.browser()
			for range n / 6 {
				_, _ = b.post("signup", map[string]string{"email": fresh("drain"), "password": good, "confirm_password": good})
			}
		})
	}
	senders.Wait()
	sent := time.Since(began)
	if !eventually(testform.Patience, func() bool { return len(mail.all()) >= before+n }) {
		p.Errorf("%d of %d emails came", len(mail.all())-before, n)
		return
	}
	// Registrations are slower than emails, so this is a lower bound.
	p.Logf("FLT-07: %d emails within %v of the last of %d registrations, which took %v", n, (time.Since(began) - sent).Round(time.Millisecond), n, sent.Round(time.Millisecond))
}

func eventually(limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// command runs an operator's command on the installation.
func (p *place) command(args ...string) string {
	p.Helper()
	return p.commandOf(binary, args...)
}

// commandOf is command with a program of another version.
func (p *place) commandOf(program string, args ...string) string {
	p.Helper()
	out, err := p.attempt(program, args...)
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return out
}

// attempt is commandOf whose failure is not part of its output.
func (p *place) attempt(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

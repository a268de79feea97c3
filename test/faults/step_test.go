package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// step is a single-use step of a journey, up to the request during which the
// server is killed.
type step struct {
	name    string
	prepare func(p *place, b *browser, address string) (operation string, body map[string]string)
	// finish continues as a user who got no answer. It returns the problem in
	// words if that fails.
	finish func(b *browser, address string, operation string, body map[string]string) string
}

const fresher = "seven hills under a paper lantern"

func steps() []step {
	return []step{
		{
			"the code of a registration",
			func(p *place, b *browser, address string) (string, map[string]string) {
				flow := b.begin(address)
				return "verify-code", map[string]string{"flow": flow, "code": p.mail.code(address, 20*time.Second)}
			},
			func(b *browser, address, operation string, body map[string]string) string {
				a, err := b.post(operation, body)
				if err == nil && a.status == 200 && b.whoami() {
					return ""
				}
				return b.signsIn(address, good, a)
			},
		},
		{
			"the link of a registration",
			func(p *place, b *browser, address string) (string, map[string]string) {
				b.begin(address)
				if _, err := b.do("GET", "/auth/confirm-link?token="+p.mail.token(address), nil); err != nil {
					p.Fatal(err)
				}
				return "confirm-link", map[string]string{}
			},
			func(b *browser, address, operation string, body map[string]string) string {
				a, err := b.post(operation, body)
				if err == nil && a.status == 200 && b.whoami() {
					return ""
				}
				return b.signsIn(address, good, a)
			},
		},
		{
			"the only use of an invitation",
			func(p *place, b *browser, address string) (string, map[string]string) {
				said := p.command("user", "invite", "--link")
				_, token, _ := strings.Cut(said, "token=")
				if _, err := b.do("GET", "/auth/confirm-link?token="+strings.TrimSpace(token), nil); err != nil {
					p.Fatal(err)
				}
				page, err := b.do("GET", "/auth/confirm-link", nil)
				_, mark, ok := strings.Cut(page.header.Get("Location"), "link=")
				if err != nil || !ok {
					p.Fatal(said, err, page)
				}
				_, flow := b.must("signup", map[string]string{"email": address, "password": good, "confirm_password": good, "link": mark}).next()
				return "verify-code", map[string]string{"flow": flow, "code": p.mail.code(address, 20*time.Second)}
			},
			func(b *browser, address, operation string, body map[string]string) string {
				a, err := b.post(operation, body)
				if err == nil && a.status == 200 && b.whoami() {
					return ""
				}
				return b.signsIn(address, good, a)
			},
		},
		{
			"the code of a recovery",
			func(p *place, b *browser, address string) (string, map[string]string) {
				flow := p.recovering(b, address)
				return "verify-code", map[string]string{"flow": flow, "code": p.mail.code(address, 20*time.Second)}
			},
			func(b *browser, address, operation string, body map[string]string) string {
				a, err := b.post(operation, body)
				if err != nil || a.status != 200 && a.code() != "code.used" {
					return fmt.Sprintf("the retry is answered %v %d %s", err, a.status, a.body)
				}
				return b.resets(address, body["flow"])
			},
		},
		{
			"the new password",
			func(p *place, b *browser, address string) (string, map[string]string) {
				flow := p.recovering(b, address)
				b.must("verify-code", map[string]string{"flow": flow, "code": p.mail.code(address, 20*time.Second)})
				return "reset-password", map[string]string{"flow": flow, "password": fresher, "confirm_password": fresher}
			},
			func(b *browser, address, operation string, body map[string]string) string {
				a, err := b.post(operation, body)
				if err == nil && a.status == 200 && b.whoami() {
					return ""
				}
				return b.signsIn(address, fresher, a)
			},
		},
	}
}

// recovering registers, forgets the browser's session and begins a recovery.
func (p *place) recovering(b *browser, address string) (flow string) {
	p.Helper()
	b.register(address)
	b.must("signout", map[string]string{})
	p.mail.forget(address)
	_, flow = b.must("forgot-password", map[string]string{"email": address}).next()
	return flow
}

// signsIn returns why a user cannot sign in, or "".
func (b *browser) signsIn(address, password string, before answer) string {
	a, err := b.post("signin", map[string]string{"email": address, "password": password})
	if err != nil || a.status != 200 || !b.whoami() {
		return fmt.Sprintf("the retry is answered %d %s, the sign-in %v %d %s", before.status, before.body, err, a.status, a.body)
	}
	return ""
}

// resets sets the new password of a flow at that step, and signs in.
func (b *browser) resets(address, flow string) string {
	a, err := b.post("reset-password", map[string]string{"flow": flow, "password": fresher, "confirm_password": fresher})
	if err != nil || a.status != 200 || !b.whoami() {
		return fmt.Sprintf("the new password is answered %v %d %s", err, a.status, a.body)
	}
	return ""
}

// kill -9 before and after each SQL statement of a single-use step. At each
// moment the user can finish, and nothing is half done or usable twice.
func TestFLT02_KillInsideSingleUseSteps(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, step := range steps() {
		mail := newSink(t)
		p := newPlace(t, mail)
		address := fresh("step")
		r := p.serveUntil(0)
		b := p.browser()
		operation, body := step.prepare(p, b, address)
		r.stop()
		cookies := b.cookies

		// Count the events of the step.
		whole := p.copied()
		r = whole.serveUntil(0)
		r.signal(syscall.SIGUSR1)
		b = whole.browser()
		b.cookies = clone(cookies)
		b.must(operation, body)
		var events int
		if _, err := fmt.Sscanf(r.signal(syscall.SIGUSR2), "events %d", &events); err != nil || events < 6 {
			t.Fatalf("%s: %d events, %v", step.name, events, err)
		}
		r.stop()
		whole.sound()

		killed, tried := 0, 0
		for event := 1; event <= events; event += max(1, events/rounds(5, events)) {
			one := p.copied()
			r := one.serveUntil(event)
			r.signal(syscall.SIGUSR1)
			b := one.browser()
			b.cookies = clone(cookies)
			_, _ = b.post(operation, body) // the answer is lost, unless the event comes after it
			if !r.alive() || waitEnd(r) {
				killed++
			}
			r.kill()
			one.sound()
			r = one.serve()
			b = one.browser()
			b.cookies = clone(cookies)
			if wrong := step.finish(b, address, operation, body); wrong != "" {
				t.Errorf("%s, killed at event %d of %d: %s", step.name, event, events, wrong)
			}
			again := one.browser() // an attacker who has seen the request
			again.cookies = clone(cookies)
			if a, err := again.post(operation, body); err == nil && a.status == 200 {
				t.Errorf("%s, killed at event %d of %d: it works twice", step.name, event, events)
			}
			one.sound()
			r.kill()
			tried++
		}
		t.Logf("FLT-02: %s: %d events, killed at %d of %d, each could be completed and none twice", step.name, events, killed, tried)
	}
}

func waitEnd(r *process) bool {
	select {
	case <-r.ended:
		return true
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

func clone(cookies map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range cookies {
		if !strings.HasSuffix(k, "-session") {
			c[k] = v
		}
	}
	return c
}

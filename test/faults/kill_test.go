package faults

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

// promises are acknowledged changes, which must not be lost.
type promises struct {
	mu       sync.Mutex
	accounts []string          // accounts whose code was accepted with 200
	sessions map[string]string // cookies of signed-in browsers, by address
	flows    []string          // registrations that got 200
	ended    []string          // session cookies of acknowledged sign-outs
}

func (p *promises) note(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *promises) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.accounts) + len(p.flows) + len(p.ended)
}

// lost compares everything acknowledged with the serving Portico, and with its
// database through count. It returns how much is missing.
func (p *promises) lost(at *place, count func(query string, args ...any) int) (lost int) {
	at.Helper()
	for _, address := range p.accounts {
		if count(`SELECT COUNT(*) FROM account WHERE address = $1`, address) != 1 {
			lost++
		}
	}
	for _, flow := range p.flows {
		if count(`SELECT COUNT(*) FROM flow WHERE id = $1`, flow) != 1 {
			lost++
		}
	}
	b := at.browser()
	for _, token := range p.sessions {
		b.cookies = map[string]string{"portico-session": token}
		if !b.whoami() {
			lost++
		}
	}
	for _, token := range p.ended {
		b.cookies = map[string]string{"portico-session": token}
		if b.whoami() {
			at.Error("a sign-out that was acknowledged is undone")
		}
	}
	return lost
}

// kill -9 under write load. No acknowledged change is lost, and none is half
// done.
func TestFLT01_KillUnderWriteLoad(t *testing.T) {
	announce(t)
	t.Parallel()
	mail := newSink(t)
	p := newPlace(t, mail)
	acked := &promises{sessions: map[string]string{}}
	known := []string{}
	var starts []time.Duration
	for range rounds(10, 200) {
		r := p.serve()
		starts = append(starts, r.start)
		if len(known) < 4 {
			b, address := p.browser(), fresh("known")
			b.register(address)
			known = append(known, address)
		}
		before := acked.count()
		p.underLoad(acked, known, func() {
			// Wait for the first acknowledged change of this run, at most a
			// second: a loaded machine is slow at the start.
			for deadline := time.Now().Add(time.Second); acked.count() == before && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(50*time.Millisecond + rand.N(450*time.Millisecond))
			r.kill()
		})
		p.sound()
	}
	r := p.serve()
	starts = append(starts, r.start)
	lost := acked.lost(p, p.count)
	p.sound()
	most, which := mail.repeats()
	if lost > 0 {
		t.Errorf("%d acknowledged changes are lost", lost)
	}
	if most > 2 {
		t.Errorf("an email came %d times: %s", most, which)
	}
	t.Logf("FLT-01: %d kills, acknowledged: %d accounts, %d registrations, %d sessions, %d sign-outs, lost %d; start-up median %v, slowest %v; %d emails, none more than %d times",
		len(starts)-1, len(acked.accounts), len(acked.flows), len(acked.sessions), len(acked.ended), lost, percentile(starts, 50), percentile(starts, 100), len(mail.all()), most)
	if limit := testform.Limit(time.Second); percentile(starts, 50) > limit {
		t.Errorf("it takes %v to start, at most %v", percentile(starts, 50), limit)
	}
}

// underLoad registers, signs in, recovers and signs out until fn returns.
func (p *place) underLoad(acked *promises, known []string, fn func()) {
	stop := make(chan struct{})
	var workers sync.WaitGroup
	run := func(n int, work func(b *browser) bool) {
		for range n {
			workers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					b := p.browser()
					alive := work(b)
					b.close()
					if !alive {
						return
					}
				}
			})
		}
	}
	run(3, func(b *browser) bool { return p.tryRegister(b, acked) })
	run(2, func(b *browser) bool { return p.trySignIn(b, acked, known[rand.IntN(len(known))]) })
	run(3, func(b *browser) bool {
		_, err := b.post("forgot-password", map[string]string{"email": fresh("nobody")})
		return err == nil
	})
	fn()
	close(stop)
	workers.Wait()
}

func (p *place) tryRegister(b *browser, acked *promises) bool {
	address := fresh("load")
	flow := b.begin(address)
	if flow == "" {
		return false
	}
	acked.note(func() { acked.flows = append(acked.flows, flow) })
	code := p.mail.code(address, time.Second)
	if code == "" {
		return true
	}
	a, err := b.post("verify-code", map[string]string{"flow": flow, "code": code})
	if err != nil {
		return false
	}
	if a.status == 200 {
		acked.note(func() {
			acked.accounts = append(acked.accounts, address)
			acked.sessions[address] = b.cookies["portico-session"]
		})
	}
	return true
}

func (p *place) trySignIn(b *browser, acked *promises, address string) bool {
	a, err := b.post("signin", map[string]string{"email": address, "password": good})
	if err != nil {
		return false
	}
	if a.status != 200 {
		return true
	}
	token := b.cookies["portico-session"]
	if a, err = b.post("signout", map[string]string{}); err != nil {
		return false
	}
	if a.status == 200 {
		acked.note(func() { acked.ended = append(acked.ended, token) })
	}
	return true
}

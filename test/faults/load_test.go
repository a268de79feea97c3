package faults

import (
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/testform"
)

// load is clients that use the balancer until the test ends it.
type load struct {
	*cluster
	stop                       chan struct{}
	once                       sync.Once
	people                     sync.WaitGroup
	requests, journeys, failed atomic.Int64
}

func (c *cluster) beginLoad() *load {
	l := &load{cluster: c, stop: make(chan struct{})}
	l.people.Go(func() { c.front.watch(l.stop) })
	for range 3 {
		l.people.Go(l.comeAndGo)
	}
	for range 3 {
		l.people.Go(l.stay)
	}
	return l
}

func (l *load) end() {
	l.once.Do(func() { close(l.stop) })
	l.people.Wait()
}

// goesOn waits for the given time, and until some journeys have completed in
// it.
func (l *load) goesOn(length time.Duration) {
	l.Helper()
	before := l.journeys.Load()
	time.Sleep(length)
	if !eventually(time.Minute, func() bool { return l.journeys.Load() >= before+4 }) {
		l.Fatal("no journey completes")
	}
}

// dump reads every table in one transaction, as pg_dump does. It ends after a
// migration has waited for it and some journeys have completed meanwhile.
func (l *load) dump() *sync.WaitGroup {
	l.Helper()
	reader, watcher := l.connect(), l.connect()
	l.exec(reader, `BEGIN; LOCK TABLE account, session, flow, code, outbox, throttle, audit, installation IN ACCESS SHARE MODE`)
	var done sync.WaitGroup
	done.Go(func() {
		const waiting = `SELECT COUNT(*) > 0 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted AND locktype = 'relation'`
		waits := func() (yes bool) { _ = watcher.QueryRow(l.Context(), waiting).Scan(&yes); return yes }
		if !eventually(testform.Patience, waits) {
			l.Error("no migration waits for the dump")
		}
		before := l.journeys.Load()
		if !eventually(testform.Patience, func() bool { return l.journeys.Load() >= before+2 }) {
			l.Error("requests wait for a migration that waits for a dump")
		}
		if _, err := reader.Exec(l.Context(), `COMMIT`); err != nil {
			l.Error(err)
		}
	})
	return &done
}

func (l *load) ended() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// ask sends a request that must succeed.
func (l *load) ask(b *browser, method, operation string, body map[string]string) (answer, bool) {
	l.requests.Add(1)
	a, err := b.do(method, "/auth/api/"+operation, body)
	if err != nil || a.status != 200 {
		l.failed.Add(1)
		l.Errorf("%s: %v %d %s", operation, err, a.status, a.body)
		return a, false
	}
	return a, true
}

func (l *load) comeAndGo() {
	for !l.ended() {
		b := l.browser()
		if !l.journey(b, fresh("passing")) {
			return
		}
		b.close()
		l.journeys.Add(1)
		time.Sleep(time.Duration(rounds(0, 200)) * time.Millisecond) // the full form runs for ten minutes, beside other tests
	}
}

// stay is a client that is signed in all the time.
func (l *load) stay() {
	b, address := l.browser(), fresh("staying")
	defer b.close()
	a, ok := l.ask(b, "POST", "signup", map[string]string{"email": address, "password": good, "confirm_password": good})
	_, flow := a.next()
	if ok {
		_, ok = l.ask(b, "POST", "verify-code", map[string]string{"flow": flow, "code": l.mail.code(address, 30*time.Second)})
	}
	for ok && !l.ended() {
		_, ok = l.ask(b, "GET", "session", nil)
		time.Sleep(10 * time.Millisecond)
	}
}

// journey signs up, out and in, and recovers the account with a new password.
// It reports whether all steps succeeded.
func (l *load) journey(b *browser, address string) bool {
	flow := ""
	say := func(operation string, pairs ...string) bool {
		body := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			body[pairs[i]] = pairs[i+1]
		}
		a, ok := l.ask(b, "POST", operation, body)
		if _, led := a.next(); led != "" {
			flow = led
		}
		return ok
	}
	signedIn := func() bool {
		_, ok := l.ask(b, "GET", "session", nil)
		return ok
	}
	return say("signup", "email", address, "password", good, "confirm_password", good) &&
		say("verify-code", "flow", flow, "code", l.mail.lastCode(address, 1, testform.Patience)) && signedIn() && say("signout") &&
		say("signin", "email", address, "password", good) && signedIn() && say("signout") &&
		say("forgot-password", "email", address) &&
		say("verify-code", "flow", flow, "code", l.mail.lastCode(address, 2, testform.Patience)) &&
		say("reset-password", "flow", flow, "password", fresher, "confirm_password", fresher) && signedIn() && say("signout")
}

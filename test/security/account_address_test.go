package security

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// asks begins a change of the address of the visitor and returns its flow.
func (v *visitor) asks(address string) (flow string) {
	v.Helper()
	return v.post("account/addresses", object{"account": v.id(), "email": address}).flow()
}

// moves changes the address of the visitor.
func (v *visitor) moves(address string) {
	v.Helper()
	flow := v.asks(address)
	v.verify(flow, v.mail.code(address)).must(200)
}

var alarmIn = regexp.MustCompile(`/auth/not-me\?token=([A-Za-z0-9_%-]+)`)

// alarm waits for the oldest email to the address with a link to raise the alarm,
// and returns its token.
func (s *site) alarm(address string) string {
	s.Helper()
	for {
		text, _ := s.mail.next(address).bodies(s.T)
		if m := alarmIn.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
}

// opensAlarm opens the page of the link, as a browser does, and returns its mark.
func (v *visitor) opensAlarm(token string) (mark string) {
	v.Helper()
	v.get("/auth/not-me?token=" + token).must(303)
	page := v.get("/auth/not-me")
	if found := regexp.MustCompile(`"mark":"([^"]+)"`).FindStringSubmatch(page.body); found != nil {
		return found[1]
	}
	v.Fatalf("the page has no mark: %d %.300s", page.status, page.body)
	return ""
}

func TestSEC006_AChangeOfTheAddressRevealsNoAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people := s.cast()
	owner := s.visitor()
	owner.signIn(people.active, good).must(200)
	s.settle()
	before := len(s.mail.all())
	answers := map[string]*answer{}
	for kind, address := range people.all() {
		v := s.visitor().register(fresh("attacker"))
		before++ // its code
		answers[kind] = v.post("account/addresses", object{"account": v.id(), "email": address})
		flow := answers[kind].flow()
		if state := v.get("/auth/api/flows/" + flow).must(200).body; !strings.Contains(state, `"state":"code"`) {
			t.Errorf("%s: %s", kind, state)
		}
	}
	alike(t, answers)
	s.settle()
	if n := len(s.mail.all()) - before; n != 5 {
		t.Errorf("%d emails, want one to each", n)
	}
	for _, taken := range []string{people.active, people.disabled, people.federated} {
		mails := s.mail.to(taken)
		if last := mails[len(mails)-1]; last.code(t) != "" || last.token(t) != "" {
			t.Errorf("%s gets a secret: %s", taken, last.subject(t))
		}
	}
	if owner.whoami() != people.active {
		t.Error("the owner's session has ended")
	}
}

func TestSEC128_AnUnfinishedChangeOfTheAddressEnds(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for name, end := range map[string]func(owner *visitor, address string){
		"a recovery": func(owner *visitor, address string) {
			flow := owner.forgot(address)
			owner.verify(flow, s.mail.code(address)).must(200)
			owner.reset(flow, other).must(200)
		},
		"a new password": func(owner *visitor, address string) {
			owner.signIn(address, good).must(200)
			owner.post("account/password", object{"account": owner.id(), "password": other, "confirm_password": other}).must(200)
		},
		"another address": func(owner *visitor, address string) {
			owner.signIn(address, good).must(200)
			owner.moves(fresh("new"))
		},
		"a disabled account": func(_ *visitor, address string) { s.disable(address) },
		"the end of the session": func(owner *visitor, address string) {
			owner.signIn(address, good).must(200)
			owner.do("DELETE", "/auth/api/sessions", "", owner.ours("application/json")).must(204)
		},
	} {
		address := fresh("v")
		thief, owner := s.visitor().register(address), s.visitor()
		type pending struct{ flow, code, link string }
		var all []pending
		for range 2 {
			mine := fresh("thief")
			flow := thief.asks(mine)
			m := s.mail.next(mine)
			all = append(all, pending{flow, m.code(t), m.token(t)})
		}
		end(owner, address)
		for _, p := range all {
			if a := thief.verify(p.flow, p.code); a.status < 400 {
				t.Errorf("after %s the code works: %s", name, a.body)
			}
			thief.open(p.link)
			if a := thief.post("confirm-link", object{}); a.status < 400 {
				t.Errorf("after %s the link works: %s", name, a.body)
			}
		}
		if thief.whoami() != "" {
			t.Errorf("after %s the thief is signed in", name)
		}
	}
}

func TestSEC280_OnlyTheOwnersBrowserChangesTheAddress(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, victim := fresh("thief"), fresh("victim")
	thief, reader := s.visitor().register(address), s.visitor().register(fresh("reader"))
	flow := thief.asks(victim)
	m := s.mail.next(victim)
	// The reader of the mailbox is led to the link by its email.
	reader.open(m.token(t)).must(200)
	reader.post("confirm-link", object{}).refused(403, "link.elsewhere")
	reader.verify(flow, m.code(t)).refused(404, "flow.unknown")
	// A browser that has signed in to another account, or out, does not either.
	thief.register(fresh("other"))
	thief.verify(flow, m.code(t)).refused(401, "session.required")
	thief.post("signout", object{}).must(200)
	thief.verify(flow, m.code(t)).refused(404, "flow.unknown")
	s.visitor().signIn(address, good).must(200)
	s.visitor().signIn(victim, good).refused(401, "signin.rejected")
}

func TestSEC281_OpeningTheAlarmDoesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, next := fresh("v"), fresh("next")
	v := s.visitor().register(address)
	v.moves(next)
	token := s.alarm(address)
	scanner := s.visitor()
	for _, method := range []string{"GET", "HEAD"} {
		scanner.do(method, "/auth/not-me?token="+token, "", nil).keep()
		scanner.do(method, "/auth/not-me", "", nil)
	}
	if v.whoami() != next {
		t.Fatal("opening the link has an effect")
	}
	// The button of a page does what that page says, and no other link.
	mark := scanner.opensAlarm(token)
	scanner.opensAlarm("another")
	scanner.post("not-me", object{"link": mark}).refused(409, "link.changed")
	scanner.post("not-me", object{}).refused(409, "link.changed")
	s.visitor().post("not-me", object{"link": mark}).refused(410, "alarm.over")
	s.visitor().post("not-me", object{}).refused(410, "alarm.over")
	foreign := scanner.do("POST", "/auth/api/not-me", encode(object{"link": mark}), http.Header{"Origin": {"https://evil.test"}, "Content-Type": {"application/json"}})
	if foreign.status != 403 {
		t.Errorf("a foreign page presses the button: %d", foreign.status)
	}
	if v.whoami() != next {
		t.Error("the session has ended")
	}
}

func TestSEC282_ALinkWorksOnceForOneOfMany(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, next := fresh("v"), fresh("next")
	v := s.visitor().register(address)
	flow := v.asks(next)
	together(v, "verify-code", object{"flow": flow, "code": s.mail.code(next)})
	s.settle()
	// A caller that comes second goes on without an effect, as after a double click.
	if moved := len(s.mail.to(address)) - 1; moved != 1 { // besides the code of the sign-up
		t.Errorf("%d of 20 callers changed the address", moved)
	}
	token := s.alarm(address)
	mark := v.opensAlarm(token)
	if raised := together(v, "not-me", object{"link": mark}); raised != 1 {
		t.Errorf("%d of 20 callers raised the alarm", raised)
	}
	s.clock.Advance(time.Minute)
	v.opensAlarm(token)
	v.post("not-me", object{"link": mark}).refused(409, "alarm.done")
}

// together sends a request 20 times at once, and returns how many succeed.
func together(v *visitor, operation string, body object) int {
	var done atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if a, err := v.tryAs(v, operation, body); err == nil && a.status == 200 {
				done.Add(1)
			}
		})
	}
	all.Wait()
	return int(done.Load())
}

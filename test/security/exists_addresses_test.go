package security

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// recovers adds an address of the visitor for a recovery.
func (v *visitor) recovers(address string) {
	v.Helper()
	flow := v.post("account/addresses", object{"account": v.id(), "email": address, "use": "recovery"}).flow()
	v.verify(flow, v.mail.code(address)).must(200)
}

// presses sends a form of the page of the addresses, without script.
func (v *visitor) presses(what, address string) *answer {
	v.Helper()
	return v.form("/auth/account/addresses/"+what, url.Values{"account": {v.id()}, "address": {address}})
}

func TestSEC294_NoResponseTellsWhatAnAddressIsFor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people := map[string]string{
		"primary": fresh("primary"), "recovery": fresh("recovery"), "other": fresh("other"),
		"removed": fresh("removed"), "nobody": fresh("nobody"),
	}
	owner := s.visitor().register(people["primary"])
	for _, kind := range []string{"removed", "other", "recovery"} {
		owner.recovers(people[kind])
		s.clock.Advance(time.Minute)
		owner.signIn(people["primary"], good).must(200)
	}
	if a := owner.presses("remove", people["removed"]); a.status != 303 {
		t.Fatalf("%d %.300s", a.status, a.body)
	}
	s.settle()
	attacker := s.visitor().register(fresh("attacker"))
	for name, ask := range map[string]func(v *visitor, address string) *answer{
		"forgot": func(v *visitor, address string) *answer { return v.post("forgot-password", object{"email": address}) },
		"signup": func(v *visitor, address string) *answer {
			return v.post("signup", object{"email": address, "password": good, "confirm_password": good})
		},
		"change": func(v *visitor, address string) *answer {
			return attacker.post("account/addresses", object{"account": attacker.id(), "email": address})
		},
		"recovery": func(v *visitor, address string) *answer {
			return attacker.post("account/addresses", object{"account": attacker.id(), "email": address, "use": "recovery"})
		},
	} {
		answers := map[string]*answer{}
		for kind, address := range people {
			v := s.visitor()
			if name == "change" || name == "recovery" {
				v = attacker
			}
			answers[kind] = ask(v, address)
			flow := answers[kind].flow()
			if state := v.get("/auth/api/flows/" + flow).must(200).body; !strings.Contains(state, `"state":"code"`) {
				t.Errorf("%s of the %s address: %s", name, kind, state)
			}
			v.verify(flow, "000000").refused(422, "code.wrong")
		}
		alike(t, answers)
		s.settle()
	}
	// No other address signs in, and the limits come at the same attempt.
	for n := range 6 {
		answers := map[string]*answer{}
		for kind, address := range people {
			password := good
			if kind == "primary" {
				password = other
			}
			if answers[kind] = s.visitor().signIn(address, password); answers[kind].status == 200 {
				t.Errorf("attempt %d: the %s address signs in", n, kind)
			}
		}
		alike(t, answers)
	}
	for _, kind := range []string{"other", "removed"} {
		for _, m := range s.mail.to(people[kind])[1:] { // after the code that proved it
			if text, _ := m.bodies(t); strings.Contains(text, people["primary"]) {
				t.Errorf("the %s address learns the primary one: %s", kind, text)
			}
		}
	}
}

func TestSEC295_AnAddressForRecoveryTakesNoAccountAndRegainsIt(t *testing.T) {
	announce(t)
	t.Parallel()
	s, acme := startWithIDP(t, false)
	address, safe := fresh("owner"), fresh("safe")
	owner := s.visitor().register(address)
	id := owner.id()
	owner.recovers(safe)
	s.settle()
	s.clock.Advance(73 * time.Hour)
	read := len(s.mail.to(safe))

	// The thief takes the mailbox of the primary address, too, and hides in it.
	l := s.robs(address, acme)
	if a := l.presses("remove", safe); a.status != 303 {
		t.Fatalf("%d %.300s", a.status, a.body)
	}
	flow := l.post("account/addresses", object{"account": id, "email": address, "use": "recovery"}).flow()
	l.verify(flow, lastCode(s, s.mail, address)).must(200)
	s.settle()

	var token string
	for _, m := range s.mail.to(safe)[read:] {
		text, _ := m.bodies(t)
		if found := alarmIn.FindStringSubmatch(text); found != nil {
			token = found[1]
			break
		}
	}
	flow = owner.raises(token).must(200).flow()
	owner.verify(flow, lastCode(s, s.mail, safe)).must(200)
	owner.reset(flow, third).must(200)
	if owner.id() != id || owner.whoami() != address {
		t.Errorf("the owner is %q", owner.whoami())
	}
	l.nothing(address)
	page := owner.get("/auth/account/addresses").must(200).body
	if strings.Contains(page, l.spare) || strings.Contains(page, l.address) || !strings.Contains(page, safe) {
		t.Error("the addresses are not those of the owner")
	}
	if a := owner.presses("primary", safe); !strings.Contains(a.body, "someone else") {
		t.Errorf("an alarm refuses no change of the addresses: %d", a.status)
	}
}

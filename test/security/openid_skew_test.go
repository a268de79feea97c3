package security

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"portico/internal/clock"
)

func TestSEC298_NodesApart(t *testing.T) {
	announce(t)
	for _, by := range []time.Duration{2 * time.Minute, -2 * time.Minute, 8 * time.Second, -8 * time.Second} {
		t.Run(fmt.Sprint(by), func(t *testing.T) {
			t.Parallel()
			right := start(t, onPostgres(t), withRP3(t), withTV)
			right.stop()
			right.clock, right.machine = clock.NewManual(time.Now()), clock.System{} // the clients have the right time
			right.run()
			wrong := right.node()
			wrong.stop()
			wrong.machine = clock.Skewed{By: by}
			wrong.run()
			address := fresh("v")
			v := right.visitor().register(address)
			for _, pair := range [][2]*site{{right, wrong}, {wrong, right}} {
				here, there := pair[0], pair[1]
				got := there.rp("token", codeForm(v.on(here).openIDCode()))
				if got.status != 200 || !here.works(got.Access) {
					t.Fatalf("a code of one node, at the other: %d %s", got.status, got.body)
				}
				next := here.rp("token", refreshForm(got.Refresh))
				if again := there.rp("token", refreshForm(got.Refresh)); again.Refresh == "" || again.Refresh != next.Refresh {
					t.Errorf("a lost answer that is asked for again at the other node: %d %s", again.status, again.body)
				}
				if a := v.on(there).pulls(here.pushes()); a.sentBack(rpBack).Get("code") == "" {
					t.Errorf("a pushed request at the other node: %d %s", a.status, a.header.Get("Location"))
				}
				d := here.device()
				v.on(there).form(devicePath, d.answer(v.on(there), "allow"))
				if got := (device{there, d.code, d.user}).polls(); got.Access == "" {
					t.Errorf("a device at the other node: %d %s", got.status, got.body)
				}
				right.clock.Advance(time.Since(right.clock.Now())) // slow machines too: the nodes' clocks run
				assertion := here.assertion(nil)
				if a := here.asks(assertion); a.status != 200 {
					t.Errorf("an assertion of a client whose clock is right: %d %s", a.status, a.body)
				}
				there.refused("an assertion again, at the other node", there.asks(assertion), "invalid_client")
				right.clock.Advance(time.Since(right.clock.Now()))
				k := here.keyholder()
				got = k.exchange(codeForm(v.openIDCode()))
				proof := k.proof("GET", userInfoPath, got.Access, nil)
				if status := here.shows("DPoP", got.Access, proof); status != 200 {
					t.Errorf("a proof of a client whose clock is right: %d", status)
				}
				if status := there.shows("DPoP", got.Access, proof); status != 401 {
					t.Errorf("a proof again, at the other node: %d", status)
				}
				// A new sign-in at the other node counts, and an earlier one does not.
				to := query(t, v.on(here).authorize(codeRequest("prompt", "login")).header.Get("Location")).Get("return_to")
				if back := v.on(there).get(to).sentBack(rpBack); back != nil {
					t.Errorf("the browser goes on without a new sign-in: %v", back)
				}
				if a := v.on(here).get(v.on(there).signInTo(address, to)); a.sentBack(rpBack).Get("code") == "" {
					t.Errorf("after a new sign-in: %d %s", a.status, a.header.Get("Location"))
				}
			}
		})
	}
}

// query returns the parameters of an address.
func query(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// An assertion or a proof that is two minutes early is refused until its time has come. An
// assertion that is two minutes late counts once while it is valid.
func TestSEC298_ClientsApart(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRP3(t))
	v, k := s.visitor().register(fresh("v")), s.keyholder()
	signed := func(by, life time.Duration) string {
		at := s.clock.Now().Add(by)
		return s.assertion(object{"iat": at.Unix(), "nbf": at.Unix(), "exp": at.Add(life).Unix()})
	}
	early := signed(2*time.Minute, time.Minute)
	s.refused("an assertion of a clock two minutes ahead", s.asks(early), "invalid_client")
	s.refused("an assertion that has ended by now", s.asks(signed(-2*time.Minute, time.Minute)), "invalid_client")
	late := signed(-2*time.Minute, 5*time.Minute)
	if a := s.asks(late); a.status != 200 {
		t.Errorf("an assertion of a clock two minutes behind: %d %s", a.status, a.body)
	}
	s.refused("the same again", s.asks(late), "invalid_client")

	got := k.exchange(codeForm(v.openIDCode()))
	proof := func(by time.Duration) string {
		return k.proof("GET", userInfoPath, got.Access, object{"iat": s.clock.Now().Add(by).Unix()})
	}
	soon := proof(2 * time.Minute)
	for _, text := range []string{soon, proof(-2 * time.Minute)} {
		if status := s.shows("DPoP", got.Access, text); status != 401 {
			t.Errorf("a proof of a clock two minutes off: %d", status)
		}
	}
	code := v.openIDCode()
	s.refused("a code with an early proof", s.proves(codeForm(code), k.proof("POST", tokenPath, "", object{"iat": s.clock.Now().Add(2 * time.Minute).Unix()})), "invalid_dpop_proof")
	if a := k.exchange(codeForm(code)); a.status != 200 {
		t.Errorf("the attempt has used up the code: %d %s", a.status, a.body)
	}
	s.clock.Advance(2 * time.Minute)
	if a := s.asks(early); a.status != 200 {
		t.Errorf("the assertion at its time: %d %s", a.status, a.body)
	}
	if status := s.shows("DPoP", got.Access, soon); status != 200 {
		t.Errorf("the proof at its time: %d", status)
	}
	s.refused("the assertion again", s.asks(early), "invalid_client")
	if status := s.shows("DPoP", got.Access, soon); status != 401 {
		t.Errorf("the proof again: %d", status)
	}
}

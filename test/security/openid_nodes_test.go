package security

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/logtest"
	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// startPair runs two nodes on one PostgreSQL, with one clock.
func startPair(t *testing.T, options ...option) (a, b *site) {
	t.Helper()
	a = start(t, append([]option{onPostgres(t)}, options...)...)
	return a, a.node()
}

func onPostgres(t *testing.T) option {
	return func(c *config.Config) {
		c.DatabaseURL = pgtest.Migrated(t)
		if _, err := secret.CreateKey(c.SecretFile); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

// node runs another node on the same data.
func (s *site) node() *site {
	s.Helper()
	next := &site{
		T: s.T, clock: s.clock, machine: s.machine, mail: s.mail, log: &logtest.Buffer{}, trace: s.trace, config: s.config,
		screens: s.screens, secure: s.secure, browsers: s.browsers,
	}
	next.run()
	next.Cleanup(func() { next.stop() })
	return next
}

// on returns the same browser at another node.
func (v *visitor) on(s *site) *visitor {
	v.Helper()
	w := s.visitor()
	w.cookies = v.cookies
	return w
}

// raceAt is race with the odd attempts at one node and the even ones at the other.
func raceAt(a, b *site, try func(s *site) bool) (won int) {
	var turn atomic.Int64
	return race(20, func() bool { return try([]*site{a, b}[turn.Add(1)%2]) })
}

// soonDead expects that an access token stops working at both nodes. A node hears twice a
// second of what has ended at another.
func soonDead(a, b *site, access string) {
	a.Helper()
	for deadline := time.Now().Add(testform.Patience); a.works(access) || b.works(access); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.Error("an access token works at a node after its grant has ended at another")
			return
		}
	}
}

func TestSEC297_CodesAndTokensAtTwoNodes(t *testing.T) {
	announce(t)
	t.Parallel()
	a, b := startPair(t)
	v := a.visitor().register(fresh("v"))
	if got := b.rp("token", codeForm(v.openIDCode())); got.status != 200 || !a.works(got.Access) {
		t.Fatalf("a code of one node, at the other: %d %s", got.status, got.body)
	}
	for range rounds(2, 50) {
		form := codeForm(v.openIDCode())
		answers := make(chan rpAnswer, 20)
		won := raceAt(a, b, func(s *site) bool {
			got := s.rp("token", form)
			answers <- got
			return got.Access != ""
		})
		if won != 1 {
			t.Fatalf("%d of 20 redemptions of one code at two nodes gave tokens", won)
		}
		for range 20 {
			if got := <-answers; got.Access != "" {
				soonDead(a, b, got.Access)
			}
		}
	}
	for range rounds(2, 50) {
		refresh, next := v.rpTokens().Refresh, make(chan string, 20)
		if won := raceAt(a, b, func(s *site) bool {
			got := s.rp("token", refreshForm(refresh))
			next <- got.Refresh
			return got.Refresh != ""
		}); won != 20 {
			t.Fatalf("%d of 20 who asked at once got tokens", won)
		}
		one := <-next
		for range 19 {
			if other := <-next; other != one {
				t.Fatal("two nodes give one refresh token two successors")
			}
		}
	}
	first := v.rpTokens()
	second := a.rp("token", refreshForm(first.Refresh))
	a.clock.Advance(29 * time.Second)
	if again := b.rp("token", refreshForm(first.Refresh)); again.Refresh != second.Refresh || !a.works(again.Access) {
		t.Errorf("a lost answer that is asked for again at the other node: %d %s", again.status, again.body)
	}
	a.clock.Advance(2 * time.Second)
	b.refused("a used token after 31 seconds", b.rp("token", refreshForm(first.Refresh)), "invalid_grant")
	a.refused("its successor, at the node that gave it", a.rp("token", refreshForm(second.Refresh)), "invalid_grant")
	soonDead(a, b, second.Access)
}

func TestSEC297_ProofsAtTwoNodes(t *testing.T) {
	announce(t)
	t.Parallel()
	a, b := startPair(t, withRP3(t), withTV)
	v, k := a.visitor().register(fresh("v")), a.keyholder()
	got := k.exchange(codeForm(v.openIDCode()))
	for range rounds(2, 50) {
		assertion := a.assertion(nil)
		if won := raceAt(a, b, func(s *site) bool { return s.asks(assertion).status == 200 }); won != 1 {
			t.Fatalf("one assertion proved %d times who the client is", won)
		}
		proof := k.proof("GET", userInfoPath, got.Access, nil)
		if won := raceAt(a, b, func(s *site) bool { return s.shows("DPoP", got.Access, proof) == 200 }); won != 1 {
			t.Fatalf("one proof counted %d times at UserInfo", won)
		}
		proof, form := k.proof("POST", tokenPath, "", nil), refreshForm(v.rpTokens().Refresh)
		if won := raceAt(a, b, func(s *site) bool { return s.proves(form, proof).status == 200 }); won != 1 {
			t.Fatalf("one proof counted %d times at a refresh", won)
		}
		name := a.pushes()
		if won := raceAt(a, b, func(s *site) bool { return v.copied().on(s).pulls(name).sentBack(rpBack).Get("code") != "" }); won != 1 {
			t.Fatalf("one pushed request gave %d codes", won)
		}
		d := a.device()
		v.on(b).form(devicePath, d.answer(v, "allow"))
		a.clock.Advance(5 * time.Second)
		if won := raceAt(a, b, func(s *site) bool { return device{s, d.code, d.user}.polls().Access != "" }); won != 1 {
			t.Fatalf("one device got tokens %d times", won)
		}
	}
}

func TestSEC297_SignOutAtTwoNodes(t *testing.T) {
	announce(t)
	t.Parallel()
	var told atomic.Int64
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.Count(r.FormValue("logout_token"), ".") == 2 {
			told.Add(1)
		}
	}))
	t.Cleanup(client.Close)
	a, b := startPair(t, func(c *config.Config) { c.Clients[0].LogoutURI = client.URL })
	users := int64(rounds(4, 50))
	for range users {
		v := a.visitor().register(fresh("v"))
		got := v.rpTokens()
		code := v.on(b).openIDCode()
		if !b.works(got.Access) {
			t.Fatal("the other node does not know the token")
		}
		v.form("/auth/openid/logout/confirm", url.Values{"account": {v.id()}, "request": {"client_id=rp"}})
		soonDead(a, b, got.Access)
		b.refused("a refresh at the other node", b.rp("token", refreshForm(got.Refresh)), "invalid_grant")
		b.refused("a code at the other node", b.rp("token", codeForm(code)), "invalid_grant")
	}
	a.settle()
	if told.Load() != users {
		t.Errorf("a client is told %d times about %d sessions", told.Load(), users)
	}
}

package security

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/testform"
)

func TestSEC062_SignInMakesANewSession(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara, noor := s.two()
	v := s.visitor()
	planted := strings.Repeat("A", 43)
	v.cookies[v.cookieName("session")] = planted
	v.get("/auth/signin").must(200)
	v.signIn(mara, good).must(200)
	first := v.cookie("session")
	if first == planted || len(first) < 43 {
		t.Fatalf("the session is %q", first)
	}
	if s.with(planted).whoami() != "" {
		t.Error("the planted value opens a session")
	}
	for _, next := range []string{mara, noor} { // the same user again, then another user in the same browser
		before := v.cookie("session")
		if s.with(before).whoami() == "" { // the cache holds the session now
			t.Fatal("the session does not work")
		}
		v.signIn(next, good).must(200)
		if v.cookie("session") == before || s.with(before).whoami() != "" {
			t.Errorf("the session from before the sign-in of %s still works", next)
		}
	}
	flow := v.forgot(noor)
	v.verify(flow, lastCode(s, s.mail, noor)).must(200)
	before := v.cookie("session")
	v.reset(flow, other).must(200)
	if v.cookie("session") == before || s.with(before).whoami() != "" {
		t.Error("the session from before the recovery still works")
	}
}

func TestSEC064_PlantedCookiesDoNotWin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	w := s.visitor().register(fresh("w"))
	name := v.cookieName("session")
	if !strings.HasPrefix(name, "__Host-") {
		t.Errorf("the session cookie is named %s", name)
	}
	mine, theirs := name+"="+v.cookie("session"), name+"="+w.cookie("session")
	for _, line := range []string{
		mine + "; " + theirs, theirs + "; " + mine, mine + ";" + mine, mine + `; ` + name + `="x"`, `$Version=1; ` + mine + `; $Path=/; ` + theirs, mine + "; " + name + "=",
	} {
		a := v.do("GET", "/auth/api/session", "", http.Header{"Cookie": {line}})
		a.refused(401, "session.required")
		if set := a.header["Set-Cookie"]; len(set) == 0 || !strings.Contains(set[0], "Max-Age=0") {
			t.Errorf("%s: the cookies are not cleared: %v", line, set)
		}
	}
	if a := v.do("GET", "/auth/api/session", "", http.Header{"Cookie": {mine, theirs}}); a.status != 401 {
		t.Errorf("two Cookie headers get status %d", a.status)
	}
	// The same for the cookie that binds flows to the browser.
	flow := v.forgot(fresh("n"))
	browser := v.cookieName("browser") + "=" + v.cookie("browser")
	h := v.ours("application/json")
	h["Cookie"] = []string{browser + "; " + v.cookieName("browser") + "=" + w.cookie("browser")}
	v.do("POST", "/auth/api/verify-code", encode(object{"flow": flow, "code": "000000"}), h).refused(404, "flow.unknown")
}

func TestSEC065_SignOutIsOnTheServer(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for _, way := range []string{"api", "form"} {
		v := s.visitor().register(fresh("v"))
		copied := s.with(v.cookie("session"))
		if copied.whoami() == "" {
			t.Fatal("the copied session does not work")
		}
		var a *answer
		if way == "api" {
			a = v.post("signout", object{}).must(200)
		} else {
			a = v.form("/auth/signout", nil).must(303)
		}
		if v.cookie("session") != "" || copied.whoami() != "" {
			t.Errorf("%s: the session works after the sign-out", way)
		}
		if !strings.Contains(a.header.Get("Clear-Site-Data"), `"storage"`) {
			t.Errorf("%s: what the browser keeps is not emptied", way)
		}
	}
	// All other sessions end at once.
	address := fresh("v")
	v := s.visitor().register(address)
	elsewhere := s.visitor()
	elsewhere.signIn(address, good).must(200)
	elsewhere.whoami()
	v.do("DELETE", "/auth/api/sessions", "", v.ours("")).must(204)
	if elsewhere.whoami() != "" || v.whoami() != address {
		t.Errorf("after ending the others: here %q, elsewhere %q", v.whoami(), elsewhere.whoami())
	}
}

// The owner changes the password in one of three browsers.
func TestSEC066_OwnPasswordChangeEndsTheRest(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	trusted := p.trusting()
	third, flow := p.pending()
	third.give(flow, p.code()).must(200)
	app := third.rpTokens()
	if !s.works(app.Access) || third.whoami() != p.address {
		t.Fatal("the app of the third browser does not work")
	}
	before := owner.cookie("session")
	s.settle()
	mails := len(s.mail.to(p.address))
	owner.post("account/password", guardedRoutes(owner.id())["account/password"]).must(200)
	if owner.whoami() != p.address || owner.cookie("session") == before || s.with(before).whoami() != "" {
		t.Errorf("the own session is of %q, and its token before of %q", owner.whoami(), s.with(before).whoami())
	}
	if trusted.whoami() != "" || third.whoami() != "" {
		t.Error("another browser is still signed in")
	}
	s.refused("the refresh token", s.rp("token", refreshForm(app.Refresh)), "invalid_grant")
	if s.works(app.Access) {
		t.Error("the access token works")
	}
	if trusted.signIn(p.address, other).must(200); trusted.whoami() != "" {
		t.Error("a browser that was trusted before the change is not asked for the factor")
	}
	s.settle()
	if n := len(s.mail.to(p.address)) - mails; n != 1 {
		t.Errorf("the owner gets %d emails, want one", n)
	}
}

// An operator changes the password.
func TestSEC066_PasswordChangeEndsSessions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	a := s.operator(address, good)
	browsers := []*visitor{s.visitor(), s.visitor(), s.visitor()}
	for _, v := range browsers {
		v.signIn(address, good).must(200)
		v.whoami()
	}
	device := browsers[0].cookie("device")
	if err := s.app.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, other); err != nil {
		t.Fatal(err)
	}
	for i, v := range browsers {
		if v.whoami() != "" {
			t.Errorf("browser %d is still signed in", i)
		}
	}
	s.settle()
	before := len(s.mail.to(address))
	v := s.visitor()
	v.cookies[v.cookieName("device")] = device
	v.signIn(address, other).must(200)
	s.settle()
	if len(s.mail.to(address)) != before+1 {
		t.Error("a browser that was known before the change still counts as known")
	}
}

func TestSEC067_ResetEndsTheAttackersSessions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	attacker, owner := s.visitor(), s.visitor()
	attacker.signIn(address, good).must(200)
	attacker.whoami()
	pending := attacker.forgot(address) // the attacker has started a flow before
	s.settle()                          // its email comes before the owner's own
	flow := owner.forgot(address)
	owner.verify(flow, lastCode(s, s.mail, address)).must(200)
	owner.reset(flow, other).must(200)
	if attacker.whoami() != "" {
		t.Error("the attacker is still signed in")
	}
	for _, email := range s.mail.to(address) {
		if code := email.code(t); code != "" {
			if a := attacker.verify(pending, code); a.status == 200 {
				t.Error("the attacker's flow goes on")
			}
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM session`); n != 1 {
		t.Errorf("%d sessions, want the owner's alone", n)
	}
	attacker.signIn(address, good).refused(401, "signin.rejected")
}

func TestSEC068_DisabledIsOutEverywhere(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, event := range []string{"disabled", "deleted", "disabled by another process"} {
		s := start(t)
		address := fresh("v")
		a := s.operator(address, good)
		v, recovering, mailed := s.visitor(), s.visitor(), s.visitor()
		v.signIn(address, good).must(200)
		v.whoami()
		recovery := recovering.forgot(address)
		recovering.verify(recovery, lastCode(s, s.mail, address)).must(200)
		mailed.forgot(address)
		s.settle()
		mails := s.mail.to(address)
		token := mails[len(mails)-1].token(t)
		switch event {
		case "disabled":
			s.disable(address)
		case "deleted":
			if err := s.app.Operator.DeleteUser(t.Context(), flow.ByOperator, a.ID); err != nil {
				t.Fatal(err)
			}
		default: // an operator's command beside the server
			beside, err := app.New(t.Context(), s.config, app.Options{Clock: s.clock})
			if err != nil {
				t.Fatal(err)
			}
			operator := *s
			operator.app = beside
			operator.disable(address)
			if err := beside.Close(); err != nil {
				t.Fatal(err)
			}
			deadline := time.Now().Add(testform.Limit(time.Second))
			for v.whoami() != "" && time.Now().Before(deadline) {
				time.Sleep(20 * time.Millisecond)
			}
		}
		if v.whoami() != "" {
			t.Errorf("%s: still signed in", event)
		}
		if a := recovering.reset(recovery, other); a.status != 404 {
			t.Errorf("%s: the reset gets status %d", event, a.status)
		}
		mailed.open(token)
		if a := mailed.post("confirm-link", object{}); a.status == 200 {
			t.Errorf("%s: the mailed link works", event)
		}
		before := len(mails)
		s.visitor().forgot(address)
		s.settle()
		for _, email := range s.mail.to(address)[before:] {
			if email.code(t) != "" {
				t.Errorf("%s: a recovery emails a code", event)
			}
		}
		if a := s.visitor().signIn(address, good); a.status == 200 {
			t.Errorf("%s: the password signs in", event)
		}
	}
}

func TestSEC070_SessionsEnd(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	const day = 24 * time.Hour
	s.visitor().signIn(address, good).must(200)

	used := s.visitor()
	used.signIn(address, good).must(200)
	for range 29 {
		s.clock.Advance(day)
		if used.whoami() == "" {
			t.Fatal("a session that is used every day ended early")
		}
	}
	s.clock.Advance(day - time.Second)
	if used.whoami() == "" {
		t.Error("ended a second before its absolute end")
	}
	s.clock.Advance(time.Second)
	if used.whoami() != "" {
		t.Error("use has extended the absolute lifetime")
	}

	idle, watched := s.visitor(), s.visitor()
	idle.signIn(address, good).must(200)
	watched.signIn(address, good).must(200)
	s.clock.Advance(7*day - time.Second)
	if watched.whoami() == "" {
		t.Error("ended a second before the idle end")
	}
	s.clock.Advance(time.Second)
	if idle.whoami() != "" {
		t.Error("works after the idle end")
	}
	if watched.whoami() == "" {
		t.Error("use does not extend the idle time")
	}

	back := s.visitor()
	back.signIn(address, good).must(200)
	s.clock.Advance(3 * day)
	back.whoami()
	s.clock.Advance(-2 * day) // the clock is set back
	back.whoami()
	s.clock.Advance(2*day + 7*day)
	if back.whoami() != "" {
		t.Error("a clock that was set back has changed the idle time")
	}
}

func TestSEC072_SessionsAreListedAndEndedByTheirOwnerOnly(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	a := s.visitor().register(fresh("a"))
	ids := func(w *visitor) (list []string) {
		var body struct{ Sessions []struct{ ID string } }
		w.do("GET", "/auth/api/sessions", "", nil).must(200).parse(&body)
		for _, one := range body.Sessions {
			list = append(list, one.ID)
		}
		return list
	}
	theirs := ids(v)
	if len(theirs) != 1 || len(ids(a)) != 1 || ids(a)[0] == theirs[0] {
		t.Fatalf("the lists are %v and %v", theirs, ids(a))
	}
	made := a.do("DELETE", "/auth/api/sessions/"+flowID, "", a.ours(""))
	foreign := a.do("DELETE", "/auth/api/sessions/"+theirs[0], "", a.ours(""))
	foreign.refused(404, "session.missing")
	alike(t, map[string]*answer{"made up": made, "foreign": foreign})
	if a.do("GET", "/auth/api/sessions/"+theirs[0], "", nil).status == 200 {
		t.Error("a foreign session is shown")
	}
	a.do("DELETE", "/auth/api/sessions", "", a.ours("")).must(204)
	if v.whoami() == "" {
		t.Error("a stranger has ended the session")
	}
	list := v.do("GET", "/auth/api/sessions", "", nil).body
	for _, secret := range []string{v.cookie("session"), v.cookie("device"), v.cookie("browser"), "127."} {
		if strings.Contains(list, secret) {
			t.Errorf("the list shows %s: %s", secret, list)
		}
	}
	v.do("DELETE", "/auth/api/sessions/"+theirs[0], "", v.ours("")).must(204)
	if v.whoami() != "" {
		t.Error("the owner cannot end the session")
	}
}

func TestSEC073_UseDoesNotReviveAnEndedSession(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	for range rounds(8, 100) {
		v, owner := s.visitor(), s.visitor()
		v.signIn(address, good).must(200)
		owner.signIn(address, good).must(200)
		var odd atomic.Int64
		atOnce(21, func(i int) {
			var err error
			if i == 0 {
				_, err = owner.try("DELETE", "/auth/api/sessions", "", owner.ours(""))
			} else {
				_, err = v.try("GET", "/auth/api/session", "", nil)
			}
			if err != nil {
				odd.Add(1)
			}
		})
		if odd.Load() > 0 || v.whoami() != "" {
			t.Fatalf("the session was revived (%d requests broke)", odd.Load())
		}
	}
}

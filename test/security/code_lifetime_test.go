package security

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/flow"
)

func TestSEC025_CodeWorksOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor()
	flow := v.signUp(address, good)
	code := s.mail.next(address).code(t)
	thief := s.visitor() // knows the code and the flow
	v.verify(flow, code).must(200)
	session := v.cookie("session")

	again := v.verify(flow, code) // a double click is no replay: it continues, without a second session
	if again.must(200); v.cookie("session") != session {
		t.Error("the second use of a code made another session")
	}
	thief.verify(flow, code).refused(404, "flow.unknown")
	thief.cookies[thief.cookieName("browser")] = v.cookie("browser") // even with the cookie that binds the flow
	replay := thief.verify(flow, code)
	replay.refused(409, "code.used")
	if len(replay.header["Set-Cookie"]) > 0 {
		t.Errorf("a replay sets %v", replay.header["Set-Cookie"])
	}
	if n := s.count(`SELECT COUNT(*) FROM session`); n != 1 {
		t.Errorf("%d sessions, want one", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'code_replayed'`); n != 1 {
		t.Errorf("the record has %d replays, want one", n)
	}

	w := s.visitor()
	recovery := w.forgot(address)
	code = s.mail.next(address).code(t)
	w.verify(recovery, code).must(200)
	w.verify(recovery, code).refused(409, "code.used")
}

func TestSEC026_CodeWorksOnceUnderConcurrency(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	workers := rounds(20, 30)
	for round := range rounds(3, 50) {
		address := fresh("v")
		v := s.visitor()
		flow := v.signUp(address, good)
		email := s.mail.next(address)
		oneWins(s, "sign-up code", workers, v, "verify-code", object{"flow": flow, "code": email.code(t)})
		if n := s.count(`SELECT COUNT(*) FROM session JOIN account a ON a.id = account_id WHERE a.address = $1`, address); n != 1 {
			t.Errorf("round %d: %d sessions, want one", round, n)
		}
		w := s.visitor()
		flow = w.forgot(address)
		email = s.mail.next(address)
		w.open(email.token(t)).must(200)
		oneWins(s, "recovery link", workers, w, "confirm-link", object{})
		oneWins(s, "reset", rounds(4, 30), w, "reset-password", object{"flow": flow, "password": other, "confirm_password": other})
		s.visitor().signIn(address, other).must(200)
		s.clock.Advance(time.Hour)
	}
}

// oneWins sends the same write many times at once. One must succeed, the others
// must be refused, and none may fail otherwise.
func oneWins(s *site, what string, workers int, v *visitor, operation string, body object) {
	s.Helper()
	var won, refused, odd atomic.Int64
	atOnce(workers, func(int) {
		a, err := v.try("POST", "/auth/api/"+operation, encode(body), v.ours("application/json"))
		switch {
		case err == nil && a.status == 200:
			won.Add(1)
		case err == nil && a.status < 500:
			refused.Add(1)
		default:
			odd.Add(1)
		}
	})
	if won.Load() != 1 || odd.Load() > 0 {
		s.Errorf("%s at once: %d won, %d were refused, %d broke", what, won.Load(), refused.Load(), odd.Load())
	}
}

func TestSEC027_CodeIsBoundToItsPurpose(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known, unknown := fresh("v"), fresh("n")
	s.operator(known, good)
	v := s.visitor()
	signUp, recovery := v.signUp(unknown, good), v.forgot(known)
	signUpCode, recoveryCode := s.mail.next(unknown).code(t), s.mail.next(known).code(t)
	if signUpCode == recoveryCode {
		t.Skip("both codes are the same by chance")
	}
	before := s.evaluated("code_failed")
	v.verify(recovery, signUpCode).refused(422, "code.wrong")
	v.verify(signUp, recoveryCode).refused(422, "code.wrong")
	if n := s.evaluated("code_failed") - before; n != 2 {
		t.Errorf("%d failures were counted, want 2", n)
	}
	v.reset(signUp, other).refused(409, "flow.conflict")
	if v.cookie("session") != "" {
		t.Error("a code of another purpose opened a session")
	}
}

func TestSEC028_CodeIsBoundToAccountFlowAndBrowser(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	attacker, victim := s.two()
	a, v := s.visitor(), s.visitor()
	own, theirs := a.forgot(attacker), v.forgot(victim)
	code := s.mail.next(attacker).code(t)

	a.verify(theirs, code).refused(404, "flow.unknown")
	a.post("verify-code", object{"flow": own, "code": code, "email": victim}).refused(400, "field.unknown")
	stolen := s.visitor()
	stolen.cookies[stolen.cookieName("browser")] = v.cookie("browser")
	stolen.verify(own, code).refused(404, "flow.unknown")
	if code != s.mail.next(victim).code(t) {
		v.verify(theirs, code).refused(422, "code.wrong")
	}

	a.verify(own, code).must(200)
	a.reset(theirs, other).refused(404, "flow.unknown") // the attacker changes the hidden field after the code
	a.post("reset-password", object{"flow": own, "password": other, "confirm_password": other, "email": victim}).refused(400, "field.unknown")
	a.form("/auth/reset-password?email="+victim, map[string][]string{"flow": {own}, "password": {other}, "confirm_password": {other}}).must(303)
	if a.whoami() != attacker {
		t.Errorf("the reset signed in %q", a.whoami())
	}
	s.visitor().signIn(victim, good).must(200)
}

func TestSEC029_ResetIsDeadAfterUse(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	flow := v.forgot(address)
	email := s.mail.next(address)
	v.verify(flow, email.code(t)).must(200)
	v.reset(flow, other).must(200)
	v.cookies = map[string]string{v.cookieName("browser"): v.cookie("browser")}
	for range 2 {
		v.reset(flow, good+" again").refused(409, "flow.conflict")
		v.verify(flow, email.code(t)).refused(409, "code.used")
		v.open(email.token(t))
		v.post("confirm-link", object{}).refused(409, "link.used")
		s.clock.Advance(time.Minute)
	}
	s.clock.Advance(49 * time.Hour) // long after the flow may be deleted
	v.reset(flow, good+" again").refused(404, "flow.unknown")
	v.open(email.token(t))
	if a := v.post("confirm-link", object{}); a.status == 200 {
		t.Error("the link works after its end")
	}
	s.visitor().signIn(address, other).must(200)
}

func TestSEC030_ResetIsDeadAfterAnotherChange(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for name, event := range map[string]func(address string){
		"the operator set a password": func(address string) {
			a, err := s.app.Operator.User(t.Context(), address)
			if err == nil {
				err = s.app.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, "set by the operator 17")
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"the account was disabled": func(address string) { s.disable(address) },
		"another recovery was carried out": func(address string) {
			w := s.visitor()
			flow := w.forgot(address)
			w.verify(flow, lastCode(s, s.mail, address)).must(200)
			w.reset(flow, other).must(200)
		},
	} {
		address := fresh("v")
		s.operator(address, good)
		proven, mailed := s.visitor(), s.visitor()
		first := proven.forgot(address)
		proven.verify(first, s.mail.next(address).code(t)).must(200) // this flow waits for the new password
		second := mailed.forgot(address)                             // this flow waits for the code
		email := s.mail.next(address)
		event(address)
		if a := proven.reset(first, "the attacker's choice 5"); a.status != 404 {
			t.Errorf("%s: a reset that was proven before gets status %d", name, a.status)
		}
		if a := mailed.verify(second, email.code(t)); a.status == 200 {
			t.Errorf("%s: a code that was mailed before still works", name)
		}
		mailed.open(email.token(t))
		if a := mailed.post("confirm-link", object{}); a.status == 200 {
			t.Errorf("%s: a link that was mailed before still works", name)
		}
		if a := s.visitor().signIn(address, "the attacker's choice 5"); a.status == 200 {
			t.Errorf("%s: the password was set", name)
		}
	}
}

func TestSEC031_LifetimesAreKept(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known := fresh("v")
	s.operator(known, "")
	begin := map[string]func(v *visitor) (string, string){
		"sign-up":  func(v *visitor) (string, string) { a := fresh("n"); return v.signUp(a, good), a },
		"recovery": func(v *visitor) (string, string) { return v.forgot(known), known },
	}
	for kind, run := range begin {
		for _, late := range []bool{false, true} {
			for _, way := range []string{"code", "link"} {
				s.clock.Advance(25 * time.Hour)
				v := s.visitor()
				flow, address := run(v)
				email := s.mail.next(address)
				if text, _ := email.bodies(t); !strings.Contains(text, "10 minutes") {
					t.Errorf("the email does not say how long the code works:\n%s", text)
				}
				s.clock.Advance(10*time.Minute - time.Second)
				if late {
					s.clock.Advance(2 * time.Second)
				}
				var a *answer
				if way == "code" {
					a = v.verify(flow, email.code(t))
				} else {
					v.open(email.token(t))
					a = v.post("confirm-link", object{})
				}
				if want := map[bool]int{false: 200, true: 410}[late]; a.status != want {
					t.Errorf("%s, %s, late %v: %d %s, want %d", kind, way, late, a.status, a.body, want)
				}
			}
		}
	}
}

func TestSEC032_ExpiryIsCheckedAtEachStep(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	// The link is opened in time, and its button is pressed too late.
	v := s.visitor()
	v.forgot(address)
	email := s.mail.next(address)
	if a := v.open(email.token(t)); a.status != 200 {
		t.Fatalf("the link opens with %d", a.status)
	}
	s.clock.Advance(11 * time.Minute)
	v.post("confirm-link", object{}).refused(410, "link.expired")
	// The page for the new password is opened in time, and its form is sent too
	// late.
	flow := v.forgot(address)
	v.verify(flow, s.mail.next(address).code(t)).must(200)
	v.get("/auth/reset-password?flow=" + flow).must(200)
	s.clock.Advance(time.Hour)
	v.reset(flow, other).refused(404, "flow.unknown")
	// In the wrong browser and too late, each alone and together.
	flow = v.forgot(address)
	code := s.mail.next(address).code(t)
	s.visitor().verify(flow, code).refused(404, "flow.unknown")
	s.clock.Advance(11 * time.Minute)
	s.visitor().verify(flow, code).refused(404, "flow.unknown")
	v.verify(flow, code).refused(410, "code.expired")
	s.visitor().signIn(address, good).must(200)
}

func TestSEC033_OldCodesAfterResend(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, "")
	v := s.visitor()
	flow := v.forgot(address)
	codes := []string{s.mail.next(address).code(t)}
	for range 3 {
		s.settle() // otherwise the clock ends a lease, and an email is sent again
		s.clock.Advance(31 * time.Second)
		v.post("resend", object{"flow": flow}).must(200)
		codes = append(codes, s.mail.next(address).code(t))
	}
	for _, code := range codes[:2] { // only the two newest codes are valid, because an email may still be on its way
		if a := v.verify(flow, code); a.status == 200 {
			t.Error("a replaced code works")
		}
	}
	if n := s.count(`SELECT MAX(attempts) FROM throttle WHERE forget_at - last_at > 144000000000 AND attempts < 5`); n < 2 {
		t.Errorf("the replaced codes were not counted as guesses: %d", n)
	}
	v.verify(flow, codes[2]).must(200)
}

func TestSEC439_CodesForNothingAreNotRecordedForever(t *testing.T) {
	announce(t)
	t.Parallel()
	s, _ := startWithIDP(t, true)
	address := fresh("v")
	s.operator(address, good)
	reset, leaving := s.visitor(), s.visitor()
	used := reset.forgot(address)
	code := s.mail.code(address)
	reset.verify(used, code).must(200)
	never := leaving.leave("acme", nil).Get("state")
	const records = `SELECT COUNT(*) FROM audit`
	before := s.count(records)
	for range 20 {
		reset.verify(used, code).refused(409, "code.used")
		leaving.verify(never, code).refused(409, "code.used")
	}
	if n := s.count(records) - before; n != 4 { // the guesses that the flow had left
		t.Errorf("%d records", n)
	}
}

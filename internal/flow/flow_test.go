package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/session"
	"portico/internal/throttle"
)

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

func TestSignUp_ToSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{
		Email: "Mara@Example.org", Password: good, Confirm: good, ReturnTo: b.Flows.Targets().Check("/welcome?a=1"),
	}))
	if want := "/auth/verify-code?flow=" + r.FlowID; r.Next != want || r.Session != nil {
		t.Fatalf("after sign-up: next %q, session %v", r.Next, r.Session)
	}
	m := b.next()
	if m.Template != "verify-address" || m.To != "Mara@Example.org" || m.Data["minutes"] != "10" {
		t.Errorf("mail %+v", m)
	}
	if _, err := b.Operator.User(t.Context(), "mara@example.org"); codeOf(err) != account.CodeMissingAddress {
		t.Errorf("an account exists before its address is proven: %v", err)
	}
	r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	if r.Next != "/welcome?a=1" || v.signedIn() != "Mara@Example.org" {
		t.Errorf("after the code: next %q, signed in %q", r.Next, v.signedIn())
	}
}

// SEC-003: a sign-up with a taken address gets the usual response. The owner is
// notified, and the account does not change.
func TestSignUp_TakenAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, stranger := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	owner.register("mara@example.org")
	r := stranger.must(b.Flows.SignUp(t.Context(), stranger.Caller, flow.SignUpInput{Email: "MARA@example.org", Password: "another " + good, Confirm: "another " + good}))
	if !strings.HasPrefix(r.Next, "/auth/verify-code?flow=") {
		t.Errorf("next %q", r.Next)
	}
	if m := b.next(); m.Template != "already-registered" || m.To != "mara@example.org" || m.Data["code"] != "" || m.Data["link"] != "" {
		t.Errorf("mail %+v", m)
	}
	if _, err := owner.signIn("mara@example.org", good); err != nil {
		t.Errorf("the owner's password: %v", err)
	}
}

func TestSignIn_Refusals(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	a := b.user("mara@example.org")
	pending := b.visitor("192.0.2.9")
	pending.must(b.Flows.SignUp(t.Context(), pending.Caller, flow.SignUpInput{Email: "new@example.org", Password: good, Confirm: good}))
	b.next()
	for _, address := range []string{"mara@example.org", "nobody@example.org", "new@example.org"} {
		stranger := b.visitor("192.0.2.2")
		if _, err := stranger.signIn(address, "not the password"); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s with a wrong password: %v", address, err)
		}
		owner := ""
		if address == "mara@example.org" {
			owner = a.ID
		}
		if f := b.record(audit.SignInFailed); f.AccountID != owner || f.Actor != "stranger" || f.Peer != "192.0.2.2" || f.Detail != "password" {
			t.Errorf("%s with a wrong password is recorded as %+v", address, f)
		}
	}
	if f := b.record(audit.SignedUp); f.AccountID != a.ID || f.Actor != "self" || f.Peer != "192.0.2.1" || f.UserAgent != "test" || f.Detail != "mail" {
		t.Errorf("the sign-up is recorded as %+v", f)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	if f := b.record(audit.AccountDisabled); f.AccountID != a.ID || f.Actor != "operator" || f.Peer != "" {
		t.Errorf("the closing is recorded as %+v", f)
	}
	if v.signedIn() != "" {
		t.Error("a closed account is still signed in (SEC-068)")
	}
	if _, err := v.signIn("mara@example.org", "not the password"); !errors.Is(err, flow.Rejected) {
		t.Errorf("a closed account with a wrong password: %v", err)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, account.Disabled) {
		t.Errorf("a closed account with its password: %v", err)
	}
}

// A visitor who signed up, left, and signs in with the same browser and password
// proves the address then. An address with an account gets the same response.
// Otherwise signing up and then in would reveal which addresses have accounts.
func TestSignIn_UnprovenAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.7").register("mara@example.org")
	for _, address := range []string{"new@example.org", "mara@example.org"} {
		v := b.visitor("192.0.2.1")
		const chosen = "a phrase that nobody else has 7"
		v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: address, Password: chosen, Confirm: chosen}))
		b.next()
		if _, err := v.signIn(address, "not the password"); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s with a wrong password: %v", address, err)
		}
		if _, err := b.visitor("192.0.2.3").signIn(address, chosen); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s in another browser: %v", address, err)
		}
		r, err := v.signIn(address, chosen)
		v.must(r, err)
		if r.Session != nil || r.FlowID == "" {
			t.Fatalf("%s signed in: %+v", address, r)
		}
		mailed := b.next().Data["code"]
		if address == "mara@example.org" {
			if mailed != "" {
				t.Error("the owner of the address got a code for a stranger's registration")
			}
			continue
		}
		v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, mailed))
		if v.signedIn() != address {
			t.Error("not signed in after the code")
		}
	}
}

// After sign-up was closed, nobody gets a code for it: not by signing in to a sign-up either.
func TestSignIn_UnprovenAddressAfterSignUpHasClosed(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b := setup(t, func(c *flow.Config) { cfg = *c })
	b.visitor("192.0.2.7").register("mara@example.org")
	v := b.visitor("192.0.2.1")
	for _, address := range []string{"new@example.org", "mara@example.org"} {
		v.sends(flow.SignUp, address, another)
	}
	cfg.SignUp, cfg.Before = flow.ModeClosed, &b.All
	b.All = flow.New(cfg)
	for _, address := range []string{"new@example.org", "mara@example.org"} {
		if r, err := v.signIn(address, another); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s: %+v, %v", address, r, err)
		}
	}
}

// SEC-062: each sign-in makes a new token and ends the browser's old one.
func TestSignIn_Rotates(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	before := v.Caller
	r, err := v.signIn("mara@example.org", good)
	v.must(r, err)
	if v.Caller.Session == before.Session {
		t.Error("the token did not change")
	}
	if _, err := b.Flows.Session(t.Context(), before.Session); !errors.Is(err, session.Required) {
		t.Errorf("the old token: %v", err)
	}
}

// The session that the browser had ends at once, also when it was another
// person's and is known to the cache.
func TestSignIn_EndsAnotherPersonsSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	v := b.visitor("192.0.2.1")
	v.register("noor@example.org")
	before := v.Caller
	if v.signedIn() != "noor@example.org" {
		t.Fatal("not signed in")
	}
	r, err := v.signIn("mara@example.org", good)
	v.must(r, err)
	if _, err := b.Flows.Session(t.Context(), before.Session); !errors.Is(err, session.Required) {
		t.Errorf("the session before: %v", err)
	}
}

// A stranger's guesses slow the stranger down, not the owner's own browser.
func TestSignIn_OwnerIsNotLockedOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, stranger := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	owner.register("mara@example.org")
	for range 5 {
		if _, err := stranger.signIn("mara@example.org", "a wrong guess"); !errors.Is(err, flow.Rejected) {
			t.Fatal(err)
		}
	}
	if m := b.next(); m.Template != "signin-blocked" {
		t.Errorf("mail %q, want signin-blocked", m.Template)
	}
	_, err := b.visitor("192.0.2.3").signIn("Mara@Example.org ", "a wrong guess")
	if codeOf(err) != throttle.CodeLimited || fault.From(err).RetryAfter != 30*time.Second {
		t.Errorf("the sixth guess, from elsewhere: %v after %v", err, fault.From(err).RetryAfter)
	}
	if r, err := owner.signIn("mara@example.org", good); err != nil || r.Session == nil {
		t.Errorf("the owner in the owner's browser: %v", err)
	}
}

func TestRecover_KnownAndUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	for address, template := range map[string]string{"mara@example.org": "recover", "nobody@example.org": "no-account"} {
		v := b.visitor("192.0.2.5")
		r := v.must(b.Flows.Recover(t.Context(), v.Caller, address, flow.Target{}))
		if r.Next != "/auth/verify-code?flow="+r.FlowID {
			t.Errorf("%s: next %q", address, r.Next)
		}
		if m := b.next(); m.Template != template || m.To != address || (m.Data["code"] == "") != (template == "no-account") {
			t.Errorf("%s: mail %+v", address, m)
		}
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, "000000"); codeOf(err) != code.CodeWrong || fault.From(err).Params["count"] != "4" {
			t.Errorf("%s: a wrong code: %v", address, err)
		}
	}
}

// The bound for all is kept however the mailboxes are spread over its rows, and
// does not bite long before.
func TestRecover_TellsFewWhoAreUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for n := range 500 {
		v := b.visitor(fmt.Sprintf("192.0.2.%d", n/100))
		v.must(b.Flows.Recover(t.Context(), v.Caller, fmt.Sprintf("nobody%d@x.test", n), flow.Target{}))
	}
	waiting := func() (n int) {
		err := b.store.Read(t.Context(), func(tx flow.Tx) error {
			c, err := tx.CountMessages(t.Context())
			n = c.Of().Waiting
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for waiting() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
	if n := len(b.mail.arrived); n < 150 || n > 200 {
		t.Errorf("%d of 500 strangers were told within an hour, want nearly 200", n)
	}
}

// SEC-066, SEC-067: a reset ends every session, the stranger's included, keeps
// this browser and tells the owner.
func TestReset_EndsSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	intruder, owner := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	intruder.register("mara@example.org")
	r := owner.must(b.Flows.Recover(t.Context(), owner.Caller, "mara@example.org", flow.Target{}))
	r = owner.must(b.Flows.VerifyCode(t.Context(), owner.Caller, r.FlowID, b.next().Data["code"]))
	if r.Session != nil || r.Next != "/auth/reset-password?flow="+r.FlowID {
		t.Fatalf("after the code: %+v", r)
	}
	in := flow.ResetInput{FlowID: r.FlowID, Password: good, Confirm: good}
	if _, err := b.Flows.ResetPassword(t.Context(), owner.Caller, in); codeOf(err) != fault.CodeInvalid {
		t.Errorf("the same password again: %v", err)
	}
	in.Password, in.Confirm = "quite another phrase 42", "quite another phrase 42"
	owner.must(b.Flows.ResetPassword(t.Context(), owner.Caller, in))
	if owner.signedIn() == "" || intruder.signedIn() != "" {
		t.Errorf("owner %q, intruder %q", owner.signedIn(), intruder.signedIn())
	}
	if f := b.record(audit.PasswordChanged); f.AccountID == "" || f.Actor != "self" || f.Peer != "192.0.2.2" || f.Detail != "recovery" {
		t.Errorf("the reset is recorded as %+v", f)
	}
	if m := b.next(); m.Template != "password-changed" {
		t.Errorf("mail %q", m.Template)
	}
	// SEC-029: the flow is dead.
	if _, err := b.Flows.ResetPassword(t.Context(), owner.Caller, in); !errors.Is(err, flow.Moved) {
		t.Errorf("the flow a second time: %v", err)
	}
}

// SEC-030: a change of credentials ends the recovery that was begun before it.
func TestReset_DeadAfterChange(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	m := b.next()
	r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	a := b.user("mara@example.org")
	if err := b.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, "set by the operator 9"); err != nil {
		t.Fatal(err)
	}
	if f := b.record(audit.PasswordChanged); f.AccountID != a.ID || f.Actor != "operator" || f.Detail != "" {
		t.Errorf("a password that the operator sets is recorded as %+v", f)
	}
	_, err := b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good + "!", Confirm: good + "!"})
	if !errors.Is(err, flow.Unknown) {
		t.Errorf("a recovery from before the change: %v", err)
	}
}

// SEC-026: of many attempts with the correct code one wins, and one session starts.
// The others learn that the code is used, however many they are, because their
// guess was not wrong.
func TestVerifyCode_OneWinner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for round := range 10 {
		v := b.visitor(fmt.Sprintf("192.0.2.%d", round))
		r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: fmt.Sprintf("p%d@example.org", round), Password: good, Confirm: good}))
		digits := b.next().Data["code"]
		var won atomic.Int64
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				r, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, digits)
				switch {
				case err == nil && r.Session != nil:
					won.Add(1)
				case !errors.Is(err, code.Used):
					t.Errorf("round %d: %v, want used", round, err)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Errorf("round %d: %d won, want 1", round, won.Load())
		}
	}
}

// SEC-015, SEC-018: guesses are counted over re-sends, new flows and in
// parallel, before they are looked at.
func TestVerifyCode_Guesses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	v := b.visitor("192.0.2.2")
	evaluated := 0
	for range 3 {
		r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
		digits := b.next().Data["code"]
		var wrong atomic.Int64
		var group sync.WaitGroup
		for i := range 12 {
			group.Go(func() {
				guess := fmt.Sprintf("%06d", i)
				if guess == digits {
					return
				}
				if c := codeOf(ignoreResult(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, guess))); c == code.CodeWrong || c == code.CodeUsedUp {
					wrong.Add(1)
				}
			})
		}
		group.Wait()
		evaluated++
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, digits); err == nil {
			t.Fatal("the right code passed a flow whose guesses are used up")
		}
	}
	r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	_, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, "123456")
	if codeOf(err) != code.CodeLocked {
		t.Errorf("after ten guesses in the hour: %v", err)
	}
}

func ignoreResult(_ flow.Result, err error) error { return err }

func TestVerifyCode_Expiry(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		after time.Duration
		want  string
	}{{10*time.Minute - time.Second, ""}, {10*time.Minute + time.Second, code.CodeExpired}} {
		b := setup(t)
		v := b.visitor("192.0.2.1")
		r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "p@example.org", Password: good, Confirm: good}))
		m := b.next()
		b.clock.Advance(tc.after)
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]); codeOf(err) != tc.want {
			t.Errorf("after %v: %v, want %q", tc.after, err, tc.want)
		}
	}
}

// When the time is up it is up for whatever is typed, as often as one likes:
// also for an address that was never mailed a code (SEC-003).
func TestVerifyCode_ExpiredWhateverIsTyped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.9").register("mara@example.org")
	for _, address := range []string{"mara@example.org", "nobody@example.org"} {
		v := b.visitor("192.0.2.1")
		r := v.must(b.Flows.Recover(t.Context(), v.Caller, address, flow.Target{}))
		b.next()
		b.clock.Advance(10 * time.Minute)
		for i := range 12 {
			if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, fmt.Sprintf("%06d", i)); !errors.Is(err, code.Expired) {
				t.Errorf("%s, try %d: %v, want expired", address, i, err)
			}
		}
	}
}

// SEC-028: a code holds in its own flow and browser only.
func TestVerifyCode_Bound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	mine := b.next()
	r2 := other.must(b.Flows.SignUp(t.Context(), other.Caller, flow.SignUpInput{Email: "b@example.org", Password: good, Confirm: good}))
	b.next()
	if _, err := b.Flows.VerifyCode(t.Context(), other.Caller, r.FlowID, mine.Data["code"]); !errors.Is(err, flow.Unknown) {
		t.Errorf("in another browser: %v", err)
	}
	if _, err := b.Flows.VerifyCode(t.Context(), other.Caller, r2.FlowID, mine.Data["code"]); codeOf(err) != code.CodeWrong {
		t.Errorf("in another flow: %v", err)
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, ids.New(), mine.Data["code"]); !errors.Is(err, flow.Unknown) {
		t.Errorf("in no flow: %v", err)
	}
}

func TestResend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	first := b.next()
	if _, err := b.Flows.Resend(t.Context(), v.Caller, r.FlowID); !errors.Is(err, code.Early) || fault.From(err).RetryAfter != 30*time.Second {
		t.Errorf("at once: %v", err)
	}
	b.clock.Advance(31 * time.Second)
	v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	b.next()
	for i := range 5 {
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, wrongFor(first.Data["code"], i)); err == nil {
			t.Fatal("a wrong code passed")
		}
	}
	b.clock.Advance(31 * time.Second)
	again := v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	if again.FlowID == r.FlowID {
		t.Fatal("a flow without guesses was not replaced")
	}
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, again.FlowID, b.next().Data["code"]))
}

func wrongFor(digits string, i int) string {
	guess := fmt.Sprintf("%06d", i)
	if guess == digits {
		return "999999"
	}
	return guess
}

// The newest two codes hold (SEC-033).
func TestResend_OldCodeStillHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	var codes []string
	codes = append(codes, b.next().Data["code"])
	for range 2 {
		b.clock.Advance(31 * time.Second)
		v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
		codes = append(codes, b.next().Data["code"])
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, codes[0]); codeOf(err) != code.CodeExpired {
		t.Errorf("the third newest code: %v", err)
	}
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, codes[1]))
}

func TestConfirmLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	here, there := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	here.must(b.Flows.SignUp(t.Context(), here.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	token := linkToken(b.next())
	// Opening changes nothing, however often (SEC-042).
	for range 3 {
		if v, err := b.Flows.ViewLink(t.Context(), there.Caller, token); err != nil || v.Fault != nil || !v.Password || v.Email != "" || v.Address != "a•••@example.org" {
			t.Fatalf("view elsewhere: %+v, %v", v, err)
		}
	}
	if _, err := b.Flows.ConfirmLink(t.Context(), there.Caller, flow.LinkInput{Token: token}); codeOf(err) != fault.CodeInvalid {
		t.Errorf("a stranger's browser without the password: %v", err)
	}
	if _, err := b.Flows.ConfirmLink(t.Context(), there.Caller, flow.LinkInput{Token: token, Password: "not the password"}); !errors.Is(err, flow.LinkPassword) {
		t.Errorf("a stranger's browser with a wrong password: %v", err)
	}
	there.must(b.Flows.ConfirmLink(t.Context(), there.Caller, flow.LinkInput{Token: token, Password: good}))
	if there.signedIn() != "a@example.org" || here.signedIn() != "" {
		t.Errorf("signed in: there %q, here %q", there.signedIn(), here.signedIn())
	}
	if _, err := b.Flows.ConfirmLink(t.Context(), here.Caller, flow.LinkInput{Token: token}); !errors.Is(err, code.LinkUsed) {
		t.Errorf("the link a second time: %v", err)
	}
}

func TestConfirmLink_RecoveryElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	here, there := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	here.register("a@example.org")
	asked := here.must(b.Flows.Recover(t.Context(), here.Caller, "a@example.org", flow.Target{}))
	token := linkToken(b.next())
	r := there.must(b.Flows.ConfirmLink(t.Context(), there.Caller, flow.LinkInput{Token: token}))
	r = there.must(b.Flows.ResetPassword(t.Context(), there.Caller, flow.ResetInput{FlowID: r.FlowID, Password: "quite another phrase 42", Confirm: "quite another phrase 42"}))
	if r.Session == nil || there.signedIn() != "a@example.org" {
		t.Errorf("not signed in where the link was opened: %+v", r)
	}
	if v, err := b.Flows.View(t.Context(), here.Caller, asked.FlowID); err != nil || v.State() != "done" {
		t.Errorf("where it was asked for: %+v, %v", v, err)
	}
}

func TestConfirmLink_States(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	oldest := linkToken(b.next())
	for range 2 {
		b.clock.Advance(31 * time.Second)
		v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	}
	b.next()
	newest := linkToken(b.next())
	b.clock.Advance(4 * time.Minute)
	if got, err := b.Flows.ViewLink(t.Context(), v.Caller, oldest); err != nil || got.Age != 4*time.Minute {
		t.Errorf("the mail that replaced the link is %v old (%v), want 4m", got.Age, err)
	}
	for token, want := range map[string]string{oldest: code.CodeLinkReplaced, "garbage": code.CodeLinkMalformed, "": code.CodeLinkMalformed} {
		if got, err := b.Flows.ViewLink(t.Context(), v.Caller, token); err != nil || got.Fault == nil || got.Fault.Code != want {
			t.Errorf("link %.7q: %+v, %v; want %s", token, got, err, want)
		}
	}
	b.clock.Advance(11 * time.Minute)
	if got, _ := b.Flows.ViewLink(t.Context(), v.Caller, newest); got.Fault == nil || got.Fault.Code != code.CodeLinkExpired || got.Address == "" {
		t.Errorf("an expired link: %+v", got)
	}
	again := v.must(b.Flows.ResendLink(t.Context(), v.Caller, newest))
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, again.FlowID, b.next().Data["code"]))
}

// A registration that somebody else has begun is no trap for the owner of the
// mailbox: what that other person chose is left behind, and the owner chooses a
// password (SEC-125, SEC-127).
func TestResendLink_LeavesForeignCredentialsBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stranger, owner := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	const theirs = "what the stranger has chosen 9"
	stranger.must(b.Flows.SignUp(t.Context(), stranger.Caller, flow.SignUpInput{Email: "a@example.org", Password: theirs, Confirm: theirs}))
	token := linkToken(b.next())
	b.clock.Advance(11 * time.Minute)
	again := owner.must(b.Flows.ResendLink(t.Context(), owner.Caller, token))
	proven := owner.must(b.Flows.VerifyCode(t.Context(), owner.Caller, again.FlowID, b.next().Data["code"]))
	if proven.Session != nil || owner.signedIn() != "" {
		t.Fatalf("signed in before a password was chosen: %+v", proven)
	}
	owner.must(b.Flows.ResetPassword(t.Context(), owner.Caller, flow.ResetInput{FlowID: proven.FlowID, Password: good, Confirm: good}))
	if owner.signedIn() != "a@example.org" {
		t.Error("the owner is not signed in")
	}
	if r, err := b.visitor("192.0.2.3").signIn("a@example.org", theirs); !errors.Is(err, flow.Rejected) {
		t.Errorf("the stranger's password: %+v, %v", r, err)
	}
}

// SEC-054: a mailbox gets 25 emails an hour at most, from any number of
// networks and in any spelling. The answers stay the same.
func TestMailCap(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 40 {
		v := b.visitor(fmt.Sprintf("192.0.2.%d", i))
		v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: fmt.Sprintf("a+%d@example.org", i), Password: good, Confirm: good}))
	}
	for range 25 {
		b.next()
	}
	b.clock.Advance(time.Hour)
	v := b.visitor("192.0.2.99")
	v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a+late@example.org", Password: good, Confirm: good}))
	if m := b.next(); m.To != "a+late@example.org" {
		t.Errorf("a 26th email of the hour was sent to %s", m.To)
	}
}

func TestSignUp_Closed(t *testing.T) {
	t.Parallel()
	b := setup(t, closed)
	v := b.visitor("192.0.2.1")
	if _, err := b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}); !errors.Is(err, flow.SignUpClosed) {
		t.Errorf("%v", err)
	}
}

// SEC-070: use moves the idle end, never the absolute one.
func TestSession_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	v.register("a@example.org")
	for range 30*2 - 1 {
		b.clock.Advance(12 * time.Hour)
		if v.signedIn() == "" {
			t.Fatal("ended while in use")
		}
	}
	b.clock.Advance(12 * time.Hour)
	if v.signedIn() != "" {
		t.Error("in use beyond the absolute end")
	}
	r, err := v.signIn("a@example.org", good)
	v.must(r, err)
	b.clock.Advance(7*24*time.Hour - time.Second)
	if v.signedIn() == "" {
		t.Error("ended before the idle end")
	}
	b.clock.Advance(7 * 24 * time.Hour)
	if v.signedIn() != "" {
		t.Error("in use beyond the idle end")
	}
}

// SEC-072: a person lists and ends their own sessions only.
func TestSessions_OwnOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara, second, noah := b.visitor("192.0.2.1"), b.visitor("192.0.2.2"), b.visitor("192.0.2.3")
	mara.register("mara@example.org")
	noah.register("noah@example.org")
	r, err := second.signIn("mara@example.org", good)
	second.must(r, err)
	found := mara.found()
	list, err := b.Owner.UserSessions(t.Context(), found.User.ID)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	theirs, _ := b.Flows.Session(t.Context(), noah.Caller.Session)
	if err := b.Owner.EndSession(t.Context(), mara.Caller, found, theirs.Session.ID); !errors.Is(err, session.Missing) {
		t.Errorf("ending another person's session: %v", err)
	}
	if err := b.Owner.EndOtherSessions(t.Context(), mara.Caller, found); err != nil {
		t.Fatal(err)
	}
	if mara.signedIn() == "" || second.signedIn() != "" || noah.signedIn() == "" {
		t.Errorf("mara %q, second %q, noah %q", mara.signedIn(), second.signedIn(), noah.signedIn())
	}
	if f := b.record(audit.SessionEnded); f.AccountID != found.User.ID || f.Actor != "self" || f.Detail != "others" {
		t.Errorf("the end of the others is recorded as %+v", f)
	}
	if err := b.Flows.SignOut(t.Context(), mara.Caller); err != nil {
		t.Fatal(err)
	}
	if f := b.record(audit.SignedOut); f.AccountID != found.User.ID || f.Actor != "self" || f.Peer != "192.0.2.1" || f.Detail != "" {
		t.Errorf("the sign-out is recorded as %+v", f)
	}
}

// The owner of a closed account learns by email that it is closed. The page does
// not tell.
func TestRecover_ClosedAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	a := b.user("mara@example.org")
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	b.mailed("account-managed", "en")
	v := b.visitor("192.0.2.2")
	v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}))
	for range 2 {
		if m := b.next(); m.Template != "account-closed" || m.Data["code"] != "" || m.Data["link"] != "" {
			t.Errorf("mail %+v", m)
		}
	}
}

package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
)

const grace = 14 * 24 * time.Hour

// withRequire returns a bundle, and a function that changes who needs a second factor
// as a reload does.
func withRequire(t *testing.T, options ...option) (b *bundle, change func(flow.Require)) {
	t.Helper()
	var cfg flow.Config
	b = setup(t, append(options, func(c *flow.Config) { cfg = *c })...)
	return b, func(who flow.Require) {
		cfg.Require, cfg.Before = who, &b.All
		b.All = flow.New(cfg)
	}
}

func everyone() flow.Require { return flow.Require{All: true, Grace: grace} }

// bare signs in and fails unless a second factor is asked for that the account does
// not have.
func (v *visitor) bare(address string) flow.Result {
	v.Helper()
	r := v.must(v.signIn(address, good))
	if r.Session != nil || r.Device != "" || v.signedIn() != "" || r.Next != "/auth/protect?flow="+r.FlowID {
		v.Fatalf("the sign-in gives %+v", r)
	}
	return r
}

func (v *visitor) protection(r flow.Result) flow.View {
	v.Helper()
	view, err := v.Flows.View(v.Context(), v.Caller, r.FlowID)
	if err != nil {
		v.Fatal(err)
	}
	return view
}

// protects adds an authenticator app in the step.
func (v *visitor) protects(r flow.Result) (flow.Result, phone) {
	v.Helper()
	p := phone{secret: v.protection(r).Secret}
	done := v.must(v.Flows.ProtectByApp(v.Context(), v.Caller, r.FlowID, p.secret.At(v.clock.Now())))
	v.clock.Advance(time.Minute)
	return done, p
}

func (v *visitor) later(r flow.Result) (flow.Result, error) {
	return v.Flows.ProtectLater(v.Context(), v.Caller, r.FlowID)
}

// awaits waits for an email of a kind. Others may come before it.
func (b *bundle) awaits(template string) outbox.Message {
	b.Helper()
	for {
		if m := b.next(); m.Template == template {
			return m
		}
	}
}

func TestProtect_ByApp(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	before := b.visitor("192.0.2.1")
	before.register("mara@example.org")
	change(everyone())
	if before.signedIn() == "" {
		t.Fatal("the rule has ended a session")
	}
	v := b.visitor("192.0.2.2")
	r := v.must(b.Flows.SignIn(t.Context(), v.Caller, flow.SignInInput{Email: "mara@example.org", Password: good, ReturnTo: b.Flows.Targets().Check("/reports")}))
	shown := v.protection(r)
	if !shown.Later || !shown.Until.Equal(b.clock.Now().Add(grace)) || shown.URI == "" || shown.Step != flow.Protect {
		t.Errorf("the page shows %+v", shown)
	}
	_, err := b.Flows.ProtectByApp(t.Context(), v.Caller, r.FlowID, wrongFor(shown.Secret.At(b.clock.Now()), 1))
	wantField(t, err, factor.CodeNewWrong)
	if v.signedIn() != "" {
		t.Fatal("a wrong code signs in")
	}
	done, p := v.protects(r)
	if done.Next != "/auth/account/factors?flow="+done.FlowID {
		t.Fatalf("the code leads to %s", done.Next)
	}
	codes, err := b.Owner.Enrolment(t.Context(), v.Caller, v.found(), done.FlowID)
	if err != nil || len(codes.Codes) != 10 || codes.Left != 10 || len(codes.Factors) != 1 {
		t.Errorf("the page shows %+v (%v)", codes, err)
	}
	if next := v.must(b.Owner.SavedCodes(t.Context(), v.Caller, v.found(), done.FlowID)).Next; next != "/reports" {
		t.Errorf("after the codes comes %s", next)
	}
	if got := v.found().Session; !got.Strong() || !slices.Equal(got.Methods, []string{"password", "totp"}) {
		t.Errorf("the session has the methods %v, strong at %v", got.Methods, got.StrongAt)
	}
	b.awaits("factor-added")
	if got := b.record(audit.FactorAdded).Detail; got != "totp" {
		t.Errorf("the record has %q", got)
	}
	again := b.visitor("192.0.2.3")
	asked := again.must(again.signIn("mara@example.org", good))
	again.must(b.Flows.GiveFactor(t.Context(), again.Caller, asked.FlowID, digits(p.secret.At(b.clock.Now()))))
	if again.signedIn() == "" {
		t.Error("the factor does not sign in")
	}
}

func TestProtect_Later(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	change(everyone())
	b.clock.Advance(5 * grace) // the grace begins when the owner is told
	v := b.visitor("192.0.2.2")
	first := v.must(v.later(v.bare("mara@example.org")))
	if v.signedIn() == "" || v.found().Session.Strong() || first.Next != "/auth/account" {
		t.Fatalf("the press gives %+v", first)
	}
	told := b.clock.Now()
	b.clock.Advance(grace - time.Minute)
	w := b.visitor("192.0.2.3")
	r := w.bare("mara@example.org")
	if shown := w.protection(r); !shown.Later || !shown.Until.Equal(told.Add(grace)) {
		t.Errorf("a second sign-in shows %+v", shown)
	}
	b.clock.Advance(time.Minute) // while the page is open
	if _, err := w.later(r); !errors.Is(err, flow.Moved) || w.signedIn() != "" {
		t.Errorf("after the grace, the press gives %v", err)
	}
	if shown := w.protection(r); shown.Later || shown.Step != flow.Protect {
		t.Errorf("after the grace, the page shows %+v", shown)
	}
	change(flow.Require{Grace: grace})
	if shown := w.protection(r); !shown.Later || !shown.Until.IsZero() {
		t.Errorf("when nobody needs it anymore, the page shows %+v", shown)
	}
	w.must(w.later(r))
	if w.signedIn() == "" {
		t.Error("nobody needs it anymore, and the press does not sign in")
	}
}

// Whoever was told by a clock that was a year ahead is told anew.
func TestProtect_ClockSetBack(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	change(everyone())
	const year = 365 * 24 * time.Hour
	b.clock.Advance(year)
	b.visitor("192.0.2.2").bare("mara@example.org")
	b.clock.Advance(-year)
	v := b.visitor("192.0.2.3")
	if shown := v.protection(v.bare("mara@example.org")); !shown.Later || !shown.Until.Equal(b.clock.Now().Add(grace)) {
		t.Errorf("the next sign-in shows %+v", shown)
	}
	b.clock.Advance(grace)
	if shown := v.protection(v.bare("mara@example.org")); shown.Later {
		t.Errorf("after the grace, the page shows %+v", shown)
	}
}

func TestProtect_RolesOnly(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	b.visitor("192.0.2.1").register("admin@example.org")
	admin := b.user("admin@example.org")
	if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, admin.ID, []string{"staff", "admin"}); err != nil {
		t.Fatal(err)
	}
	change(flow.Require{Roles: []string{"ops", "admin"}})
	v := b.visitor("192.0.2.2")
	v.must(v.signIn("mara@example.org", good))
	if v.signedIn() == "" {
		t.Error("a user without the role is asked")
	}
	w := b.visitor("192.0.2.2")
	if shown := w.protection(w.bare("admin@example.org")); shown.Later {
		t.Error("without a grace, the page can be put off")
	}
}

// A stranger who has only the password cannot use a page that was open before the
// owner added a factor.
func TestProtect_OpenPageOfAStranger(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	change(everyone())
	stranger, owner := b.visitor("198.51.100.1"), b.visitor("192.0.2.2")
	open := stranger.bare("mara@example.org")
	theirs := stranger.protection(open).Secret
	owner.protects(owner.bare("mara@example.org"))
	if _, err := b.Flows.ProtectByApp(t.Context(), stranger.Caller, open.FlowID, theirs.At(b.clock.Now())); !errors.Is(err, flow.Unknown) {
		t.Errorf("another app is added: %v", err)
	}
	if _, err := stranger.later(open); !errors.Is(err, flow.Unknown) || stranger.signedIn() != "" {
		t.Errorf("the press for later gives %v", err)
	}
	if shown := stranger.protection(open); shown.Step != flow.Done || len(shown.Secret) > 0 {
		t.Errorf("the page still shows %+v", shown)
	}
	if r := stranger.must(stranger.signIn("mara@example.org", good)); r.Next != "/auth/mfa?flow="+r.FlowID {
		t.Errorf("the next sign-in leads to %s", r.Next)
	}
}

// A removed factor brings the step back at once, whatever is left of the grace.
func TestProtect_AfterARemoval(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*bundle, *visitor, factor.Factor) error{
		"by the owner": func(b *bundle, v *visitor, f factor.Factor) error {
			_, err := b.Owner.RemoveFactor(t.Context(), v.Caller, v.found(), f.ID)
			return err
		},
		"by the operator": func(b *bundle, v *visitor, _ factor.Factor) error {
			a, err := b.Operator.User(t.Context(), "mara@example.org")
			if err == nil {
				_, err = b.Operator.ResetFactors(t.Context(), flow.ByOperator, a.ID)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, change := withRequire(t)
			v, _ := b.enrolled()
			change(everyone())
			held, err := b.Owner.Factors(t.Context(), v.found().User.ID)
			if err != nil {
				t.Fatal(err)
			}
			if shown, err := b.Owner.Enrolment(t.Context(), v.Caller, v.found(), ""); err != nil || !shown.Last {
				t.Errorf("it is the last one: %v (%v)", shown.Last, err)
			}
			if err := remove(b, v, held.Factors[0]); err != nil {
				t.Fatal(err)
			}
			w := b.visitor("192.0.2.2")
			r := w.bare("mara@example.org")
			if shown := w.protection(r); shown.Later {
				t.Error("it can be put off")
			}
			if _, err := w.later(r); !errors.Is(err, flow.Moved) {
				t.Errorf("the press for later gives %v", err)
			}
			change(flow.Require{})
			w = b.visitor("192.0.2.3")
			w.must(w.signIn("mara@example.org", good))
			if w.signedIn() == "" {
				t.Error("nobody needs a factor, and the sign-in asks")
			}
		})
	}
}

func TestProtect_NewAccountAndRecovery(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	change(everyone())
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}))
	r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	if r.Session != nil || r.Next != "/auth/protect?flow="+r.FlowID {
		t.Fatalf("the sign-up gives %+v", r)
	}
	again := b.visitor("192.0.2.2")
	r = again.must(b.Flows.Recover(t.Context(), again.Caller, "mara@example.org", flow.Target{}))
	again.must(b.Flows.VerifyCode(t.Context(), again.Caller, r.FlowID, b.next().Data["code"]))
	r = again.must(b.Flows.ResetPassword(t.Context(), again.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	if r.Session != nil || r.Next != "/auth/protect?flow="+r.FlowID {
		t.Fatalf("the recovery gives %+v", r)
	}
	if _, err := v.later(flow.Result{FlowID: r.FlowID}); !errors.Is(err, flow.Unknown) {
		t.Errorf("another browser goes on with %v", err)
	}
}

func TestProtect_StartAgain(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	change(everyone())
	v := b.visitor("192.0.2.2")
	r := v.bare("mara@example.org")
	for range 2 {
		if got, err := b.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Protect); err != nil || got.Next != "/auth/signin" {
			t.Errorf("the press leads to %q (%v)", got.Next, err)
		}
	}
	if _, err := v.later(r); !errors.Is(err, flow.Moved) || v.signedIn() != "" {
		t.Errorf("the ended step gives %v", err)
	}
}

// A passkey is a second factor, and counts only where it is used.
func TestProtect_ByPasskey(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t, withPasskeys(t))
	b.visitor("192.0.2.1").register("mara@example.org")
	change(flow.Require{All: true})
	v := b.visitor("192.0.2.2")
	r := v.bare("mara@example.org")
	o, err := b.Flows.BeginProtection(t.Context(), v.Caller, r.FlowID)
	if err != nil {
		t.Fatal(err)
	}
	a := passkeytest.New("portico.test", "https://portico.test", o.Handle)
	made := a.Create(o.Challenge)
	other := v.bare("mara@example.org") // a second tab
	if _, err := b.Flows.ProtectByPasskey(t.Context(), v.Caller, other.FlowID, made); !errors.Is(err, passkey.Expired) && !errors.Is(err, passkey.Refused) {
		t.Errorf("the challenge counts for another flow: %v", err)
	}
	if o, err = b.Flows.BeginProtection(t.Context(), v.Caller, r.FlowID); err != nil {
		t.Fatal(err)
	}
	done := v.must(b.Flows.ProtectByPasskey(t.Context(), v.Caller, r.FlowID, a.Create(o.Challenge)))
	if got := v.found().Session; done.Next != "/auth/account" || !got.Strong() || !slices.Equal(got.Methods, []string{"password", passkey.Method}) {
		t.Errorf("the passkey leads to %s with %v", done.Next, got.Methods)
	}
	b.awaits("passkey-added")
	w := b.visitor("192.0.2.3")
	if r := w.must(w.signIn("mara@example.org", good)); r.Next != "/auth/mfa?flow="+r.FlowID || w.signedIn() != "" {
		t.Errorf("the password alone leads to %s", r.Next)
	}
	w.must(w.uses(a))
	if w.signedIn() == "" {
		t.Error("the passkey alone does not sign in")
	}
	change(flow.Require{})
	w = b.visitor("192.0.2.4")
	w.must(w.signIn("mara@example.org", good))
	if w.signedIn() == "" {
		t.Error("nobody needs a factor, and the passkey is asked for")
	}
}

// New terms that come between the page and its press are asked for before the recovery codes
// are shown. Codes that no page shows are not made.
func TestProtect_NewTermsComeFirst(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b := setup(t, func(c *flow.Config) { c.Require = everyone(); cfg = *c })
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good); err != nil {
		t.Fatal(err)
	}
	v := b.visitor("192.0.2.1")
	waits := v.bare("mara@example.org")
	cfg.Terms, cfg.Before = "1", &b.All
	b.All = flow.New(cfg)
	held, _ := v.protects(waits)
	if held.Session != nil || held.Next != "/auth/terms?flow="+held.FlowID {
		t.Fatalf("the app leads to %s", held.Next)
	}
	v.accepts(held, "1")
	if have, err := b.Owner.Factors(t.Context(), v.found().User.ID); err != nil || len(have.Factors) != 1 || have.Left != 0 {
		t.Errorf("the account has %d apps and %d codes (%v)", len(have.Factors), have.Left, err)
	}
}

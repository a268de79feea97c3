package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
)

// story returns the lines of an address without their times.
func (b *bundle) story(address string) (flow.Story, string) {
	b.Helper()
	s, err := b.Operator.Why(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for n, m := range s.Timeline {
		if n > 0 && m.At.Before(s.Timeline[n-1].At) {
			b.Errorf("%v comes after a later moment", m)
		}
		if strings.HasPrefix(m.Detail, ",") || strings.HasSuffix(m.Detail, ", ") {
			b.Errorf("a part without a value has its comma: %q", m.Detail)
		}
		lines = append(lines, m.Kind+" "+m.What+": "+m.Detail)
	}
	return s, strings.Join(lines, "\n")
}

func TestWhy_TellsTheWholeStory(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	owner := b.visitor("192.0.2.1")
	owner.register("a@example.org")
	owner.links("google")
	stranger := b.visitor("192.0.2.2")
	for range 6 {
		_, _ = stranger.signIn("a@example.org", "wrong wrong wrong")
	}
	stranger.forgets("a@example.org")
	b.next()
	s, lines := b.story("a@Example.ORG")
	if s.Account == nil || s.Address != "a@example.org" {
		t.Fatalf("%+v", s)
	}
	for _, want := range []string{
		"account created: now active", "email verify-address: accepted", "event signed_up: by self", "event sign_in_failed: by stranger",
		"limit password: refuses passwords in unknown browsers until this time; 5 of 100 used", "limit mail hour: 2 of 5 used", "session ", "provider google: connected: subject ", "email recover: ",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("missing: %s\n%s", want, lines)
		}
	}
	for _, m := range s.Timeline {
		if m.Kind == "limit" && m.What == "password" && !m.At.Equal(b.clock.Now().Add(30*time.Second)) {
			t.Errorf("the wait lifts at %v, want in 30 seconds", m.At)
		}
	}
	// The story counts nothing.
	if _, again := b.story("a@example.org"); strings.Count(again, "limit") != strings.Count(lines, "limit") {
		t.Errorf("the story has changed the counts:\n%s", again)
	}
}

func TestWhy_OfAnAddressWithoutAnAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").forgets("n@example.org")
	b.next()
	b.visitor("192.0.2.2").forgets("n@example.org") // suppressed
	s, lines := b.story("n@example.org")
	if s.Account != nil || strings.Count(lines, "email no-account") != 2 || !strings.Contains(lines, "limit unknown mail day: refuses nothing, holds back the email that there is no account until this time; 1 of 1 used") {
		t.Errorf("%+v\n%s", s, lines)
	}
	if _, err := b.Operator.Why(t.Context(), "nonsense"); err == nil {
		t.Error("a text that is no address has a story")
	}
}

// A limit that does not refuse an account says so, or is left out.
func TestWhy_LimitsOfThisAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("a@example.org")
	b.visitor("192.0.2.2").forgets("a@example.org")
	if _, lines := b.story("a@example.org"); strings.Contains(lines, "unknown mail day") {
		t.Errorf("a limit of unknown addresses is told of an account:\n%s", lines)
	}
	for range 5 {
		v := b.visitor("192.0.2.1")
		v.must(v.signIn("a@example.org", good))
	}
	for range 10 {
		if _, err := b.Owner.Data(t.Context(), owner.Caller, owner.found()); err != nil {
			t.Fatal(err)
		}
	}
	_, lines := b.story("a@example.org")
	for _, want := range []string{
		"limit device day: refuses nothing, holds back notices of sign-ins in new browsers until this time; 5 of 5 used",
		"limit data day: refuses copies of the account's data until this time; 10 of 10 used",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("missing: %s\n%s", want, lines)
		}
	}
	p, err := b.Operator.Person(t.Context(), owner.found().User.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, refuses := range map[string]bool{"device day": false, "data day": true} {
		if i := slices.IndexFunc(p.Limits, func(l flow.Standing) bool { return l.Name == name }); i < 0 || !p.Limits[i].Full || p.Limits[i].Refuses != refuses {
			t.Errorf("%s refuses %v: %+v", name, !refuses, p.Limits)
		}
	}
}

// An operator reads the proofs of each sign-in in words.
func TestWhy_NamesTheProofs(t *testing.T) {
	t.Parallel()
	b := setup(t, trusting)
	_, p := b.enrolled()
	if v := b.trusts(p); !v.passes(good) {
		t.Fatal("a trusted browser is asked for a code")
	}
	_, lines := b.story("mara@example.org")
	for _, want := range []string{
		"event signed_in: by self, with code or link from an email, from 192.0.2.1\n",
		"event signed_in: by self, with password and authenticator app, from",
		"event signed_in: by self, with password and trusted browser, from",
		": with password, last seen ",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("missing: %s\n%s", want, lines)
		}
	}
}

// A passkey has the name of its authenticator, as on the page of the account.
func TestWhy_NamesTheAuthenticator(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	v.adds()
	b.mailed("passkey-added", "en")
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(v.moves("mara@example.net"))))
	_, lines := b.story("mara@example.org")
	for _, want := range []string{
		"event passkey_added: by self, detail Bitwarden, from ",
		`event passkey_removed: by "This wasn't me" in an email, detail Bitwarden, alarm, from `,
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("missing: %s\n%s", want, lines)
		}
	}
}

// The model of an authenticator that has no name here tells a person nothing.
func TestDetailOf_HasNoUnknownModel(t *testing.T) {
	t.Parallel()
	const unknown = "00000000-0000-0000-0000-000000000001"
	var none flow.Named
	for detail, want := range map[string]string{
		unknown: "", unknown + ",alarm": "alarm", passkeytest.Model: "Bitwarden", "": "",
	} {
		if got := none.DetailOf(audit.Fact{Name: audit.PasskeyRemoved, Detail: detail}); got != want {
			t.Errorf("the detail %q is shown as %q, want %q", detail, got, want)
		}
	}
	if got := none.DetailOf(audit.Fact{Name: audit.RolesChanged, Detail: "a,b"}); got != "a,b" {
		t.Errorf("other details changed to %q", got)
	}
}

// An alarm and its changes name the button that raised it: its caller need not be signed in.
func TestWhy_NamesTheAlarm(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(v.moves("mara@example.net"))))
	_, lines := b.story("mara@example.org")
	for _, want := range []string{"event alarm_raised: ", "event password_removed: "} {
		if want += `by "This wasn't me" in an email, `; !strings.Contains(lines, want) {
			t.Errorf("missing: %s\n%s", want, lines)
		}
	}
}

// The story of an account that came without a proven address says so, until its owner has proven it.
func TestWhy_TellsOfAnUnprovenAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.stranger()
	const want = "address unproven: the next sign-in asks for a mailed code"
	if _, lines := b.story(p.Email); !strings.Contains(lines, want) {
		t.Errorf("missing: %s\n%s", want, lines)
	}
	v := b.visitor("192.0.2.1")
	r := v.must(v.signIn(p.Email, good))
	r = v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, flow.FactorInput{Code: b.totp()}))
	v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
	if _, lines := b.story(p.Email); strings.Contains(lines, "unproven:") {
		t.Errorf("the proven address is still unproven:\n%s", lines)
	}
}

package security

import (
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
	format "portico/internal/people"
	"portico/internal/secret"
)

// prepared is an account that came from another system, with all ways to sign in that it had there.
type prepared struct {
	*idp
	address, subject string
	key              *passkeytest.Authenticator
}

// brings imports an account.
func (s *site) brings(p *idp, verified bool) prepared {
	s.Helper()
	a := prepared{p, fresh("imported"), fresh("subject"), passkeytest.New("portico.test", s.origin, []byte("a handle of the other system"))}
	former := s.operator(fresh("former"), good)
	done, err := s.app.Operator.Import(s.Context(), flow.ByOperator, []format.Person{{
		Email: a.address, EmailVerified: verified, Password: s.of(former.Address.Mail).Password,
		Identities: []format.Identity{{Issuer: p.server.URL + "/", Subject: a.subject}},
		Passkeys: []format.Passkey{{
			RPID: "portico.test", ID: secret.Encode(a.key.ID), PublicKey: secret.Encode(a.key.PublicKey()), UserHandle: secret.Encode(a.key.Handle),
		}},
	}}, flow.Import{
		Hash: func(text string) (string, error) { return text, nil },
	})
	if err != nil || done[0].Outcome != flow.Created || len(done[0].Left) > 0 {
		s.Fatalf("the import: %+v (%v)", done, err)
	}
	return a
}

// enters tries one way to sign in, and returns where the browser goes, or "" for a refusal.
func (a prepared) enters(v *visitor, way string) (next string) {
	v.Helper()
	switch way {
	case "password":
		if answer := v.signIn(a.address, good); answer.status == 200 {
			return answer.next()
		}
	case "passkey":
		if answer := v.enter(a.key.Use(v.ask())); answer.status == 200 {
			return answer.next()
		}
	case "provider":
		return v.continueWith(a.says(object{"sub": a.subject, "email": a.address, "email_verified": false}))
	}
	return ""
}

func preparedWays() []string { return []string{"password", "passkey", "provider"} }

func TestSEC400_UnprovenAddressNeedsItsMailbox(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	for _, way := range preparedWays() {
		// The other system has proven the address: each way signs in, and nobody is asked for the mailbox.
		a, v := s.brings(p, true), s.visitor()
		if a.enters(v, way); v.whoami() != a.address {
			t.Errorf("%s, with a proven address: signed in as %q", way, v.whoami())
		}
		// It has not.
		a, v = s.brings(p, false), s.visitor()
		next := a.enters(v, way)
		if v.whoami() != "" || !strings.HasPrefix(next, "/auth/verify-code?flow=") {
			t.Fatalf("%s: signed in as %q, sent to %s", way, v.whoami(), next)
		}
		if tab := v.get("/auth/verify-code").header.Get("Location"); tab != next {
			t.Errorf("%s: another tab leads to %q, not to %s", way, tab, next)
		}
		flow, code := strings.TrimPrefix(next, "/auth/verify-code?flow="), s.mail.next(a.address).code(t)
		if other := s.visitor(); other.verify(flow, code).status == 200 || other.whoami() != "" {
			t.Errorf("%s: the code signs in another browser", way)
		}
		v.verify(flow, wrong(code))
		if v.whoami() != "" {
			t.Errorf("%s: a wrong code signs in", way)
		}
		v.verify(flow, code).must(200)
		again := s.visitor()
		if a.enters(again, way); v.whoami() != a.address || again.whoami() != a.address {
			t.Errorf("%s: with the mailbox %q, and later %q", way, v.whoami(), again.whoami())
		}
	}
}

func TestSEC401_MailboxAloneDropsWhatAStrangerLeft(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	a, owner := s.brings(p, false), s.visitor()
	waiting, flows := s.visitor(), map[string]string{}
	for _, way := range preparedWays() {
		_, flows[way], _ = strings.Cut(a.enters(waiting, way), "flow=")
		s.mail.next(a.address)
	}
	flow := owner.forgot(a.address)
	code := s.mail.next(a.address).code(t)
	owner.verify(flow, code).must(200)
	owner.reset(flow, other).must(200)
	if owner.whoami() != a.address {
		t.Fatalf("the owner is signed in as %q", owner.whoami())
	}
	for _, way := range preparedWays() {
		v := s.visitor()
		if next := a.enters(v, way); v.whoami() != "" {
			t.Errorf("%s of the stranger signs in, and goes to %s", way, next)
		}
		waiting.post("resend", object{"flow": flows[way]}).refused(404, "flow.unknown")
	}
	if n := s.count(`SELECT COUNT(*) FROM identity`) + s.count(`SELECT COUNT(*) FROM passkey`); n != 0 {
		t.Errorf("%d identities and passkeys are left", n)
	}
}

func TestSEC437_ProofsOfAStrangerStayWithTheirFlow(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	for _, way := range preparedWays() {
		a, owner := s.brings(p, false), s.visitor()
		spent, opened := s.visitor(), s.visitor()
		_, flow, _ := strings.Cut(a.enters(spent, way), "flow=")
		code := s.mail.next(a.address).code(t)
		next := a.enters(opened, way)
		link := s.mail.next(a.address).token(t)
		mine := owner.forgot(a.address)
		owner.verify(mine, s.mail.code(a.address)).must(200)
		owner.reset(mine, other).must(200)
		owner.enrol()
		for range 5 {
			spent.verify(flow, wrong(code))
		}
		s.clock.Advance(time.Minute)
		spent.post("resend", object{"flow": flow}).refused(404, "flow.unknown")
		s.clock.Advance(10 * time.Minute) // the link is over
		if to := opened.open(link).header.Get("Location"); to != next {
			t.Errorf("%s: the page of the link leads to %q, not to the one that says what happened", way, to)
		}
		s.settle()
		before := len(s.mail.to(a.address))
		opened.form("/auth/confirm-link/resend", nil)
		if s.settle(); len(s.mail.to(a.address)) > before {
			t.Errorf("%s: the link mails another code", way)
		}
		if got := opened.state(strings.TrimPrefix(next, "/auth/verify-code?flow=")); got != "done" {
			t.Errorf("%s: the page says %s", way, got)
		}
	}
}

// updates imports people as the command does with --update, and returns what was left out.
func (s *site) updates(all ...format.Person) (left []string) {
	s.Helper()
	done, err := s.app.Operator.Import(s.Context(), flow.ByOperator, all, flow.Import{
		Update: true, Hash: func(text string) (string, error) { return text, nil },
	})
	s.must(err)
	for _, d := range done {
		if left = append(left, d.Left...); d.Problem != nil {
			s.Fatal(d.Problem)
		}
	}
	return left
}

// The former system has proven another address of the account, and not the primary one.
func TestSEC468_AnotherMailboxProvesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, other := fresh("owner"), fresh("stranger")
	s.updates(format.Person{Email: address, Addresses: []format.Address{{Email: other, Kind: "recovery", Verified: true}}})
	for _, mailbox := range []string{other, address} {
		v, want := s.visitor(), ""
		if mailbox == address {
			want = address
		}
		flow := v.forgot(mailbox)
		if code := s.mail.next(mailbox).code(t); code != "" {
			v.verify(flow, code)
			v.reset(flow, good)
		}
		if got := v.whoami(); got != want {
			t.Errorf("%s signs in as %q", mailbox, got)
		}
	}
}

// A second import finds accounts whose owners have come, have never wanted a password, or have taken a provider off.
func TestSEC469_AnUpdateBringsNothingBack(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	former := s.of(s.operator(fresh("former"), good).Address.Mail).Password
	own := func() prepared {
		a := prepared{idp: p, address: fresh("own"), subject: fresh("subject")}
		s.operator(a.address, "")
		return a
	}
	claimed := func() prepared {
		a, owner := s.brings(p, false), s.visitor()
		flow := owner.forgot(a.address)
		owner.verify(flow, s.mail.next(a.address).code(t)).must(200)
		owner.reset(flow, other).must(200)
		return a
	}
	for what, c := range map[string]struct {
		arrange  func() prepared
		verified bool
		ways     []string
	}{
		"the owner has come":                   {claimed, false, []string{"password", "provider"}},
		"the owner has come there, too":        {claimed, true, []string{"password", "provider"}},
		"the account is older than the import": {own, false, []string{"password", "provider"}},
		"there is no password":                 {own, true, []string{"password"}},
		"the provider is disconnected": {func() prepared {
			a := s.brings(p, true)
			s.must(s.app.Operator.UnlinkUser(t.Context(), flow.ByOperator, s.of(a.address).ID, "acme"))
			return a
		}, true, []string{"provider"}},
	} {
		a := c.arrange()
		left := s.updates(format.Person{
			Email: a.address, EmailVerified: c.verified, Password: former, Identities: []format.Identity{{Issuer: p.server.URL, Subject: a.subject}},
		})
		if len(left) != 1 {
			t.Errorf("%s: left out: %q", what, left)
		}
		for _, way := range c.ways {
			if v := s.visitor(); a.enters(v, way) != "" && v.whoami() != "" {
				t.Errorf("%s: the %s of the line signs in as %s", what, way, v.whoami())
			}
		}
	}
}

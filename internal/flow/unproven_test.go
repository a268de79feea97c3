package flow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/people"
)

// stranger is an account of the other system, made by somebody who need not have the mailbox.
func (b *bundle) stranger() people.Person {
	b.Helper()
	p := people.Person{
		Email: "mara@example.org", Password: b.hash(good), TOTP: []people.TOTP{{Secret: seed}},
		Addresses: []people.Address{{Email: "thief@example.org", Kind: "recovery", Verified: true}},
	}
	if got := b.brings(how(), p); got[0] != "created" {
		b.Fatal(got)
	}
	return p
}

// code returns the code of the app now.
func (b *bundle) totp() string {
	s, _ := factor.ParseSecret(seed)
	return s.At(b.clock.Now())
}

// SEC-400: the password of an account that came without a proven address signs in only together with
// the mailbox, and only in the browser that gave the password. Then the account keeps what it has.
func TestUnproven_PasswordAndMailbox(t *testing.T) {
	t.Parallel()
	for _, byCode := range []bool{false, true} {
		b := setup(t, func(c *flow.Config) { c.ByCode = byCode })
		p := b.stranger()
		v := b.visitor("192.0.2.1")
		r := v.must(v.signIn(p.Email, good))
		r = v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, flow.FactorInput{Code: b.totp()}))
		if r.Session != nil {
			t.Fatal("signed in without the mailbox")
		}
		m := v.next()
		if m.To != p.Email || m.Template != "signin-code" {
			t.Fatalf("the email is %+v", m)
		}
		other := b.visitor("192.0.2.2")
		link := flow.LinkInput{Token: linkToken(m)}
		if !other.opens(link.Token).Away || v.opens(link.Token).Away {
			t.Error("the page of the link does not say where it works")
		}
		if r, err := other.Flows.ConfirmLink(t.Context(), other.Caller, link); !errors.Is(err, flow.LinkElsewhere) || r.Session != nil {
			t.Errorf("the link in another browser: %+v, %v", r, err)
		}
		if r, err := other.Flows.ResendLink(t.Context(), other.Caller, link.Token); err == nil || r.FlowID != "" {
			t.Errorf("another link for another browser: %+v, %v", r, err)
		}
		unproven := func(want bool) {
			t.Helper()
			if shown, err := b.Operator.Person(t.Context(), b.user(p.Email).ID); err != nil || shown.Unproven != want {
				t.Errorf("the page of the person says %v, %v", shown.Unproven, err)
			}
		}
		unproven(true)
		v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
		if v.signedIn() == "" {
			t.Fatal("not signed in")
		}
		unproven(false)
		if f := b.record(audit.AddressProven); f.Detail != "password,totp,mail" {
			t.Errorf("the record has %+v", f)
		}
		b.clock.Advance(factor.Period * 3e9)
		again := b.visitor("192.0.2.3")
		r = again.must(again.signIn(p.Email, good))
		again.must(again.Flows.GiveFactor(t.Context(), again.Caller, r.FlowID, flow.FactorInput{Code: b.totp()}))
		if again.signedIn() == "" {
			t.Error("the second sign-in asks for more")
		}
	}
}

// SEC-401: the owner of the mailbox gets the account without what a stranger has left there.
func TestUnproven_MailboxAlone(t *testing.T) {
	t.Parallel()
	for name, enter := range map[string]func(b *bundle, v *visitor, p people.Person){
		"by code": func(b *bundle, v *visitor, p people.Person) {
			r := v.must(v.Flows.SendCode(b.Context(), v.Caller, p.Email, flow.Target{}))
			v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
			all := v.mails(2) // in any order
			if m, told := all[p.Email+" password-unproven"]; !told || m.Data["alarm_link"] != "" {
				b.Errorf("about the former password there is %+v", all)
			}
		},
		"by recovery": func(b *bundle, v *visitor, p people.Person) {
			r := v.must(v.Flows.Recover(b.Context(), v.Caller, p.Email, flow.Target{}))
			v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
			thief := b.visitor("192.0.2.7")
			if _, err := thief.signIn(p.Email, good); !errors.Is(err, flow.Rejected) {
				b.Errorf("the former password, while the new one is chosen: %v", err)
			}
			chosen := "seven lanterns over copper"
			v.must(v.Flows.ResetPassword(b.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: chosen, Confirm: chosen}))
		},
		"by recovery elsewhere": func(b *bundle, v *visitor, p people.Person) {
			begun := b.visitor("192.0.2.8")
			begun.must(begun.Flows.Recover(b.Context(), begun.Caller, p.Email, flow.Target{}))
			r := v.must(v.Flows.ConfirmLink(b.Context(), v.Caller, flow.LinkInput{Token: linkToken(v.next())}))
			chosen := "seven lanterns over copper"
			v.must(v.Flows.ResetPassword(b.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: chosen, Confirm: chosen}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(c *flow.Config) { c.ByCode = true })
			p := b.stranger()
			// The stranger waits at the second step.
			thief := b.visitor("192.0.2.9")
			waiting := thief.must(thief.signIn(p.Email, good))
			v := b.visitor("192.0.2.1")
			enter(b, v, p)
			if v.signedIn() == "" {
				t.Fatal("not signed in")
			}
			page, err := b.Operator.Person(t.Context(), b.user(p.Email).ID)
			if err != nil || len(page.Factors)+len(page.Identities)+len(page.Passkeys)+len(page.Addresses) > 0 {
				t.Errorf("left: %+v (%v)", page, err)
			}
			if r, err := thief.Flows.GiveFactor(t.Context(), thief.Caller, waiting.FlowID, flow.FactorInput{Code: b.totp()}); err == nil {
				t.Errorf("the stranger goes on: %+v", r)
			}
			if _, err := b.visitor("192.0.2.9").signIn(p.Email, good); !errors.Is(err, flow.Rejected) {
				t.Errorf("the former password: %v", err)
			}
			if f := b.record(audit.AddressProven); f.Detail != "mailbox" {
				t.Errorf("the record has %+v", f)
			}
		})
	}
}

// Apps are told of what the owner of the mailbox gets without, and of nothing else.
func TestUnproven_TellsApps(t *testing.T) {
	t.Parallel()
	for want, brings := range map[string]func(b *bundle){
		"account.email_changed": func(b *bundle) { b.brings(how(), people.Person{Email: "mara@example.org"}) },
		"account.addresses_changed account.email_changed account.factors_changed account.password_changed": func(b *bundle) { b.stranger() },
	} {
		b := setup(t)
		brings(b)
		v := b.visitor("192.0.2.1")
		r := v.must(v.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
		v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
		var kinds []string
		for _, e := range b.store.facts.told {
			if e.Change == string(audit.AddressProven) {
				kinds = append(kinds, e.Type)
			}
		}
		slices.Sort(kinds)
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("apps are told %q, want %q", got, want)
		}
	}
}

// An operator who gives the account an address vouches for it.
func TestUnproven_OperatorVouches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.brings(how(), people.Person{Email: "mara@example.org", Password: b.hash(good)})
	a := b.user("mara@example.org")
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, a.ID, "mara@example.net"); err != nil {
		t.Fatal(err)
	}
	b.next()
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.net", good))
	if v.signedIn() == "" {
		t.Error("the sign-in asks for the address")
	}
	if b.user("mara@example.net").State != account.Active {
		t.Error("the account is closed")
	}
}

// SEC-401: a sign-in that a stranger began before the owner came cannot be finished, not even with the code of its email.
func TestUnproven_EarlierFlowEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *flow.Config) { c.ByCode = true })
	p := b.stranger()
	thief := b.visitor("192.0.2.9")
	r := thief.must(thief.signIn(p.Email, good))
	r = thief.must(thief.Flows.GiveFactor(t.Context(), thief.Caller, r.FlowID, flow.FactorInput{Code: b.totp()}))
	code := b.next().Data["code"]
	v := b.visitor("192.0.2.1")
	own := v.must(v.Flows.SendCode(t.Context(), v.Caller, p.Email, flow.Target{}))
	v.must(v.Flows.VerifyCode(t.Context(), v.Caller, own.FlowID, v.next().Data["code"]))
	if r, err := thief.Flows.VerifyCode(t.Context(), thief.Caller, r.FlowID, code); err == nil || thief.signedIn() != "" {
		t.Errorf("the stranger goes on: %+v", r)
	}
}

// SEC-437: proofs that a stranger gave before the account changed count for no new flow, of this account or
// of the one that has the address now.
func TestUnproven_ProofsStayWithTheirAccount(t *testing.T) {
	t.Parallel()
	changes := map[string]func(b *bundle, address string){
		"the owner comes": func(b *bundle, address string) {
			v := b.visitor("192.0.2.1")
			r := v.must(v.Flows.Recover(b.Context(), v.Caller, address, flow.Target{}))
			v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
			chosen := "seven lanterns over copper"
			v.must(v.Flows.ResetPassword(b.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: chosen, Confirm: chosen}))
			v.enrols()
		},
		"another account has the address": func(b *bundle, address string) {
			b.must(b.Operator.SetUserAddress(b.Context(), flow.ByOperator, b.user(address).ID, "mara@example.net"))
			v := b.visitor("192.0.2.1")
			r := v.must(v.Flows.SignUp(b.Context(), v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good}))
			m := b.next()
			for ; m.Data["code"] == ""; m = b.next() { // those about the change come first
			}
			v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, m.Data["code"]))
			v.enrols()
		},
	}
	type asks func(v *visitor, flowID, code, link string) (flow.Result, error)
	resend := func(v *visitor, flowID, _, _ string) (flow.Result, error) {
		return v.Flows.Resend(v.Context(), v.Caller, flowID)
	}
	ways := map[string]asks{
		"resend": resend,
		"resend without guesses": func(v *visitor, flowID, code, link string) (flow.Result, error) {
			for range 5 {
				if _, err := v.Flows.VerifyCode(v.Context(), v.Caller, flowID, wrong(code)); err == nil {
					v.Fatal("a wrong code is taken")
				}
			}
			return resend(v, flowID, code, link)
		},
		"link": func(v *visitor, _, _, link string) (flow.Result, error) {
			v.clock.Advance(10 * time.Minute) // it is over
			return v.Flows.ResendLink(v.Context(), v.Caller, link)
		},
	}
	for change, comes := range changes {
		for way, again := range ways {
			t.Run(change+", "+way, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				p := b.stranger()
				thief := b.visitor("192.0.2.9")
				r := thief.must(thief.signIn(p.Email, good))
				r = thief.must(thief.Flows.GiveFactor(t.Context(), thief.Caller, r.FlowID, flow.FactorInput{Code: b.totp()}))
				m := b.next()
				comes(b, p.Email)
				got, err := again(thief, r.FlowID, m.Data["code"], linkToken(m))
				if !errors.Is(err, flow.Overtaken) || got.FlowID != "" {
					t.Errorf("the stranger gets %+v, %v", got, err)
				}
			})
		}
	}
}

// The steps that follow the mailbox are of the account as it is then.
func TestUnproven_MailboxThenTerms(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "", func(c *flow.Config) { c.ByCode = true })
	p := b.stranger()
	change("1")
	v := b.visitor("192.0.2.1")
	r := v.must(v.Flows.SendCode(t.Context(), v.Caller, p.Email, flow.Target{}))
	r = v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
	if v.accepts(r, "1"); v.signedIn() == "" {
		t.Error("not signed in")
	}
}

// after does something once, when a transaction has ended.
type after struct {
	flow.Store
	do func()
}

func (a *after) Write(ctx context.Context, fn func(flow.Tx) error) error {
	err := a.Store.Write(ctx, fn)
	if do := a.do; do != nil {
		a.do = nil
		do()
	}
	return err
}

// SEC-486: the owner comes while the password of the stranger is checked.
func TestUnproven_TheOwnerComesDuringASignIn(t *testing.T) {
	t.Parallel()
	s := &after{}
	b := setup(t, func(c *flow.Config) {
		c.ByCode = true
		s.Store, c.Store = c.Store, s
	})
	const address = "mara@example.org"
	b.brings(how(), people.Person{Email: address, Password: b.hash(good)})
	v, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.9")
	r := v.must(v.Flows.SendCode(t.Context(), v.Caller, address, flow.Target{}))
	code := v.next().Data["code"]
	s.do = func() { v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, code)) }
	if r, err := thief.signIn(address, good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the stranger goes on: %+v, %v", r, err)
	}
	if v.signedIn() == "" || b.user(address).Password != "" {
		t.Errorf("the owner is signed in as %q, and the account has the password %q", v.signedIn(), b.user(address).Password)
	}
}

package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/flow"
)

// knownTo returns browsers that the account knows. With a phone it has given the second
// factor in each.
func (b *bundle) knownTo(n int, p *phone) (list []*visitor) {
	b.Helper()
	for i := range n {
		v := b.visitor(fmt.Sprintf("203.0.113.%d", i))
		r := v.must(v.signIn("mara@example.org", good))
		if p != nil {
			v.must(b.Flows.GiveFactor(b.Context(), v.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
			b.clock.Advance(30 * time.Second)
		}
		list = append(list, v)
	}
	return list
}

// guesses gives wrong second factors after the password until one is refused. It returns
// how many were compared, and how long the refusal lasts.
func (v *visitor) guesses(p phone, password string) (compared int, wait time.Duration) {
	v.Helper()
	for {
		r := v.must(v.signIn("mara@example.org", password))
		for used := false; !used; {
			in := digits(wrongFor(p.secret.At(v.clock.Now()), 1))
			if compared%3 == 2 {
				in = recovery("AAAA-AAAA-AAAA-AAAA") // it counts with them
			}
			_, err := v.Flows.GiveFactor(v.Context(), v.Caller, r.FlowID, in)
			refused := fault.From(err)
			if err == nil || refused.Kind == fault.Limited && refused.Code == "throttle.limited" {
				return compared, refused.RetryAfter
			}
			compared++
			used = refused.Code == "factor.used_up"
		}
	}
}

// usesUp lets patient attackers guess in the browsers, until each is refused for days. It
// returns how many guesses were compared.
func (b *bundle) usesUp(p phone, password string, browsers ...*visitor) (compared int) {
	b.Helper()
	for len(browsers) > 0 {
		var left []*visitor
		for _, v := range browsers {
			n, wait := v.guesses(p, password)
			if compared += n; wait <= time.Hour {
				left = append(left, v)
			}
		}
		browsers = left
		b.clock.Advance(time.Hour)
	}
	return compared
}

// resets sets a new password by an email, in a new browser, and returns the step that asks
// for the second factor.
func (b *bundle) resets(password string) (*visitor, flow.Result) {
	b.Helper()
	v := b.visitor("192.0.2.99")
	begun := v.forgets("mara@example.org")
	v.must(b.Flows.VerifyCode(b.Context(), v.Caller, begun.FlowID, b.awaits("recover").Data["code"]))
	return v, v.must(b.Flows.ResetPassword(b.Context(), v.Caller, flow.ResetInput{FlowID: begun.FlowID, Password: password, Confirm: password}))
}

// lifts checks that an operator sees the limits that refuse, and can lift them.
func (b *bundle) lifts(limits ...string) {
	b.Helper()
	_, before := b.story("mara@example.org")
	if err := b.Operator.Unlock(b.Context(), flow.ByOperator, "mara@example.org"); err != nil {
		b.Fatal(err)
	}
	_, after := b.story("mara@example.org")
	for _, name := range limits {
		if !strings.Contains(before, "limit "+name+": refuses ") || strings.Contains(after, "limit "+name+": ") {
			b.Errorf("the limit %s is not seen, or stays:\n%s", name, before)
		}
	}
}

// A browser that signed in before the account had a second factor is unknown afterwards. So
// is every browser after another app. The browser that adds the app is known.
func TestKnownBrowser_HasGivenTheFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	early := b.knownTo(40, nil)
	p := owner.enrols()
	compared := 0
	for _, v := range early {
		n, _ := v.guesses(p, good)
		compared += n
	}
	if compared != 5 {
		t.Errorf("40 browsers from before the second factor had %d guesses at once, want the 5 of strangers", compared)
	}
	if n, _ := owner.guesses(p, good); n != 5 {
		t.Errorf("the browser that has added the app had %d guesses, want 5 of its own", n)
	}
	b.clock.Advance(time.Hour)
	late := b.knownTo(1, &p)[0]
	late.enrols()
	if n, _ := b.visitor("198.51.100.1").guesses(p, good); n != 5 {
		t.Fatalf("a stranger has %d guesses", n)
	}
	if n, _ := owner.guesses(p, good); n != 0 {
		t.Errorf("after another app a browser from before is known: %d guesses", n)
	}
}

// Strangers who know the password have 40 guesses in a row. The owner gets in: with a known
// browser, and after a new password with any browser.
func TestFactor_StrangersLeaveTheOwnerGuesses(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		b := setup(t)
		owner, p := b.enrolled()
		if n := b.usesUp(p, good, b.visitor("198.51.100.1"), b.visitor("198.51.100.2")); n != 40 {
			t.Errorf("strangers had %d guesses in a row, want 40", n)
		}
		var r flow.Result
		if known {
			r = owner.must(owner.signIn("mara@example.org", good))
		} else {
			owner, r = b.resets(another)
		}
		owner.must(b.Flows.GiveFactor(t.Context(), owner.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
		if owner.signedIn() == "" {
			t.Errorf("known browser %v: the owner does not get in", known)
		}
	}
}

// Whatever browsers attackers have, and although they learn the next passwords too, a hundred
// wrong second factors in a row are compared. With one password it is 90, and the owner gets
// in after a new one.
func TestFactor_GuessesOfAllBrowsersEnd(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 11} {
		b := setup(t)
		_, p := b.enrolled()
		attackers := append(b.knownTo(many, &p), b.visitor("198.51.100.1"))
		if n := b.usesUp(p, good, attackers...); n != 90 {
			t.Errorf("%d known browsers had %d guesses in a row with one password, want 90", many, n)
		}
		b.resets(another)
		b.resets("another " + another)
		more := b.usesUp(p, "another "+another, attackers...)
		b.resets(good + " again")
		if more += b.usesUp(p, good+" again", attackers...); more != 10 {
			t.Errorf("%d known browsers had %d more with the next passwords, want 10", many, more)
		}
		b.lifts("factor", "factor known")
		if n, _ := attackers[0].guesses(p, good+" again"); n != 5 {
			t.Errorf("after the operator has lifted the limits, there are %d guesses at once", n)
		}
	}
}

// A right second factor ends the row in all browsers.
func TestFactor_ARightOneEndsTheRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	thieves := b.knownTo(2, &p)
	b.usesUp(p, good, append(thieves, b.visitor("198.51.100.1"))...)
	owner, r := b.resets(another)
	owner.must(b.Flows.GiveFactor(t.Context(), owner.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
	for name, v := range map[string]*visitor{"known": owner, "unknown": b.visitor("198.51.100.3")} {
		if n, _ := v.guesses(p, another); n != 5 {
			t.Errorf("after a right one, a browser that is %s has %d guesses at once", name, n)
		}
	}
}

// Known browsers share the counts of passwords, codes and emails. The one that finds them
// used up is a stranger.
func TestKnownBrowsers_ShareTheirCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	list := b.knownTo(25, nil)
	b.clock.Advance(25 * time.Hour)
	passwords, emails, codes := 0, 0, 0
	for _, v := range list {
		for range 6 {
			if _, err := v.signIn("mara@example.org", another); errors.Is(err, flow.Rejected) {
				passwords++
			}
			r := v.forgets("mara@example.org")
			if r.Held == nil {
				emails++
			}
			_, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, "000000")
			if errors.Is(err, code.Wrong) || errors.Is(err, code.UsedUp) {
				codes++
			}
		}
	}
	// The limits of known browsers allow 10 of the emails, and the limits of strangers 5. Each of
	// 20 networks that has caused none gets one.
	if passwords != 55 || emails != 35 || codes != 20 {
		t.Errorf("25 known browsers had %d passwords compared, %d emails and %d codes at once, want 55, 35 and 20", passwords, emails, codes)
	}
	b.lifts("mail known hour", "password known", "code known")
}

// accountReads counts the reads of authenticator apps, of recovery codes and of unproven addresses.
type accountReads struct {
	flow.Store
	n *atomic.Int64
}

type accountReadsTx struct {
	flow.Tx
	n *atomic.Int64
}

func (s accountReads) Write(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Write(ctx, func(tx flow.Tx) error { return fn(accountReadsTx{tx, s.n}) })
}

func (s accountReads) Read(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Read(ctx, func(tx flow.Tx) error { return fn(accountReadsTx{tx, s.n}) })
}

func (t accountReadsTx) FactorsOf(ctx context.Context, id string) ([]factor.Factor, error) {
	t.n.Add(1)
	return t.Tx.FactorsOf(ctx, id)
}

func (t accountReadsTx) RecoveryCodesOf(ctx context.Context, id string) ([]factor.RecoveryCode, error) {
	t.n.Add(1)
	return t.Tx.RecoveryCodesOf(ctx, id)
}

func (t accountReadsTx) IsUnproven(ctx context.Context, id string) (bool, error) {
	t.n.Add(1)
	return t.Tx.IsUnproven(ctx, id)
}

// A browser that another account knows costs the same reads for every address. Without a
// device cookie there are fewer.
func TestKnownBrowser_TellsNoAddresses(t *testing.T) {
	t.Parallel()
	reads := new(atomic.Int64)
	b := setup(t, func(c *flow.Config) { c.Store = accountReads{c.Store, reads} })
	eve, mara := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	eve.register("eve@example.org")
	mara.register("mara@example.org")
	mara.enrols()
	costs := func(v *visitor, address string) int64 {
		before := reads.Load()
		if _, err := v.signIn(address, another); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s: %v", address, err)
		}
		r := v.forgets(address)
		_, _ = b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, "000000")
		_, _ = b.Flows.View(t.Context(), v.Caller, r.FlowID)
		return reads.Load() - before
	}
	for name, v := range map[string]*visitor{"a browser of another account": eve, "a new browser": b.visitor("192.0.2.3")} {
		if known, unknown := costs(v, "mara@example.org"), costs(v, "nobody@example.org"); known != unknown {
			t.Errorf("%s costs %d reads for an account, and %d for none", name, known, unknown)
		}
	}
	if with, without := costs(eve, "none@example.org"), costs(b.visitor("192.0.2.4"), "none@example.org"); with <= without {
		t.Errorf("a device cookie costs %d reads, and no cookie %d", with, without)
	}
}

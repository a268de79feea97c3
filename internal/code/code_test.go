package code_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

const life = 10 * time.Minute

// bundle is an issuer on a real database, with two flows: f and g.
type bundle struct {
	*testing.T
	store  *store.Store
	clock  *clock.Manual
	issuer *code.Issuer
}

func setup(t *testing.T) *bundle {
	t.Helper()
	s := sqlitetest.Open(t)
	b := &bundle{T: t, store: s, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	b.issuer = code.NewIssuer(secret.NewKey(), b.clock)
	for _, id := range []string{"f", "g"} {
		b.write(func(tx *store.Tx) error { return tx.InsertFlow(t.Context(), flow.Pending{ID: id}) })
	}
	return b
}

func (b *bundle) write(fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(b.Context(), fn); err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) issue(flowID string) (issued code.Issued) {
	b.Helper()
	b.clock.Advance(time.Second) // each code has another time
	b.write(func(tx *store.Tx) (err error) {
		issued, err = b.issuer.Issue(b.Context(), tx, flowID, life)
		return err
	})
	return issued
}

// redeem expects an outcome of the digits in a flow; nil is success.
func (b *bundle) redeem(why, flowID, digits string, want error) {
	b.Helper()
	err := b.store.Write(b.Context(), func(tx *store.Tx) error { return b.issuer.Redeem(b.Context(), tx, flowID, digits) })
	if !errors.Is(err, want) {
		b.Errorf("%s: %v, want %v", why, err, want)
	}
}

// find and press expect an outcome of a link; nil is success.
func (b *bundle) find(why, token string, want error) {
	b.Helper()
	b.link(b.issuer.FindLink, why, token, want)
}
func (b *bundle) press(why, token string, want error) {
	b.Helper()
	b.link(b.issuer.RedeemLink, why, token, want)
}

func (b *bundle) link(do func(context.Context, code.Store, string) (code.Secret, error), why, token string, want error) {
	b.Helper()
	err := b.store.Write(b.Context(), func(tx *store.Tx) error {
		s, err := do(b.Context(), tx, token)
		if known := err == nil || !errors.Is(err, code.LinkMalformed) && why != "deleted"; known != (s.FlowID == "f") {
			b.Errorf("%s: the secret is %+v", why, s)
		}
		return err
	})
	if !errors.Is(err, want) {
		b.Errorf("%s: %v, want %v", why, err, want)
	}
}

func TestIssue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	issued := b.issue("f")
	if len(issued.Digits) != code.Length || !secret.ValidToken(issued.Link) || !issued.ExpiresAt.Equal(b.clock.Now().Add(life)) {
		t.Errorf("issued %+v", issued)
	}
	_ = b.store.Read(t.Context(), func(tx *store.Tx) error { // SEC-040
		kept, err := tx.CodesOf(t.Context(), "f")
		if err != nil || len(kept) != 1 || strings.Contains(string(kept[0].Digits), issued.Digits) || string(kept[0].Link) == issued.Link {
			t.Errorf("the database keeps %+v (%v)", kept, err)
		}
		return nil
	})
}

// SEC-025, SEC-028.
func TestRedeem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	issued := b.issue("f")
	b.redeem("in another flow", "g", issued.Digits, code.Wrong)
	b.redeem("other digits", "f", other(issued.Digits), code.Wrong)
	b.redeem("the digits", "f", issued.Digits, nil)
	b.redeem("once more", "f", issued.Digits, code.Used)
	b.press("its link, after its digits", issued.Link, code.LinkUsed)
}

func TestRedeem_Expiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	last, late := b.issue("f"), b.issue("f")
	b.clock.Advance(life - time.Second - time.Microsecond)
	b.redeem("just before its end", "f", last.Digits, nil)
	b.redeem("one that the other has ended", "f", late.Digits, code.Used)

	over := b.issue("g")
	b.clock.Advance(life)
	b.redeem("at its end", "g", over.Digits, code.Expired)
	b.redeem("others, at its end", "g", other(over.Digits), code.Wrong)
}

func TestOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	over := func(why string, want bool) {
		t.Helper()
		b.write(func(tx *store.Tx) error {
			got, err := b.issuer.Over(t.Context(), tx, "f")
			if got != want {
				t.Errorf("%s: %v, want %v", why, got, want)
			}
			return err
		})
	}
	over("without a code", true)
	b.issue("f")
	b.clock.Advance(life - time.Microsecond)
	over("just before its end", false)
	b.clock.Advance(time.Microsecond)
	over("at its end", true)
	b.issue("f")
	over("with a newer one", false)
}

// SEC-033: after a resend, the code of the email before is still valid, and
// older codes are not.
func TestRedeem_TheTwoNewest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		use  int // one of three, oldest first
		want error
	}{"oldest": {0, code.Expired}, "middle": {1, nil}, "newest": {2, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			three := []code.Issued{b.issue("f"), b.issue("f"), b.issue("f")}
			b.redeem("the digits", "f", three[tt.use].Digits, tt.want)
			if tt.want != nil {
				return
			}
			for _, issued := range three {
				b.redeem("after one is used", "f", issued.Digits, code.Used)
			}
		})
	}
}

// SEC-026.
func TestRedeem_OneOfMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	issued := b.issue("f")
	var won atomic.Int64
	var group sync.WaitGroup
	start := make(chan struct{})
	for worker := range 20 {
		group.Go(func() {
			<-start
			err := b.store.Write(t.Context(), func(tx *store.Tx) error {
				if worker%2 == 0 {
					return b.issuer.Redeem(t.Context(), tx, "f", issued.Digits)
				}
				_, err := b.issuer.RedeemLink(t.Context(), tx, issued.Link)
				return err
			})
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, code.Used) && !errors.Is(err, code.LinkUsed):
				t.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 20 used it, want 1", won.Load())
	}
}

// SEC-042: opening a link changes nothing, however often it happens.
func TestLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	issued := b.issue("f")
	for range 3 {
		b.find("opened", issued.Link, nil)
	}
	b.press("pressed", issued.Link, nil)
	b.find("opened after it was used", issued.Link, code.LinkUsed)
	b.press("pressed again", issued.Link, code.LinkUsed)
	b.redeem("its digits, after the link", "f", issued.Digits, code.Used)
}

func TestLink_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replaced, first, second := b.issue("f"), b.issue("f"), b.issue("f")
	b.find("replaced", replaced.Link, code.LinkReplaced)
	b.press("replaced", replaced.Link, code.LinkReplaced)
	b.find("one before the newest", first.Link, nil)
	for _, token := range []string{"", "x", second.Digits, second.Link[:42], second.Link + "A"} {
		b.find("malformed", token, code.LinkMalformed)
		b.press("malformed", token, code.LinkMalformed)
	}
	b.find("deleted", secret.Token(), code.LinkExpired)
	b.press("deleted", secret.Token(), code.LinkExpired)
	b.clock.Advance(life)
	b.find("expired", second.Link, code.LinkExpired)
	b.press("expired", second.Link, code.LinkExpired)
}

// other returns other digits.
func other(digits string) string {
	return string('0'+(digits[0]-'0'+1)%10) + digits[1:]
}

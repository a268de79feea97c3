package trust_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/trust"
)

// bundle is a Keeper on a real database, with two accounts.
type bundle struct {
	*testing.T
	*trust.Keeper
	store *store.Store
	clock *clock.Manual
}

func setup(t *testing.T) *bundle {
	b := &bundle{T: t, store: sqlitetest.Open(t), clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	b.Keeper = trust.NewKeeper(b.clock)
	for _, id := range []string{"mara", "noor"} {
		b.write(func(tx *store.Tx) error {
			_, err := tx.InsertAccount(t.Context(), account.Account{ID: id, Address: account.Address{Key: id, Mail: id}, State: account.Active})
			return err
		})
	}
	return b
}

func (b *bundle) write(fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(context.Background(), fn); err != nil {
		b.Fatal(err)
	}
}

var fingerprint = trust.Fingerprint([]string{"password 1"})

func (b *bundle) give(accountID, cookie string) (fresh string) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		fresh, err = b.Give(b.Context(), tx, accountID, fingerprint, "test", cookie)
		return err
	})
	return fresh
}

func (b *bundle) trusts(accountID string, fingerprint []byte, cookie string) (ok bool) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		ok, err = b.Use(b.Context(), tx, accountID, fingerprint, cookie)
		return err
	})
	return ok
}

func (b *bundle) list(accountID string) (list []trust.Browser) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		list, err = b.List(b.Context(), tx, accountID, fingerprint)
		return err
	})
	return list
}

func TestMark(t *testing.T) {
	t.Parallel()
	same := [][]string{{"a", "b"}, {"b", "a"}}
	if !bytes.Equal(trust.Fingerprint(same[0]), trust.Fingerprint(same[1])) {
		t.Error("the order counts")
	}
	for _, other := range [][]string{{"ab"}, {"a"}, {"a", "b", ""}, {"a,1:b"}, {"a", "b", "b"}} {
		if bytes.Equal(trust.Fingerprint(same[0]), trust.Fingerprint(other)) {
			t.Errorf("%q has the fingerprint of %q", other, same[0])
		}
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cookie := b.give("mara", "")
	other := trust.Fingerprint([]string{"password 2"})
	for _, tt := range []struct {
		account     string
		fingerprint []byte
		cookie      string
		want        bool
	}{
		{"mara", fingerprint, cookie, true},
		{"mara", fingerprint, cookie + ".x", true},
		{"noor", fingerprint, cookie, false},
		{"mara", other, cookie, false},
		{"mara", fingerprint, "", false},
		{"mara", fingerprint, strings.ToUpper(cookie), false},
		{"mara", fingerprint, cookie[1:], false},
	} {
		if got := b.trusts(tt.account, tt.fingerprint, tt.cookie); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// The time at which the trust was given counts, however often the browser is used.
func TestUse_EndsAfterItsLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cookie := b.give("mara", "")
	b.clock.Advance(trust.Life - time.Second)
	if !b.trusts("mara", fingerprint, cookie) || len(b.list("mara")) != 1 {
		t.Error("the trust ended too early")
	}
	b.clock.Advance(time.Second)
	if b.trusts("mara", fingerprint, cookie) || len(b.list("mara")) != 0 {
		t.Error("the trust goes on")
	}
	b.clock.Advance(-trust.Life - time.Hour)
	if b.trusts("mara", fingerprint, cookie) {
		t.Error("after the clock was set back, the trust lasts longer")
	}
}

func TestGive_AnewInTheSameBrowser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.give("mara", "")
	both := b.give("noor", first)
	again := b.give("mara", both)
	if b.trusts("mara", fingerprint, first) || !b.trusts("mara", fingerprint, again) || !b.trusts("noor", fingerprint, again) {
		t.Error("the browser has not one new token of each account")
	}
	if len(b.list("mara")) != 1 {
		t.Errorf("%d browsers are listed", len(b.list("mara")))
	}
}

// A browser whose only token is of the account gets another one, and the row of the former one goes.
func TestGive_Replaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	former := b.give("mara", "")
	fresh := b.give("mara", former)
	if fresh == former || strings.Contains(fresh, ".") || len(b.list("mara")) != 1 || b.trusts("mara", fingerprint, former) {
		t.Errorf("the cookie is %q after %q, and %d browsers are trusted", fresh, former, len(b.list("mara")))
	}
}

func TestGive_Bounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var cookies []string
	for range trust.MostBrowsers + 1 {
		b.clock.Advance(time.Second)
		cookies = append(cookies, b.give("mara", ""))
	}
	if n := len(b.list("mara")); n != trust.MostBrowsers || b.trusts("mara", fingerprint, cookies[0]) || !b.trusts("mara", fingerprint, cookies[1]) {
		t.Errorf("%d browsers are trusted, or not the latest", n)
	}
	cookie := ""
	for range 9 {
		cookie = b.give("mara", "") + "." + cookie
	}
	if grown := b.give("noor", cookie); strings.Count(grown, ".") != 4 {
		t.Errorf("the cookie has %d tokens", strings.Count(grown, ".")+1)
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	phone, laptop := b.give("mara", ""), b.give("mara", "")
	theirs := b.give("noor", "")
	list := b.list("mara")
	at := slices.IndexFunc(list, func(t trust.Browser) bool { return t.Has(phone) })
	end := func(id string) (ended int) {
		b.write(func(tx *store.Tx) (err error) {
			ended, err = b.End(t.Context(), tx, "mara", fingerprint, id)
			return err
		})
		return ended
	}
	if n := end(b.list("noor")[0].ID); n != 0 || !b.trusts("noor", fingerprint, theirs) {
		t.Error("one account ended the trust of another")
	}
	if n := end(list[at].ID); n != 1 || b.trusts("mara", fingerprint, phone) || !b.trusts("mara", fingerprint, laptop) {
		t.Errorf("%d ended, not the one of the phone", n)
	}
	if n := end(""); n != 1 || b.trusts("mara", fingerprint, laptop) || end("") != 0 {
		t.Errorf("%d ended, want the other one", n)
	}
}

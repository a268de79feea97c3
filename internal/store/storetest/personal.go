package storetest

import (
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/session"
	"portico/internal/store"
)

type personals struct{ *bundle }

// token adds a token of an account.
func (b personals) token(number int, a account.Account) (p apikey.Personal, hash []byte) {
	b.Helper()
	p, hash = full[apikey.Personal](number), []byte{byte(number)}
	p.AccountID, p.Version = a.ID, a.Version
	p.Roles = []string{"editor", "tester"}
	b.write(func(tx *store.Tx) error { return tx.InsertPersonal(b.Context(), hash, p) })
	return p, hash
}

func (b personals) byHash(hash []byte) (apikey.Personal, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (apikey.Personal, bool, error) { return tx.PersonalByHash(b.Context(), hash) })
}

func (b personals) found(hash []byte) (session.Found, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (session.Found, bool, error) { return tx.TokenByHash(b.Context(), hash) })
}

func (b personals) of(a account.Account, now time.Time) []apikey.Personal {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]apikey.Personal, error) { return tx.PersonalsOf(b.Context(), a.ID, now) })
}

func (b personals) end(a account.Account, id string, now time.Time) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.EndPersonal(b.Context(), a.ID, id, now) })
}

func (b personals) InsertPersonal_OncePerHash() {
	a := b.person(1)
	p, hash := b.token(1, a)
	p.ID = "another"
	b.fails("a hash twice", func(tx *store.Tx) error { return tx.InsertPersonal(b.Context(), hash, p) })
	p.AccountID = "no"
	b.fails("a token of nobody", func(tx *store.Tx) error { return tx.InsertPersonal(b.Context(), []byte("x"), p) })
}

func (b personals) PersonalByHash_EveryField() {
	a := b.person(1)
	p, hash := b.token(1, a)
	got, _ := b.byHash(hash)
	b.equal("the token", got, p)
	if _, ok := b.byHash([]byte("no")); ok {
		b.Error("there is a token that nobody has made")
	}
	b.write(func(tx *store.Tx) error { _, err := tx.DeleteAccount(b.Context(), a.ID); return err })
	if _, ok := b.byHash(hash); ok {
		b.Error("the token of a deleted account is there")
	}
}

func (b personals) TokenByHash_OfAnActiveAccount() {
	a := b.person(1)
	b.write(func(tx *store.Tx) error {
		return tx.UpdateRoles(b.Context(), a.ID, []string{"admin", "editor"})
	})
	p, hash := b.token(1, a)
	found, ok := b.found(hash)
	want := session.Session{
		ID: session.TokenID(p.ID), AccountID: a.ID, Version: a.Version, Methods: []string{session.ByToken}, App: p.App,
		CreatedAt: p.CreatedAt, LastSeenAt: p.UsedAt, ExpiresAt: p.EndsAt,
	}
	b.equal("the session", found.Session, want)
	if u := found.User; !ok || u.ID != a.ID || u.Address != a.Address.Mail || u.Name != a.Name || !slices.Equal(u.Roles, []string{"editor"}) || !u.EndsAt.Equal(a.EndsAt) {
		b.Errorf("the user is %+v", u)
	}
	b.write(func(tx *store.Tx) error { return tx.UpdatePassword(b.Context(), a.ID, "other") })
	if _, ok := b.found(hash); ok {
		b.Error("a new credential version leaves the token")
	}
}

func (b personals) PersonalsOf_ThatWork() {
	a := b.person(1)
	first, _ := b.token(1, a)
	second, _ := b.token(2, a)
	b.token(3, b.person(2))
	newest := []apikey.Personal{second, first}
	b.equal("the tokens", b.of(a, moment()), newest)
	b.equal("after the first end", b.of(a, first.EndsAt), newest[:1])
	b.write(func(tx *store.Tx) error { return tx.UpdatePassword(b.Context(), a.ID, "other") })
	if left := b.of(a, moment()); len(left) > 0 {
		b.Errorf("a new credential version leaves %v", left)
	}
}

func (b personals) EndPersonal_OneOrAllOfAnAccount() {
	a, other := b.person(1), b.person(2)
	first, hash := b.token(1, a)
	second, _ := b.token(2, a)
	b.token(3, a)
	b.token(4, other)
	b.end(other, first.ID, moment())
	if left := b.of(a, moment()); len(left) != 3 {
		b.Errorf("another account has ended a token: left are %v", left)
	}
	b.end(a, first.ID, moment())
	b.end(a, first.ID, moment().Add(time.Second))
	if got, _ := b.byHash(hash); !got.EndsAt.Equal(moment()) {
		b.Errorf("it ends at %v", got.EndsAt)
	}
	if left := b.of(a, moment()); len(left) != 2 || left[1].ID != second.ID {
		b.Errorf("left are %v", left)
	}
	b.end(a, "", moment())
	if len(b.of(a, moment())) != 0 || len(b.of(other, moment())) != 1 {
		b.Error("all tokens: want those of the account to end")
	}
}

func (b personals) Purge_AYearAfterTheirEnd() {
	a := b.person(1)
	_, hash := b.token(1, a)
	b.end(a, "", moment())
	for _, after := range []time.Duration{-time.Microsecond, time.Microsecond} {
		purges(b).purgeAt(moment().Add(apikey.KeepPersonal + after))
		if _, ok := b.byHash(hash); ok != (after < 0) {
			b.Errorf("%v from 366 days after its end, its row is there: %v", after, ok)
		}
	}
}

func (b personals) Rewind_EndsThemWithTheSessions() {
	a := b.person(1)
	b.token(1, a)
	for _, all := range []bool{false, true} {
		rewinds(b).rewind(all)
		if left := b.of(a, moment()); len(left) == 1 == all {
			b.Errorf("sessions end: %v, and the tokens are %v", all, left)
		}
	}
}

func (b personals) TouchTokens_NeverBack() {
	p, hash := b.token(1, b.person(1))
	for _, seen := range []time.Time{p.UsedAt.Add(time.Second), p.UsedAt} {
		b.write(func(tx *store.Tx) error { return tx.TouchTokens(b.Context(), []session.Use{{ID: p.ID, Seen: seen}}) })
	}
	if got, _ := b.byHash(hash); !got.UsedAt.Equal(p.UsedAt.Add(time.Second)) {
		b.Errorf("used at %v", got.UsedAt)
	}
}

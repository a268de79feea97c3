package storetest

import (
	"time"

	"portico/internal/account"
	"portico/internal/session"
	"portico/internal/store"
)

type endings struct{ *bundle }

func (b endings) due(at time.Time, limit int) []string {
	return list(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.DueEnds(b.Context(), at, limit) })
}

func (b endings) ends(a account.Account, at time.Time) {
	b.write(func(tx *store.Tx) error { return tx.UpdateEnd(b.Context(), a.ID, at) })
}

func (b endings) UpdateEnd_OfTheAccountAndItsSessions() {
	a, at := b.person(1), moment()
	s := full[session.Session](1)
	s.AccountID, s.Version = a.ID, a.Version
	b.write(func(tx *store.Tx) error { return tx.InsertSession(b.Context(), []byte("hash"), s) })
	for _, at := range []time.Time{at, at.Add(time.Hour), {}} {
		b.ends(a, at)
		got, _ := find(b.bundle, func(tx *store.Tx) (account.Account, bool, error) { return tx.AccountByID(b.Context(), a.ID) })
		b.equal("the end", got.EndsAt, at)
		found, ok := find(b.bundle, func(tx *store.Tx) (session.Found, bool, error) {
			return tx.SessionByHash(b.Context(), []byte("hash"))
		})
		if !ok || !found.User.EndsAt.Equal(at) {
			b.Errorf("the session is found: %v, and its account ends at %v, want %v", ok, found.User.EndsAt, at)
		}
	}
	b.ends(account.Account{ID: "no"}, at)
	b.equal("the end of an account that does not exist", b.due(at, 9), []string(nil))
}

func (b endings) DueEnds_InTheirOrder() {
	now := moment()
	later, second, first, never := b.person(1), b.person(2), b.person(3), b.person(4)
	b.ends(later, now.Add(time.Microsecond))
	b.ends(second, now)
	b.ends(first, now.Add(-time.Hour))
	b.ends(never, now)
	b.ends(never, time.Time{})
	b.equal("the due ones", b.due(now, 9), []string{first.ID, second.ID})
	b.equal("one of them", b.due(now, 1), []string{first.ID})
}

func (b endings) DropDueEnd_OfOneAccount() {
	a, other := b.person(1), b.person(2)
	b.ends(a, moment())
	b.ends(other, moment())
	b.write(func(tx *store.Tx) error { return tx.DropDueEnd(b.Context(), a.ID) })
	b.equal("what is left", b.due(moment(), 9), []string{other.ID})
	b.write(func(tx *store.Tx) error { return tx.DropDueEnd(b.Context(), a.ID) })
}

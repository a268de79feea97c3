package storetest

import (
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/store"
)

type audits struct{ *bundle }

// Facts are only added: none replaces another.
func (b audits) InsertFact_NeverReplaced() {
	f := full[audit.Fact](1)
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	b.fails("an id that is taken", func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
}

// A fact is written together with the change it reports, or not at all.
func (b audits) InsertFact_WithItsChange() {
	f := full[audit.Fact](1)
	b.fails("a change that failed", func(tx *store.Tx) error {
		_, err := tx.InsertAccount(b.Context(), account.Account{ID: "id"})
		return errors.Join(err, tx.InsertFact(b.Context(), f), errors.New("the step fails"))
	})
	b.equal("the account", b.account("id"), account.Account{})
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) }) // its id is free
}

// The newest records come first, and none of another account.
func (b audits) FactsOf_NewestFirst() {
	var want []audit.Fact
	for n := range 3 {
		f := full[audit.Fact](n + 1)
		f.AccountID = "mine"
		f.At = f.At.Add(time.Duration(n) * time.Hour)
		want = append([]audit.Fact{f}, want...)
		other := full[audit.Fact](n + 10)
		other.AccountID = "other"
		b.write(func(tx *store.Tx) error {
			return errors.Join(tx.InsertFact(b.Context(), f), tx.InsertFact(b.Context(), other))
		})
	}
	b.equal("the records", list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.FactsOf(b.Context(), "mine", 10) }), want)
	b.equal("the newest records", list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.FactsOf(b.Context(), "mine", 2) }), want[:2])
}

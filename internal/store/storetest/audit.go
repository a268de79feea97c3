package storetest

import (
	"errors"

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

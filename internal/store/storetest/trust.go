package storetest

import (
	"time"

	"portico/internal/store"
	"portico/internal/trust"
)

type trusts struct{ *bundle }

func (b trusts) InsertTrust_EveryField() {
	t := b.trust(b.person(1).ID, 1)
	b.trust(b.person(2).ID, 2)
	b.equal("the trusted browsers of the account", b.trusts(t.AccountID), []trust.Browser{t})
}

func (b trusts) InsertTrust_Refused() {
	t := b.trust(b.person(1).ID, 1)
	orphan, same := full[trust.Browser](2), full[trust.Browser](3)
	same.AccountID, same.Hash = t.AccountID, t.Hash
	b.fails("trust without an account", func(tx *store.Tx) error { return tx.InsertTrust(b.Context(), orphan) })
	b.fails("a token that is taken", func(tx *store.Tx) error { return tx.InsertTrust(b.Context(), same) })
}

func (b trusts) TrustsOf_LastUsedFirst() {
	a := b.person(1)
	second, third, first := b.trust(a.ID, 2), b.trust(a.ID, 3), b.trust(a.ID, 1)
	b.equal("the trusted browsers", b.trusts(a.ID), []trust.Browser{third, second, first})
}

func (b trusts) UseTrust_OnlyWhileItIsThere() {
	t, other := b.trust(b.person(1).ID, 1), b.trust(b.person(2).ID, 2)
	used := moment().Add(time.Hour)
	use := func(tx *store.Tx) (bool, error) { return tx.UseTrust(b.Context(), t.ID, used) }
	if !b.did(use) {
		b.Error("a trusted browser was not there")
	}
	t.UsedAt = used
	b.equal("the used one", b.trusts(t.AccountID), []trust.Browser{t})
	b.equal("the other", b.trusts(other.AccountID), []trust.Browser{other})
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteTrust(b.Context(), t.AccountID, t.ID) })
	if b.did(use) {
		b.Error("a browser was used after its trust had ended")
	}
}

func (b trusts) DeleteTrust_OnlyOneOfTheOwn() {
	a, other := b.person(1), b.person(2)
	t, second, theirs := b.trust(a.ID, 1), b.trust(a.ID, 2), b.trust(other.ID, 3)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteTrust(b.Context(), a.ID, theirs.ID) }) {
		b.Error("one account ended the trust of another")
	}
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteTrust(b.Context(), a.ID, t.ID) }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	b.equal("what is left", b.trusts(a.ID), []trust.Browser{second})
}

func (b trusts) DeleteAccount_WithItsTrust() {
	t := b.trust(b.person(1).ID, 1)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), t.AccountID) })
	if len(b.trusts(t.AccountID)) > 0 {
		b.Error("the trust outlived its account")
	}
}

func (b trusts) Purge_TrustAtItsEnd() {
	a := b.person(1)
	insert := func(number int, end time.Time) trust.Browser {
		t := full[trust.Browser](number)
		t.AccountID, t.ExpiresAt = a.ID, end
		b.write(func(tx *store.Tx) error { return tx.InsertTrust(b.Context(), t) })
		return t
	}
	insert(1, moment().Add(-time.Microsecond))
	kept := insert(2, moment().Add(time.Microsecond))
	purges(b).purge()
	b.equal("what is left", b.trusts(a.ID), []trust.Browser{kept})
}

func (b *bundle) trust(accountID string, number int) trust.Browser {
	b.Helper()
	t := full[trust.Browser](number)
	t.AccountID = accountID
	b.write(func(tx *store.Tx) error { return tx.InsertTrust(b.Context(), t) })
	return t
}

func (b *bundle) trusts(accountID string) []trust.Browser {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]trust.Browser, error) { return tx.TrustsOf(b.Context(), accountID) })
}

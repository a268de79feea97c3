package storetest

import (
	"portico/internal/account"
	"portico/internal/store"
)

type portraits struct{ *bundle }

func (b *bundle) portrait(accountID string, number int) account.Portrait {
	b.Helper()
	p := full[account.Portrait](number)
	p.AccountID = accountID
	b.write(func(tx *store.Tx) error { return tx.SavePortrait(b.Context(), p) })
	return p
}

func (b portraits) image(id string) ([]byte, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) ([]byte, bool, error) { return tx.PortraitImage(b.Context(), id) })
}

func (b portraits) SavePortrait_ReplacesTheOneBefore() {
	before, other := b.portrait(b.person(1).ID, 1), b.portrait(b.person(2).ID, 2)
	now := b.portrait(before.AccountID, 3)
	if _, there := b.image(before.ID); there {
		b.Error("the former picture is there")
	}
	for _, p := range []account.Portrait{now, other} {
		got, _ := b.image(p.ID)
		b.equal("the picture", got, p.Image)
	}
	b.fails("a picture without an account", func(tx *store.Tx) error {
		return tx.SavePortrait(b.Context(), full[account.Portrait](4))
	})
	same := other
	same.ID = now.ID
	b.fails("an id that is taken", func(tx *store.Tx) error { return tx.SavePortrait(b.Context(), same) })
}

func (b portraits) PortraitID_OfAnAccount() {
	a, none := b.person(1), b.person(2)
	p := b.portrait(a.ID, 1)
	id := func(of string) string {
		got, _ := find(b.bundle, func(tx *store.Tx) (string, bool, error) {
			id, err := tx.PortraitID(b.Context(), of)
			return id, true, err
		})
		return got
	}
	b.equal("the id", id(a.ID), p.ID)
	b.equal("the id without a picture", id(none.ID), "")
}

func (b portraits) PortraitImage_OfActiveAccountsAlone() {
	p := b.portrait(b.person(1).ID, 1)
	for state, want := range map[account.State]bool{account.DisabledByOperator: false, account.Leaving: false, account.Active: true} {
		b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), p.AccountID, state) })
		if _, there := b.image(p.ID); there != want {
			b.Errorf("%s: %v", state, there)
		}
	}
}

func (b portraits) DeletePortrait_OfOneAccount() {
	p, other := b.portrait(b.person(1).ID, 1), b.portrait(b.person(2).ID, 2)
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeletePortrait(b.Context(), p.AccountID) }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	if _, there := b.image(p.ID); there {
		b.Error("the picture is there")
	}
	if _, there := b.image(other.ID); !there {
		b.Error("the picture of the other account is gone")
	}
}

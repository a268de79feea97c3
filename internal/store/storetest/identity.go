package storetest

import (
	"time"

	"portico/internal/account"
	"portico/internal/store"
)

type identities struct{ *bundle }

func (b identities) InsertIdentity_EveryField() {
	i := b.identity(b.person(1), 1)
	got, _ := b.identityBySubject(i.Issuer, i.Subject)
	b.equal("the identity", got, i)
}

func (b identities) UpdateTellsTime_OfOneIdentity() {
	a := b.person(1)
	i, other := b.identity(a, 1), b.identity(a, 2)
	i.TellsTime = account.Omits
	b.write(func(tx *store.Tx) error { return tx.UpdateTellsTime(b.Context(), i.Issuer, i.Subject, i.TellsTime) })
	for _, want := range []account.Identity{i, other} {
		got, _ := b.identityBySubject(want.Issuer, want.Subject)
		b.equal("the identity", got, want)
	}
}

func (b identities) UpdateIdentityRoles_OfOneIdentity() {
	a := b.person(1)
	i, other := b.identity(a, 1), b.identity(a, 2)
	i.Roles, i.RolesAt = []string{"editor", "staff"}, moment()
	b.write(func(tx *store.Tx) error {
		return tx.UpdateIdentityRoles(b.Context(), i.Issuer, i.Subject, i.Roles, i.RolesAt)
	})
	for _, want := range []account.Identity{i, other} {
		got, _ := b.identityBySubject(want.Issuer, want.Subject)
		b.equal("the identity", got, want)
	}
}

func (b identities) InsertIdentity_LinkedAlready() {
	a, other := b.person(1), b.person(2)
	i := b.identity(a, 1)
	again := i
	again.AccountID = other.ID
	if b.did(func(tx *store.Tx) (bool, error) { return tx.InsertIdentity(b.Context(), again) }) {
		b.Error("the identity has two accounts")
	}
	b.equal("the account's identities", b.identities(a.ID), []account.Identity{i})
	b.equal("the other's identities", b.identities(other.ID), []account.Identity(nil))
}

func (b identities) InsertIdentity_OneOfMany() {
	people := make([]account.Account, workers)
	for n := range people {
		people[n] = b.person(n)
	}
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		return tx.InsertIdentity(b.Context(), account.Identity{Issuer: "i", Subject: "s", AccountID: people[worker].ID})
	})
}

func (b identities) InsertIdentity_OfNobody() {
	b.fails("an identity without an account", func(tx *store.Tx) error {
		_, err := tx.InsertIdentity(b.Context(), full[account.Identity](1))
		return err
	})
}

func (b identities) IdentityBySubject_BothAreTheKey() {
	i := b.identity(b.person(1), 1)
	for _, pair := range [][2]string{{i.Issuer, "no"}, {"no", i.Subject}, {i.Subject, i.Issuer}} {
		if _, ok := b.identityBySubject(pair[0], pair[1]); ok {
			b.Errorf("an identity was found by %q", pair)
		}
	}
}

func (b identities) IdentitiesOf_OldestFirst() {
	a := b.person(1)
	var want []account.Identity
	for age, subject := range []string{"b", "c", "a"} {
		i := account.Identity{Issuer: "i", Subject: subject, AccountID: a.ID, CreatedAt: moment().Add(-time.Duration(age) * time.Hour)}
		b.did(func(tx *store.Tx) (bool, error) { return tx.InsertIdentity(b.Context(), i) })
		want = append([]account.Identity{i}, want...)
	}
	b.equal("the identities", b.identities(a.ID), want)
}

func (b *bundle) identityBySubject(issuer, subject string) (account.Identity, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (account.Identity, bool, error) {
		return tx.IdentityBySubject(b.Context(), issuer, subject)
	})
}

func (b *bundle) identities(accountID string) []account.Identity {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]account.Identity, error) { return tx.IdentitiesOf(b.Context(), accountID) })
}

// identity links an identity with the account.
func (b *bundle) identity(a account.Account, number int) account.Identity {
	b.Helper()
	i := full[account.Identity](number)
	i.AccountID = a.ID
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertIdentity(b.Context(), i) }) {
		b.Fatal("the identity was not linked")
	}
	return i
}

func (b identities) DeleteIdentities_OfOneProvider() {
	a, other := b.person(1), b.person(2)
	mine, theirs := b.identity(a, 1), b.identity(other, 2)
	remove := func(provider string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteIdentities(b.Context(), a.ID, provider) })
	}
	if remove(theirs.Provider) || !remove(mine.Provider) || remove(mine.Provider) {
		b.Error("the identities of another provider are gone, or those of this one are still there")
	}
	b.equal("the account's identities", b.identities(a.ID), []account.Identity(nil))
	b.equal("the other's identities", b.identities(other.ID), []account.Identity{theirs})
}

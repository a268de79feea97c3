package storetest

import (
	"time"

	"portico/internal/signingkey"
	"portico/internal/store"
)

type signingKeys struct{ *bundle }

func (b signingKeys) InsertSigningKey_EveryField() {
	first, second := full[signingkey.Key](1), full[signingkey.Key](2)
	b.insertKey(second)
	b.insertKey(first)
	b.equal("the keys", b.signingKeys(), []signingkey.Key{first, second})
}

func (b signingKeys) InsertSigningKey_OneOfAGeneration() {
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		k := full[signingkey.Key](worker)
		k.Generation = 7
		return tx.InsertSigningKey(b.Context(), k)
	})
	if n := len(b.signingKeys()); n != 1 {
		b.Errorf("%d keys are of one generation", n)
	}
}

func (b signingKeys) SigningKeys_None() { b.equal("the keys", b.signingKeys(), []signingkey.Key(nil)) }

func (b signingKeys) RevokeSigningKey_Once() {
	k, other := full[signingkey.Key](1), full[signingkey.Key](2)
	k.RevokedAt, other.RevokedAt = time.Time{}, time.Time{}
	b.insertKey(k)
	b.insertKey(other)
	revoke := func(id string, at time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.RevokeSigningKey(b.Context(), id, at) })
	}
	if !revoke(k.ID, moment()) || revoke(k.ID, moment().Add(time.Hour)) || revoke("no", moment()) {
		b.Error("not the key that was there to revoke, once, was revoked")
	}
	k.RevokedAt = moment()
	b.equal("the keys", b.signingKeys(), []signingkey.Key{k, other})
}

func (b signingKeys) DeleteSigningKeys_OfTheRange() {
	for n := range 4 {
		b.insertKey(full[signingkey.Key](n + 1))
	}
	all := b.signingKeys()
	b.write(func(tx *store.Tx) error {
		return tx.DeleteSigningKeys(b.Context(), all[1].Generation, all[3].Generation)
	})
	b.equal("the keys", b.signingKeys(), []signingkey.Key{all[0], all[3]})
}

func (b *bundle) insertKey(k signingkey.Key) {
	b.Helper()
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertSigningKey(b.Context(), k) }) {
		b.Errorf("the key of generation %d was not stored", k.Generation)
	}
}

func (b *bundle) signingKeys() []signingkey.Key {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]signingkey.Key, error) { return tx.SigningKeys(b.Context()) })
}

package storetest

import (
	"time"

	"portico/internal/apikey"
	"portico/internal/once"
	"portico/internal/store"
)

type apiKeys struct{ *bundle }

// key adds a key with a secret of a person.
func (b apiKeys) key(number int) (apikey.Key, apikey.Secret) {
	b.Helper()
	k, s := full[apikey.Key](number), full[apikey.Secret](number)
	s.KeyID, s.AccountID = k.ID, b.person(number).ID
	b.write(func(tx *store.Tx) error {
		if err := tx.InsertAPIKey(b.Context(), k); err != nil {
			return err
		}
		return tx.InsertAPIKeySecret(b.Context(), s)
	})
	return k, s
}

func (b apiKeys) held(hash []byte) (apikey.Held, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (apikey.Held, bool, error) { return tx.APIKeyBySecret(b.Context(), hash) })
}

func (b apiKeys) byID(id string) (apikey.Key, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (apikey.Key, bool, error) { return tx.APIKeyByID(b.Context(), id) })
}

func (b apiKeys) APIKeyByID_Missing() {
	if _, ok := b.byID("no"); ok {
		b.Error("there is a key that nobody has made")
	}
}

func (b apiKeys) InsertAPIKey_EveryField() {
	k, _ := b.key(1)
	got, _ := b.byID(k.ID)
	b.equal("the key", got, k)
}

func (b apiKeys) InsertAPIKeySecret_OfAKeyAndAnAccount() {
	_, s := b.key(1)
	b.fails("a secret twice", func(tx *store.Tx) error { return tx.InsertAPIKeySecret(b.Context(), s) })
	s.Hash, s.KeyID = []byte("other"), "no"
	b.fails("a secret of no key", func(tx *store.Tx) error { return tx.InsertAPIKeySecret(b.Context(), s) })
}

func (b apiKeys) APIKeyBySecret_EveryField() {
	k, s := b.key(1)
	b.key(2)
	held, _ := b.held(s.Hash)
	b.equal("the key", held, apikey.Held{Key: k, Hash: s.Hash, AccountID: s.AccountID})
}

func (b apiKeys) DeleteAPIKeySecret_ThatOne() {
	_, s := b.key(1)
	_, other := b.key(2)
	b.write(func(tx *store.Tx) error { return tx.DeleteAPIKeySecret(b.Context(), s.Hash) })
	if _, ok := b.held(s.Hash); ok {
		b.Error("a secret that was ended finds its key")
	}
	if _, ok := b.held(other.Hash); !ok {
		b.Error("the secret of another key is gone")
	}
}

func (b apiKeys) UpdateAPIKey_EndAndWarning() {
	k, _ := b.key(1)
	other, _ := b.key(2)
	k.EndsAt, k.WarnedAt = moment(), moment().Add(time.Hour)
	b.write(func(tx *store.Tx) error { return tx.UpdateAPIKey(b.Context(), k.ID, k.EndsAt, k.WarnedAt) })
	for _, want := range []apikey.Key{k, other} {
		got, _ := b.byID(want.ID)
		b.equal("the key", got, want)
	}
}

func (b apiKeys) TouchAPIKey_UseAndNetwork() {
	k, _ := b.key(1)
	k.UsedAt, k.Peer = moment(), "192.0.2.9/32"
	b.write(func(tx *store.Tx) error { return tx.TouchAPIKey(b.Context(), k.ID, k.UsedAt, k.Peer) })
	got, _ := b.byID(k.ID)
	b.equal("the key", got, k)
}

func (b apiKeys) APIKeySecrets_GoWithTheirAccount() {
	k, s := b.key(1)
	newer := full[apikey.Secret](3)
	newer.KeyID, newer.AccountID = k.ID, b.person(2).ID
	b.write(func(tx *store.Tx) error { return tx.InsertAPIKeySecret(b.Context(), newer) })
	b.equal("the secrets", list(b.bundle, func(tx *store.Tx) ([]apikey.Secret, error) { return tx.APIKeySecrets(b.Context(), k.ID) }), []apikey.Secret{newer, s})
	b.write(func(tx *store.Tx) error { _, err := tx.DeleteAccount(b.Context(), s.AccountID); return err })
	b.equal("the secrets of the key", list(b.bundle, func(tx *store.Tx) ([]apikey.Secret, error) { return tx.APIKeySecrets(b.Context(), k.ID) }), []apikey.Secret{newer})
}

func (b apiKeys) APIKeySecretsOf_OneAccount() {
	k, s := b.key(1)
	b.key(2)
	for now, want := range map[time.Time][]apikey.Secret{k.EndsAt: nil, k.EndsAt.Add(-time.Microsecond): {s}} {
		b.equal("the secrets of an account", list(b.bundle, func(tx *store.Tx) ([]apikey.Secret, error) {
			return tx.APIKeySecretsOf(b.Context(), s.AccountID, now)
		}), want)
	}
}

func (b apiKeys) APIKeys_NewestFirstInPages() {
	var all []apikey.Key
	for number := 1; number < 5; number++ {
		k, _ := b.key(number)
		all = append([]apikey.Key{k}, all...)
	}
	page := func(after string, limit int) []apikey.Key {
		return list(b.bundle, func(tx *store.Tx) ([]apikey.Key, error) { return tx.APIKeys(b.Context(), after, limit) })
	}
	b.equal("the first page", page("", 3), all[:3])
	b.equal("the next page", page(all[2].ID, 3), all[3:])
}

func (b apiKeys) APIKeyNames_OfThose() {
	k, _ := b.key(1)
	b.key(2)
	names := result(b.bundle, func(tx *store.Tx) (map[string]string, error) {
		return tx.APIKeyNames(b.Context(), []string{k.ID, "no"})
	})
	b.equal("the names", names, map[string]string{k.ID: k.Name})
}

func (b apiKeys) EndingAPIKeys_NotTheToldOnes() {
	k, _ := b.key(1)
	told, _ := b.key(2)
	ends := moment().Add(time.Hour)
	b.write(func(tx *store.Tx) error {
		if err := tx.UpdateAPIKey(b.Context(), told.ID, ends, moment()); err != nil {
			return err
		}
		return tx.UpdateAPIKey(b.Context(), k.ID, ends, time.Time{})
	})
	k.EndsAt, k.WarnedAt = ends, time.Time{}
	for from, want := range map[time.Time][]apikey.Key{moment(): {k}, ends: nil, moment().Add(-2 * time.Hour): nil} {
		got := list(b.bundle, func(tx *store.Tx) ([]apikey.Key, error) {
			return tx.EndingAPIKeys(b.Context(), from, from.Add(time.Hour), 5)
		})
		b.equal("the keys that end soon", got, want)
	}
}

type onces struct{ *bundle }

func (b onces) row(hash []byte) (once.Row, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (once.Row, bool, error) { return tx.OnceByHash(b.Context(), hash) })
}

// claim adds a row without an answer.
func (b onces) claim(number int) once.Row {
	b.Helper()
	r := full[once.Row](number)
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.ClaimOnce(b.Context(), r, "") }) {
		b.Fatal("a new row was not added")
	}
	r.Done, r.Answer = false, ""
	return r
}

func (b onces) mark(hash []byte, claim string) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.MarkOnce(b.Context(), hash, claim) })
}

func (b onces) OnceByHash_EveryField() {
	r := b.claim(1)
	b.claim(2)
	got, _ := b.row(r.Hash)
	b.equal("the row", got, r)
}

func (b onces) ClaimOnce_OneOfMany() {
	r := full[once.Row](1)
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		mine := r
		mine.Claim = full[once.Row](worker + 2).Claim
		return tx.ClaimOnce(b.Context(), mine, "")
	})
	got, _ := b.row(r.Hash)
	next := r
	next.Claim = "next"
	for former, want := range map[string]bool{"other": false, got.Claim: true} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.ClaimOnce(b.Context(), next, former) }) != want {
			b.Errorf("taken over from the claim %q: %v", former, !want)
		}
	}
}

func (b onces) MarkOnce_NotForAnotherClaim() {
	r := b.claim(1)
	if b.mark(r.Hash, "other") || !b.mark(r.Hash, r.Claim) {
		b.Error("not the claim of the row is marked")
	}
	got, _ := b.row(r.Hash)
	r.Done = true
	b.equal("the row", got, r)
}

func (b onces) AnswerOnce_OfAChangeNotForAnotherClaim() {
	r := b.claim(1)
	b.write(func(tx *store.Tx) error { return tx.AnswerOnce(b.Context(), r.Hash, r.Claim, "too early") })
	b.mark(r.Hash, r.Claim)
	b.write(func(tx *store.Tx) error { return tx.AnswerOnce(b.Context(), r.Hash, "other", "no") })
	b.write(func(tx *store.Tx) error { return tx.AnswerOnce(b.Context(), r.Hash, r.Claim, "{}") })
	got, _ := b.row(r.Hash)
	r.Done, r.Answer = true, "{}"
	b.equal("the row", got, r)
}

func (b onces) DropOnce_NotWhatIsDone() {
	r, done := b.claim(1), b.claim(2)
	b.mark(done.Hash, done.Claim)
	for _, each := range []once.Row{r, done} {
		b.write(func(tx *store.Tx) error { return tx.DropOnce(b.Context(), each.Hash, each.Claim) })
	}
	_, gone := b.row(r.Hash)
	if _, kept := b.row(done.Hash); gone || !kept {
		b.Error("not the row without a change, and that alone, is gone")
	}
}

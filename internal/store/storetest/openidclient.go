package storetest

import (
	"slices"
	"time"

	"portico/internal/openid"
	"portico/internal/store"
)

type registry struct{ *bundle }

// add stores a client that ends in an hour.
func (b registry) add(number int, change func(*openid.Registered)) openid.Registered {
	b.Helper()
	r := full[openid.Registered](number)
	r.EndsAt = moment().Add(time.Hour)
	if change != nil {
		change(&r)
	}
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertRegistered(b.Context(), r, moment(), 1000) }) {
		b.Fatal("the client is not stored")
	}
	return r
}

func (b registry) find(id string) (openid.Registered, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (openid.Registered, bool, error) {
		return tx.RegisteredByID(b.Context(), id, moment())
	})
}

func (b registry) clients(now time.Time) []openid.Registered {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]openid.Registered, error) { return tx.RegisteredList(b.Context(), now) })
}

func (b registry) InsertRegistered_EveryField() {
	r := b.add(1, nil)
	b.add(2, nil)
	got, ok := b.find(r.ID)
	if !ok {
		b.Fatal("the client is not found")
	}
	b.equal("the client", got, r)
}

// A client that has ended takes no place of another one, also while it is not purged.
func (b registry) InsertRegistered_NoMoreThanMost() {
	const most = 7
	b.write(func(tx *store.Tx) error {
		_, err := tx.KeepKeyCheck(b.Context(), []byte("key"), store.Real)
		return err
	})
	b.add(1, func(r *openid.Registered) { r.EndsAt = moment() })
	b.add(2, nil)
	won := b.race(func(tx *store.Tx, worker int) (bool, error) {
		r := full[openid.Registered](3 + worker)
		return tx.InsertRegistered(b.Context(), r, moment(), most)
	})
	if stored := len(b.clients(moment())); won != most-1 || stored != most {
		b.Errorf("%d callers were told that theirs is stored, and %d clients are there, want %d and %d", won, stored, most-1, most)
	}
}

func (b registry) LockRegistered_OneAfterAnother() {
	b.add(1, func(r *openid.Registered) { r.EndsAt = moment() })
	r := b.add(2, func(r *openid.Registered) { r.Secret = []byte{} })
	ended := full[openid.Registered](1)
	if found := b.race(func(tx *store.Tx, _ int) (ok bool, err error) { // also opens the connections
		_, ok, err = tx.LockRegistered(b.Context(), ended.ID, moment())
		return ok, err
	}); found > 0 {
		b.Error("a client is found that has ended")
	}
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		got, ok, err := tx.LockRegistered(b.Context(), r.ID, moment())
		if err != nil || !ok || len(got.Secret) > 0 {
			return false, err
		}
		got.Secret = []byte("s")
		return true, tx.ChangeRegistered(b.Context(), got)
	})
}

func (b registry) RegisteredByID_NotEnded() {
	late := b.add(1, func(r *openid.Registered) { r.EndsAt = moment() })
	if _, ok := b.find(late.ID); ok {
		b.Error("a client is found that has ended")
	}
	if _, ok := b.find("none"); ok {
		b.Error("a client is found that never registered")
	}
}

func (b registry) RegisteredList_OldestFirst() {
	second := b.add(1, func(r *openid.Registered) { r.CreatedAt = moment() })
	first := b.add(2, func(r *openid.Registered) { r.CreatedAt = moment().Add(-time.Microsecond) })
	b.add(3, func(r *openid.Registered) { r.EndsAt = moment() })
	b.equal("the clients", b.clients(moment()), []openid.Registered{first, second})
}

func (b registry) ChangeRegistered_MetadataAndSecret() {
	r, other := b.add(1, nil), b.add(2, nil)
	next := r
	next.Metadata, next.Secret = "other", []byte("s")
	b.write(func(tx *store.Tx) error { return tx.ChangeRegistered(b.Context(), next) })
	got, _ := b.find(r.ID)
	b.equal("the changed one", got, next)
	got, _ = b.find(other.ID)
	b.equal("the other one", got, other)
}

func (b registry) KeepRegistered_OnlyLonger() {
	r, other := b.add(1, nil), b.add(2, nil)
	keep := func(until time.Time) {
		b.write(func(tx *store.Tx) error { return tx.KeepRegistered(b.Context(), r.ID, until) })
	}
	keep(moment().Add(2 * time.Hour))
	keep(moment().Add(time.Minute))
	r.EndsAt = moment().Add(2 * time.Hour)
	got, _ := b.find(r.ID)
	b.equal("the kept one", got, r)
	b.end(r.ID)
	if keep(moment().Add(3 * time.Hour)); len(b.clients(moment())) > 1 {
		b.Error("a client that was ended is there again")
	}
	got, _ = b.find(other.ID)
	b.equal("the other one", got, other)
}

func (b registry) end(id string) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.EndRegistered(b.Context(), id, moment()) })
}

func (b registry) EndRegistered_ThatOne() {
	r, other, late := b.add(1, nil), b.add(2, nil), b.add(3, func(r *openid.Registered) { r.EndsAt = moment() })
	if !b.end(r.ID) || b.end(r.ID) || b.end(late.ID) {
		b.Error("not the first end, and that alone, counts")
	}
	b.equal("the clients", b.clients(moment()), []openid.Registered{other})
}

func (b registry) ended() []string {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.EndedRegistered(b.Context(), moment()) })
}

func (b registry) EndedRegistered_HoweverItEnded() {
	late, r := b.add(1, func(r *openid.Registered) { r.EndsAt = moment() }), b.add(2, nil)
	b.add(3, func(r *openid.Registered) { r.EndsAt = moment().Add(time.Microsecond) })
	b.end(r.ID)
	got, want := b.ended(), []string{late.ID, r.ID}
	slices.Sort(got)
	slices.Sort(want)
	b.equal("the clients", got, want)
}

func (b registry) DeleteRegistered_OnceEnded() {
	kept, r, other := b.add(1, nil), b.add(2, nil), b.add(3, nil)
	b.end(r.ID)
	b.end(other.ID)
	for _, id := range []string{kept.ID, r.ID} {
		b.write(func(tx *store.Tx) error { return tx.DeleteRegistered(b.Context(), id, moment()) })
	}
	b.equal("those that have ended", b.ended(), []string{other.ID})
	b.equal("the others", b.clients(moment()), []openid.Registered{kept})
}

// token stores an initial token that works for an hour.
func (b registry) token(number int, change func(*openid.InitialToken)) openid.InitialToken {
	b.Helper()
	t := full[openid.InitialToken](number)
	t.ExpiresAt = moment().Add(time.Hour)
	if change != nil {
		change(&t)
	}
	b.write(func(tx *store.Tx) error { return tx.InsertInitialToken(b.Context(), t) })
	return t
}

func (b registry) tokens(now time.Time) []openid.InitialToken {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]openid.InitialToken, error) { return tx.InitialTokens(b.Context(), now) })
}

func (b registry) InsertInitialToken_EveryField() {
	t := b.token(1, nil)
	b.equal("the tokens", b.tokens(moment()), []openid.InitialToken{t})
}

func (b registry) InitialTokens_ThatWork() {
	b.token(1, func(t *openid.InitialToken) { t.ExpiresAt = moment() })
	b.token(2, func(t *openid.InitialToken) { t.Uses = 0 })
	second := b.token(3, func(t *openid.InitialToken) { t.CreatedAt = moment() })
	first := b.token(4, func(t *openid.InitialToken) { t.CreatedAt = moment().Add(-time.Microsecond) })
	b.equal("the tokens", b.tokens(moment()), []openid.InitialToken{first, second})
}

func (b registry) SpendInitialToken_AsOftenAsItSays() {
	t, late := b.token(1, func(t *openid.InitialToken) { t.Uses = 1 }), b.token(2, func(t *openid.InitialToken) { t.ExpiresAt = moment() })
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return tx.SpendInitialToken(b.Context(), t.Hash, moment()) })
	for _, hash := range [][]byte{late.Hash, []byte("none")} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.SpendInitialToken(b.Context(), hash, moment()) }) {
			b.Errorf("the token %x is used", hash)
		}
	}
}

func (b registry) DeleteInitialToken_ThatOne() {
	t, other := b.token(1, nil), b.token(2, nil)
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteInitialToken(b.Context(), t.ID) }) {
		b.Error("the token is not deleted")
	}
	b.equal("the tokens", b.tokens(moment()), []openid.InitialToken{other})
}

func (b registry) Purge_TokensThatHaveEnded() {
	b.token(3, func(t *openid.InitialToken) { t.ExpiresAt = moment().Add(-time.Microsecond) })
	token := b.token(4, nil)
	b.purge()
	early := moment().Add(-time.Hour)
	b.equal("the tokens", b.tokens(early), []openid.InitialToken{token})
}

func (b registry) Rewind_ClientsAndTokens() {
	b.token(1, nil)
	b.add(2, nil)
	rewinds(b).rewind(false)
	if len(b.tokens(moment())) > 0 {
		b.Error("a token of a restored database works")
	}
	if len(b.clients(moment())) > 0 {
		b.Error("a client of a restored database works, which may have been deleted or changed since")
	}
}

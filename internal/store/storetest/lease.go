package storetest

import "portico/internal/store"

type leases struct{ *bundle }

func (b leases) LeaseHolder_NobodyYet() {
	b.take("other", "self", 0)
	b.holder("name", "", 0)
}

// The last step is one of the holder that began before the step before it had ended.
func (b leases) TakeLease_ByTheBeat() {
	for _, step := range []struct {
		owner string
		beat  int64
		ok    bool
	}{{"a", 0, true}, {"b", 0, false}, {"a", 1, true}, {"b", 1, false}, {"b", 2, true}, {"a", 2, false}, {"", 3, true}, {"a", 4, true}, {"a", 4, true}} {
		if b.take("name", step.owner, step.beat) != step.ok {
			b.Errorf("%s at beat %d: want %v", step.owner, step.beat, step.ok)
		}
	}
	b.holder("name", "a", 6)
}

func (b leases) TakeLease_OneOfMany() {
	for beat := range int64(3) {
		b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
			return tx.TakeLease(b.Context(), "name", string(rune('a'+worker)), beat)
		})
	}
}

func (b *bundle) take(name, owner string, beat int64) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.TakeLease(b.Context(), name, owner, beat) })
}

func (b *bundle) holder(name, owner string, beat int64) {
	b.Helper()
	var gotOwner string
	var gotBeat int64
	_ = b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
		gotOwner, gotBeat, err = tx.LeaseHolder(b.Context(), name)
		return err
	})
	if gotOwner != owner || gotBeat != beat {
		b.Errorf("the holder is %q at beat %d, want %q at %d", gotOwner, gotBeat, owner, beat)
	}
}

package storetest

import "portico/internal/store"

type installations struct{ *bundle }

func (b installations) KeepKeyCheck_TheFirst() {
	for _, step := range []struct {
		check string
		same  bool
	}{{"first", true}, {"other", false}, {"first", true}, {"firs", false}, {"", false}} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte(step.check), store.Real) }) != step.same {
			b.Errorf("%q is the check, want %v", step.check, step.same)
		}
	}
}

func (b installations) KeyCheck_NoneUntilOneIsKept() {
	check := func() ([]byte, bool) {
		return find(b.bundle, func(tx *store.Tx) ([]byte, bool, error) { return tx.KeyCheck(b.Context()) })
	}
	if got, ok := check(); ok {
		b.Errorf("a fresh database has the check %q", got)
	}
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("first"), store.Real) })
	got, _ := check()
	b.equal("the check", got, []byte("first"))
}

// The purpose is decided once, with the key.
func (b installations) Purpose_TheFirst() {
	purpose := func(want store.Purpose) {
		got, err := b.store.Purpose(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.equal("the purpose", got, want)
	}
	purpose(store.Undecided)
	b.did(func(tx *store.Tx) (bool, error) {
		return tx.KeepKeyCheck(b.Context(), []byte("first"), store.Development)
	})
	purpose(store.Development)
	b.did(func(tx *store.Tx) (bool, error) {
		return tx.KeepKeyCheck(b.Context(), []byte("first"), store.Real)
	})
	purpose(store.Development)
}

func (b installations) KeepKeyCheck_OneOfMany() {
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		return tx.KeepKeyCheck(b.Context(), []byte{byte(worker)}, store.Real)
	})
}

// A restored database has the name of another copy, so the name of this one is never empty by
// chance, and stays while the database is where it is.
func (b installations) Lineage_NamesTheCopy() {
	now, err := b.store.Lineage(b.Context())
	again, err2 := b.store.Lineage(b.Context())
	if err != nil || err2 != nil || now != again || (now == "") == b.store.Shared() {
		b.Errorf("the copy is named %q and then %q, %v, %v", now, again, err, err2)
	}
}

func (b installations) KeepLineage_TheLast() {
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("check"), store.Real) })
	for _, name := range []string{"", "7/16400/00000001", "7/16400/00000002"} {
		if name != "" {
			b.write(func(tx *store.Tx) error { return tx.KeepLineage(b.Context(), name) })
		}
		got, _ := find(b.bundle, func(tx *store.Tx) (string, bool, error) {
			kept, err := tx.Lineage(b.Context())
			return kept, true, err
		})
		b.equal("the name that is kept", got, name)
	}
}

func (b installations) HashCost_NoneUntilOneIsKept() {
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("check"), store.Real) })
	got, ok := find(b.bundle, func(tx *store.Tx) (string, bool, error) { return tx.HashCost(b.Context()) })
	if ok {
		b.Errorf("a fresh database has the cost %q", got)
	}
}

func (b installations) KeepHashCost_TheLast() {
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("check"), store.Real) })
	for _, cost := range []string{"m=19456,t=2", "m=65536,t=3"} {
		b.write(func(tx *store.Tx) error { return tx.KeepHashCost(b.Context(), cost) })
		got, ok := find(b.bundle, func(tx *store.Tx) (string, bool, error) { return tx.HashCost(b.Context()) })
		if got != cost || !ok {
			b.Errorf("the cost is %q, %v, want %q", got, ok, cost)
		}
	}
}

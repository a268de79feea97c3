package storetest

import "portico/internal/store"

type installations struct{ *bundle }

func (b installations) KeepKeyCheck_TheFirst() {
	for _, step := range []struct {
		check string
		same  bool
	}{{"first", true}, {"other", false}, {"first", true}, {"firs", false}, {"", false}} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte(step.check)) }) != step.same {
			b.Errorf("%q is the check, want %v", step.check, step.same)
		}
	}
}

func (b installations) KeepKeyCheck_OneOfMany() {
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		return tx.KeepKeyCheck(b.Context(), []byte{byte(worker)})
	})
}

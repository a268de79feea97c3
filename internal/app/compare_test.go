package app

import (
	"testing"

	"portico/internal/store"
)

// Two nodes on one database see each other, and 'portico doctor' sees both,
// from their first request on.
func TestCompare_NodesAreSeenFromTheirStart(t *testing.T) {
	t.Parallel()
	cfg := settingsOnPostgres(t)
	for want := 1; want <= 2; want++ {
		r := run(t, open(t, cfg, Options{Dist: dist()}))
		t.Cleanup(func() {
			r.stop()
			if err := <-r.stopped; err != nil {
				t.Error(err)
			}
			r.end(t)
		})
		if status, text := r.get(r.public + "/auth/api/session"); status != 401 {
			t.Fatal(status, text)
		}
		err := r.Store.Read(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Nodes(t.Context())
			if len(rows) != want {
				t.Errorf("%d nodes are known right after start %d", len(rows), want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

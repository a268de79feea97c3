package cluster_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"portico/internal/secret"
	"portico/internal/store"
)

// bundle is a database that several nodes share, and their key.
type bundle struct {
	*testing.T
	store *store.Store
	key   *secret.Key
}

// inBubble runs fn with a fake time.
func inBubble(t *testing.T, fn func(b *bundle)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + filepath.Join(dir, "p.db")})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		key, err := secret.CreateKey(filepath.Join(dir, "key"))
		if err != nil {
			t.Fatal(err)
		}
		fn(&bundle{t, s, key})
	})
}

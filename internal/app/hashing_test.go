package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/password"
	"portico/internal/store"
)

// costOf returns the cost of the hashes that an App creates.
func (a *App) costOf(t testing.TB) string {
	t.Helper()
	hash, err := a.Passwords.Hash(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	cost, _, _ := strings.Cut(strings.TrimPrefix(hash, "$argon2id$v=19$"), ",p=")
	return cost
}

func (a *App) keptCost(t testing.TB) (kept string) {
	t.Helper()
	err := a.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		kept, _, err = tx.HashCost(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// A serving App measures and stores the cost; a command uses the stored one.
func TestNew_CalibratedHash(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.Password.Hash, cfg.Hashing = "auto", config.Default().Hashing
	before := open(t, cfg, Options{})
	if got := before.costOf(t); got != "m=19456,t=2" {
		t.Errorf("before anything is measured the cost is %s", got)
	}
	before.end(t)

	var log bytes.Buffer
	serving := open(t, cfg, Options{Calibrate: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	kept := serving.keptCost(t)
	if cost, ok := password.ParseCost(kept); !ok || serving.costOf(t) != cost.String() {
		t.Errorf("%q is kept, the cost is %s", kept, serving.costOf(t))
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "memory_mib=") || !strings.Contains(log.String(), "measured_in=") {
		t.Errorf("the log says: %s", log.String())
	}
	serving.end(t)

	command := open(t, cfg, Options{})
	if got := command.costOf(t); got != kept {
		t.Errorf("a command hashes at %s, want %s", got, kept)
	}
	command.end(t)
}

func TestNew_HashThatIsKept(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	a := open(t, cfg, Options{})
	err := a.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.KeepHashCost(t.Context(), "m=20480,t=3") })
	if err != nil {
		t.Fatal(err)
	}
	a.end(t)
	for _, test := range []struct {
		hash        string
		mib, passes int
		want        string
	}{
		{"fixed", 19, 2, "m=19456,t=2"},
		{"auto", 19, 2, "m=20480,t=3"},
		{"auto", 21, 2, "m=21504,t=3"},
		{"auto", 19, 4, "m=20480,t=4"},
	} {
		cfg.Password.Hash, cfg.Hashing.MemoryMiB, cfg.Hashing.Passes = test.hash, test.mib, test.passes
		a := open(t, cfg, Options{})
		if got := a.costOf(t); got != test.want {
			t.Errorf("%s from %d MiB and %d passes is %s, want %s", test.hash, test.mib, test.passes, got, test.want)
		}
		a.end(t)
	}
}

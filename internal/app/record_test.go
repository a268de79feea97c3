package app

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/secret"
)

// sealedUp seals what is old enough after a minute, and expects so many verified records.
func (a *App) sealedUp(t *testing.T, now *clock.Manual, records int64) audit.Verified {
	t.Helper()
	now.Advance(time.Minute)
	if err := a.sealRecord(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := a.VerifyRecord(t.Context(), 0, audit.Kept{})
	if err != nil || v.Records != records || !v.Waiting.IsZero() {
		t.Errorf("verified: %+v (%v), want %d records", v, err, records)
	}
	return v
}

// The background work seals the record, and deletes it with its seals. The chain goes on after a
// change of the master key.
func TestRecord_Sealed(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, cfg, Options{Clock: now, Dist: dist()})
	if _, err := a.VerifyRecord(t.Context(), 0, audit.Kept{}); !errors.Is(err, audit.ErrNoSeal) {
		t.Errorf("without a seal: %v", err)
	}
	a.create(t, "ada@example.org")
	first := a.sealedUp(t, now, 1)
	a.create(t, "ben@example.org")
	a.sealedUp(t, now, 2)
	a.end(t)

	cfg.SecretNext = filepath.Join(t.TempDir(), "next.key")
	if _, err := secret.CreateKey(cfg.SecretNext); err != nil {
		t.Fatal(err)
	}
	a = open(t, cfg, Options{Clock: now, Dist: dist()})
	if _, err := a.ChangeKey(t.Context(), false, func(string) {}); err != nil {
		t.Fatal(err)
	}
	a.end(t)
	cfg.SecretFile, cfg.SecretNext = cfg.SecretNext, ""
	a = open(t, cfg, Options{Clock: now, Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	v := a.sealedUp(t, now, 3) // and the change itself
	if !v.BeganAt.Equal(first.BeganAt) {
		t.Errorf("the chain began anew: %+v", v)
	}
	now.Advance(cfg.Audit.Keep + 40*24*time.Hour)
	a.create(t, "cleo@example.org")
	if err := a.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := a.sealedUp(t, now, 1); v.Seals != 1 || v.Newest.Number < 3 || v.Until.IsZero() {
		t.Errorf("after a purge: %+v", v)
	}
	if _, err := a.VerifyRecord(t.Context(), 0, first.Newest); err == nil || !strings.Contains(err.Error(), "seal 1, which was kept, is before the first") {
		t.Errorf("a seal that was kept, and is deleted: %v", err)
	}
}

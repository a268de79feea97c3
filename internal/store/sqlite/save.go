package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"portico/internal/store/engine"
)

// claimWait is how long a process waits for another that migrates. It is too
// short to wait for a server, which keeps its claim.
const claimWait = 10 * time.Second

// Claim implements engine.Engine.
func (s *DB) Claim() (io.Closer, error) { return claimFile(s.path) }

// Alone implements engine.Engine. It claims the database: a process that serves
// it may not know the new schema.
func (s *DB) Alone(ctx context.Context, needed bool, fn func() error) error {
	if !needed {
		return nil
	}
	claim, err := s.claimPatiently(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(), claim.Close())
}

func (s *DB) claimPatiently(ctx context.Context) (io.Closer, error) {
	const pause = 20 * time.Millisecond
	for deadline := time.Now().Add(claimWait); ; {
		claim, err := s.Claim()
		if !errors.Is(err, engine.ErrInUse) || time.Now().After(deadline) {
			return claim, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// saveName returns the name of the copy that is kept before a migration from a
// version. An interrupted migration that is started again uses the same name,
// so that copies do not pile up.
func (s *DB) saveName(version int64) string { return fmt.Sprintf("%s.schema-%d", s.path, version) }

// Keep implements engine.Engine.
func (s *DB) Keep(ctx context.Context, version int64) error {
	if err := s.copyTo(ctx, s.saveName(version), os.Rename); err != nil {
		return fmt.Errorf("keep a copy before the migration: %w", err)
	}
	return nil
}

// WayBack implements engine.Engine.
func (s *DB) WayBack(version int64) string {
	file := s.saveName(version)
	if _, err := os.Stat(file); err != nil {
		return "a copy made before the upgrade: portico restore --replace FILE"
	}
	return "the copy made before the upgrade: portico restore --replace " + file
}

// Anew implements engine.Engine.
func (s *DB) Anew() string { return "delete " + s.path + ", or move it away, and start again" }

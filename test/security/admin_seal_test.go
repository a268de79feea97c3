package security

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/secret"
	"portico/internal/store"
)

// sealed has records of an account, with two seals, and returns a program that can write to the database.
func (s *site) sealed() *sql.DB {
	s.Helper()
	key, err := secret.ReadKey(s.config.SecretFile)
	s.must(err)
	sealer := audit.NewSealer(s.clock, key.Box(audit.BoxPurpose))
	for range 2 {
		s.visitor().register(fresh("u"))
		s.clock.Advance(time.Minute)
		s.must(s.app.Store.Write(s.Context(), func(tx *store.Tx) error {
			_, err := sealer.Seal(s.Context(), tx)
			return err
		}))
	}
	if v := s.comparedWithSeals(audit.Kept{}); v == nil || v.Seals != 2 {
		s.Fatalf("verified: %+v", v)
	}
	return s.openDatabase("")
}

// comparedWithSeals returns nil after a difference.
func (s *site) comparedWithSeals(kept audit.Kept) *audit.Verified {
	s.Helper()
	v, err := s.app.VerifyRecord(s.Context(), 0, kept)
	if _, broken := errors.AsType[*audit.Broken](err); broken {
		return nil
	}
	s.must(err)
	return &v
}

func (s *site) attacks(db *sql.DB, query string, args ...any) {
	s.Helper()
	_, err := db.ExecContext(s.Context(), query, args...)
	s.must(err)
}

// The seals cannot be made anew without the master key.
func TestSEC393_RecordChanged(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	db := s.sealed()
	s.attacks(db, `DELETE FROM audit WHERE name = 'signed_up' AND at = (SELECT MAX(at) FROM audit WHERE name = 'signed_up')`)
	if s.comparedWithSeals(audit.Kept{}) != nil {
		t.Error("nobody sees that a record was deleted")
	}
	h := hmac.New(sha256.New, make([]byte, 32))
	s.attacks(db, `UPDATE audit_seal SET records = records - 1, hash = $1 WHERE number = 2`, h.Sum(nil))
	if s.comparedWithSeals(audit.Kept{}) != nil {
		t.Error("a seal of another key is taken")
	}
	other, err := secret.CreateKey(filepath.Join(t.TempDir(), "other.key"))
	s.must(err)
	s.attacks(db, `UPDATE audit_chain SET sealed = $1`, other.Box(audit.BoxPurpose).Seal(make([]byte, 32), "audit"))
	if s.comparedWithSeals(audit.Kept{}) != nil {
		t.Error("a chain of another key is taken")
	}
}

// The beginning of the record cannot be moved forward, as a purge does.
func TestSEC394_RecordPurged(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	db := s.sealed()
	s.attacks(db, `UPDATE audit_chain SET number = 1, hash = (SELECT hash FROM audit_seal WHERE number = 1), until = (SELECT last_at + 1 FROM audit_seal WHERE number = 1)`)
	s.attacks(db, `DELETE FROM audit WHERE at < (SELECT until FROM audit_chain)`)
	s.attacks(db, `DELETE FROM audit_seal WHERE number = 1`)
	if s.comparedWithSeals(audit.Kept{}) != nil {
		t.Error("a beginning that an attacker has moved is taken")
	}
}

// What was kept elsewhere shows that the newest records are gone together with their seals, or all of them.
func TestSEC395_RecordCutOff(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	db := s.sealed()
	kept := s.comparedWithSeals(audit.Kept{}).Newest
	s.attacks(db, `DELETE FROM audit WHERE at > (SELECT last_at FROM audit_seal WHERE number = 1)`)
	s.attacks(db, `DELETE FROM audit_seal WHERE number = 2`)
	if s.comparedWithSeals(kept) != nil {
		t.Error("nobody sees that the newest records are gone")
	}
	for _, table := range []string{"audit", "audit_seal", "audit_chain"} {
		s.attacks(db, `DELETE FROM `+table)
	}
	s.sealed()
	if s.comparedWithSeals(kept) != nil {
		t.Error("another chain is taken for the one of before")
	}
}

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/move"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
	"portico/internal/store/storetest"
)

// sealing is a database whose record is sealed.
type sealing struct {
	*testing.T
	store  *store.Store
	db     *sql.DB // as an attacker has it
	clock  *clock.Manual
	record *audit.Record
	sealer *audit.Sealer
}

var sealingBegins = time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC)

func onBothSealed(t *testing.T, run func(s *sealing)) {
	t.Helper()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) {
		now := clock.NewManual(sealingBegins)
		run(&sealing{t, s, db, now, audit.NewRecord(now), audit.NewSealer(now, secret.NewKey().Box(audit.BoxPurpose))})
	})
}

func (s *sealing) add(name audit.Name) audit.Fact {
	s.Helper()
	f := audit.Fact{Name: name, AccountID: "mara", Actor: "self", Peer: "192.0.2.1/32", UserAgent: "b", RequestID: "r", Detail: "d"}
	if err := s.store.Write(s.Context(), func(tx *store.Tx) error { return s.record.Add(s.Context(), tx, f) }); err != nil {
		s.Fatal(err)
	}
	s.clock.Advance(time.Second)
	return f
}

// seal seals what is old enough after some time, and returns the number of seals.
func (s *sealing) seal(later time.Duration) (seals int) {
	s.Helper()
	s.clock.Advance(later)
	for more := true; more; seals++ {
		if err := s.store.Write(s.Context(), func(tx *store.Tx) (err error) {
			more, err = s.sealer.Seal(s.Context(), tx)
			return err
		}); err != nil {
			s.Fatal(err)
		}
	}
	return seals
}

type sealReader struct{ *store.Store }

func (r sealReader) Read(ctx context.Context, fn func(audit.SealStore) error) error {
	return r.Store.Read(ctx, func(tx *store.Tx) error { return fn(tx) })
}

func (s *sealing) verify(kept ...audit.Kept) (audit.Verified, error) {
	return s.sealer.Verify(s.Context(), sealReader{s.store}, 0, append(kept, audit.Kept{})[0])
}

// fits expects that the record is as it was sealed, with so many records.
func (s *sealing) fits(records int64) audit.Verified {
	s.Helper()
	v, err := s.verify()
	if err != nil || v.Records != records {
		s.Errorf("%d records (%v), want %d", v.Records, err, records)
	}
	return v
}

// filled has ten records in several seals.
func (s *sealing) filled() {
	s.Helper()
	for n := range 10 {
		s.add(audit.Name(fmt.Sprintf("n%d", n)))
		if n%4 == 3 {
			s.seal(time.Minute)
		}
	}
	s.seal(time.Minute)
	s.fits(10)
}

func (s *sealing) exec(query string, args ...any) {
	s.Helper()
	execute(s.T, s.db, query, args...)
}

// Any change of a sealed record or of a seal is seen, and named with its seal.
func TestVerify_SeesEachChange(t *testing.T) {
	t.Parallel()
	attacks := map[string]struct{ query, want string }{
		"name":           {`UPDATE audit SET name = 'x' WHERE name = 'n5'`, "seal 2: a record or the seal itself was changed"},
		"account":        {`UPDATE audit SET account_id = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"actor":          {`UPDATE audit SET actor = 'operator' WHERE name = 'n5'`, "seal 2: a record or"},
		"network":        {`UPDATE audit SET peer = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"browser":        {`UPDATE audit SET user_agent = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"request":        {`UPDATE audit SET request_id = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"detail":         {`UPDATE audit SET detail = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"shifted text":   {`UPDATE audit SET user_agent = 'br', request_id = '' WHERE name = 'n5'`, "seal 2: a record or"},
		"id":             {`UPDATE audit SET id = 'x' WHERE name = 'n5'`, "seal 2: a record or"},
		"time":           {`UPDATE audit SET at = at + 1 WHERE name = 'n5'`, "seal 2: a record or"},
		"order":          {`UPDATE audit SET at = at + 1500000 WHERE name = 'n5'`, "seal 2: a record or"},
		"other seal":     {`UPDATE audit SET at = at - 64000000 WHERE name = 'n5'`, "seal 1: a record was added"},
		"deleted":        {`DELETE FROM audit WHERE name = 'n5'`, "seal 2: a record is missing"},
		"first":          {`DELETE FROM audit WHERE name = 'n0'`, "seal 1: a record is missing"},
		"last":           {`DELETE FROM audit WHERE name = 'n9'`, "seal 3: a record is missing"},
		"all":            {`DELETE FROM audit`, "seal 1: a record is missing"},
		"added":          {`INSERT INTO audit SELECT 'x', at, name, account_id, actor, peer, user_agent, request_id, detail, seal FROM audit WHERE name = 'n5'`, "seal 2: a record was added"},
		"added, hidden":  {`INSERT INTO audit SELECT 'x', at, name, account_id, actor, peer, user_agent, request_id, detail, 77 FROM audit WHERE name = 'n5'`, "name a seal that does not exist (1)"},
		"hidden":         {`UPDATE audit SET seal = -5 WHERE name = 'n5'`, "seal 2: a record is missing"},
		"taken out":      {`UPDATE audit SET seal = -1 WHERE name = 'n5'`, "seal 2: a record is missing"},
		"moved":          {`UPDATE audit SET seal = 3 WHERE name = 'n5'`, "seal 2: a record is missing"},
		"seal gone":      {`DELETE FROM audit_seal WHERE number = 2`, "seal 2: it is missing"},
		"seal, count":    {`UPDATE audit_seal SET records = 5 WHERE number = 2`, "seal 2:"},
		"seal, end":      {`UPDATE audit_seal SET last_at = last_at + 1 WHERE number = 2`, "seal 2:"},
		"seal, time":     {`UPDATE audit_seal SET sealed_at = sealed_at + 1 WHERE number = 2`, "seal 2:"},
		"seal, hash":     {`UPDATE audit_seal SET hash = (SELECT hash FROM audit_seal WHERE number = 1) WHERE number = 2`, "seal 2:"},
		"beginning":      {`UPDATE audit_chain SET number = 1, hash = (SELECT hash FROM audit_seal WHERE number = 1), until = (SELECT last_at + 1 FROM audit_seal WHERE number = 1)`, "audit_chain was changed"},
		"chain gone":     {`DELETE FROM audit_chain`, "the row of audit_chain is missing"},
		"chain, its key": {`UPDATE audit_chain SET sealed = proof`, "another master key"},
	}
	onBothSealed(t, func(s *sealing) {
		s.filled()
		tables := []string{"audit", "audit_seal", "audit_chain"}
		for _, table := range tables {
			s.exec(`CREATE TABLE kept_` + table + ` AS SELECT * FROM ` + table)
		}
		for what, attack := range attacks {
			s.exec(attack.query)
			_, err := s.verify()
			if err == nil || !strings.Contains(err.Error(), attack.want) {
				s.Errorf("%s: %v, want %q", what, err, attack.want)
			}
			if broken, ok := errors.AsType[*audit.Broken](err); !ok || broken.Seal > 0 && broken.To.IsZero() {
				s.Errorf("%s: the difference has no time: %+v", what, broken)
			}
			for _, table := range tables {
				s.exec(`DELETE FROM ` + table)
				s.exec(`INSERT INTO ` + table + ` SELECT * FROM kept_` + table)
			}
			s.fits(10)
		}
	})
}

// Who deletes the newest records together with their seals is seen by what was kept elsewhere.
func TestVerify_Kept(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		kept := s.fits(10).Newest
		if again, err := audit.ParseKept(kept.String()); err != nil || again.Number != 3 || !bytes.Equal(again.Hash, kept.Hash) {
			s.Errorf("%v (%v)", again, err)
		}
		s.exec(`DELETE FROM audit WHERE at > (SELECT last_at FROM audit_seal WHERE number = 2)`)
		s.exec(`DELETE FROM audit_seal WHERE number = 3`)
		s.fits(8)
		if _, err := s.verify(kept); err == nil || !strings.Contains(err.Error(), "seal 3: it was kept, and is missing") {
			s.Errorf("a missing seal: %v", err)
		}
		s.add("other")
		s.seal(time.Minute)
		if _, err := s.verify(kept); err == nil || !strings.Contains(err.Error(), "seal 3: its hash is not the one that was kept") {
			s.Errorf("another seal: %v", err)
		}
	})
}

// A seal that was valid before does not fit between others: each covers the one before it.
func TestVerify_OtherBranch(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		s.exec(`CREATE TABLE kept_seal AS SELECT * FROM audit_seal WHERE number = 2`)
		s.exec(`CREATE TABLE kept AS SELECT * FROM audit WHERE name IN ('n4', 'n5', 'n6', 'n7')`)
		cut := func(number int) {
			s.exec(fmt.Sprintf(`DELETE FROM audit WHERE at > (SELECT last_at FROM audit_seal WHERE number = %d)`, number))
			s.exec(fmt.Sprintf(`DELETE FROM audit_seal WHERE number > %d`, number))
		}
		cut(1) // and write something else
		s.add("other")
		s.seal(time.Minute)
		s.add("next")
		s.seal(time.Minute)
		s.fits(6)
		s.exec(`DELETE FROM audit WHERE name = 'other'`)
		s.exec(`DELETE FROM audit_seal WHERE number = 2`)
		s.exec(`INSERT INTO audit_seal SELECT * FROM kept_seal`)
		s.exec(`INSERT INTO audit SELECT * FROM kept`)
		if _, err := s.verify(); err == nil || !strings.Contains(err.Error(), "seal 3: a record or the seal itself was changed") {
			s.Errorf("%v", err)
		}
	})
}

// Records that come too late for the seal of their time get one of their own: from a clock that
// was set back, or from a transaction that commits late.
func TestSeal_Late(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		s.clock.Advance(-10 * time.Minute)
		s.add("back")
		s.add("back2")
		s.clock.Advance(10 * time.Minute)
		s.add("after")
		s.seal(time.Minute)
		s.fits(13)
		s.exec(`UPDATE audit SET detail = 'x' WHERE name = 'back'`)
		if _, err := s.verify(); err == nil || !strings.Contains(err.Error(), "seal 4: a record or") {
			s.Errorf("a change of a late record: %v", err)
		}
	})
}

func TestSeal_CommitsLate(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		if !s.store.Shared() {
			s.Skip("SQLite has one writer, so each commit comes in order")
		}
		began, goOn := make(chan bool), make(chan bool)
		var other sync.WaitGroup
		other.Go(func() {
			err := s.store.Write(s.Context(), func(tx *store.Tx) error {
				err := s.record.Add(s.Context(), tx, audit.Fact{Name: "slow"})
				began <- true
				<-goOn
				return err
			})
			if err != nil {
				s.Error(err)
			}
		})
		<-began
		s.clock.Advance(20 * time.Second)
		s.add("quick")
		s.seal(20 * time.Second) // neither is old enough
		close(goOn)
		other.Wait()
		s.fits(10)
		s.seal(time.Minute)
		s.fits(12)
	})
}

// Two processes that seal at the same time make one chain, without a record twice.
func TestSeal_AtOnce(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		for range 30 {
			s.add("n")
		}
		s.clock.Advance(time.Minute)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_ = s.store.Write(s.Context(), func(tx *store.Tx) error { _, err := s.sealer.Seal(s.Context(), tx); return err }) // one succeeds
			})
		}
		all.Wait()
		if v := s.fits(30); v.Seals != 1 {
			s.Errorf("%d seals", v.Seals)
		}
	})
}

// A seal that is not committed leaves nothing, also of late records.
func TestSeal_Killed(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		s.clock.Advance(-time.Hour)
		s.add("late")
		s.clock.Advance(time.Hour + time.Minute)
		killed := errors.New("killed")
		if err := s.store.Write(s.Context(), func(tx *store.Tx) error {
			_, err := s.sealer.Seal(s.Context(), tx)
			return errors.Join(err, killed)
		}); !errors.Is(err, killed) {
			s.Fatal(err)
		}
		s.fits(10)
		s.seal(0)
		s.fits(11)
	})
}

// Old records go with their seals. What is left can be verified, at each moment between, and
// nobody but Portico can move the beginning.
func TestRelease_WholeSeals(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		if err := s.store.MakeMonths(s.Context(), s.clock.Now(), s.clock.Now()); err != nil {
			s.Fatal(err)
		}
		s.filled()
		s.clock.Advance(3 * 24 * time.Hour) // into the next month
		s.add("april")
		s.seal(time.Minute)
		s.clock.Advance(-3 * 24 * time.Hour)
		s.add("late") // in March, with a seal of April
		s.clock.Advance(3 * 24 * time.Hour)
		s.seal(time.Minute)
		s.fits(12)
		purge := func(before time.Time) (until time.Time) {
			s.Helper()
			for more := true; more; {
				if err := s.store.Write(s.Context(), func(tx *store.Tx) (err error) {
					until, more, err = s.sealer.Release(s.Context(), tx, s.store.KeptFrom(before))
					return err
				}); err != nil {
					s.Fatal(err)
				}
			}
			left := s.fits(2) // before anything is deleted
			if err := s.store.DropMonths(s.Context(), until); err != nil {
				s.Fatal(err)
			}
			s.fits(2)
			if err := s.store.Write(s.Context(), func(tx *store.Tx) error { _, err := storetest.Purge(s.Context(), tx, s.clock.Now(), until); return err }); err != nil {
				s.Fatal(err)
			}
			if v := s.fits(2); v.Until.IsZero() || v.BeganAt != left.BeganAt {
				s.Errorf("verified: %+v", v)
			}
			return until
		}
		purge(time.Date(2026, 4, 1, 3, 0, 0, 0, time.UTC))
		var names string
		if err := s.db.QueryRow(`SELECT COUNT(*) FROM audit`).Scan(&names); err != nil || names != "2" {
			s.Errorf("%s records are left (%v)", names, err)
		}
		s.exec(`DELETE FROM audit WHERE name = 'late'`)
		if _, err := s.verify(); err == nil || !strings.Contains(err.Error(), "a record is missing") {
			s.Errorf("a late record of a month that is gone: %v", err)
		}
		s.exec(`UPDATE audit_chain SET until = until + 1`)
		if err := s.store.Write(s.Context(), func(tx *store.Tx) error {
			_, _, err := s.sealer.Release(s.Context(), tx, s.clock.Now())
			return err
		}); err == nil {
			s.Error("a beginning that another program has moved is signed")
		}
	})
}

// A move to PostgreSQL keeps the chain, and each month gets its partition.
func TestVerify_Moved(t *testing.T) {
	t.Parallel()
	to := pgtest.Empty(t)
	path := filepath.Join(t.TempDir(), "p.db")
	from := sqlitetest.OpenAt(t, path)
	now := clock.NewManual(time.Now().AddDate(0, -3, 0))
	s := &sealing{t, from, nil, now, audit.NewRecord(now), audit.NewSealer(now, secret.NewKey().Box(audit.BoxPurpose))}
	s.filled()
	kept := s.fits(10).Newest
	if _, err := move.Run(t.Context(), "sqlite:"+path, to, move.Options{}); err != nil {
		t.Fatal(err)
	}
	s.store, s.db = openPostgres(t, to), connect(t, "pgx", to)
	if v, err := s.verify(kept); err != nil || v.Records != 10 {
		t.Errorf("after the move: %+v, %v", v, err)
	}
	s.add("next")
	s.seal(time.Minute)
	s.fits(11)
	var rest int
	if err := s.db.QueryRow(`SELECT COUNT(*) FROM audit_default`).Scan(&rest); err != nil || rest != 0 {
		t.Errorf("%d records are in the default partition (%v)", rest, err)
	}
}

// A record of a month without a partition is kept in the default one, which no other is made
// beside, and is purged by rows. A role that does not own the tables makes none.
func TestMonths(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	now := clock.NewManual(sealingBegins)
	s := &sealing{t, openPostgres(t, url), connect(t, "pgx", url), now, audit.NewRecord(now), audit.NewSealer(now, secret.NewKey().Box(audit.BoxPurpose))}
	months := func(want ...string) {
		t.Helper()
		var got string
		if err := s.db.QueryRow(`SELECT COALESCE(string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid::regclass::text), '') FROM pg_inherits WHERE inhparent = 'audit'::regclass`).Scan(&got); err != nil || got != strings.Join(append(want, "audit_default"), " ") {
			t.Errorf("the partitions are %s (%v), want %v", got, err, want)
		}
	}
	s.add("early")
	for range 2 { // the second time there is nothing to do
		if err := s.store.MakeMonths(t.Context(), now.Now(), now.Now()); err != nil {
			t.Fatal(err)
		}
		months("audit_2026_04", "audit_2026_05")
	}
	now.Advance(20 * 24 * time.Hour)
	s.add("april")
	now.Advance(-20 * 24 * time.Hour)
	if err := errors.Join(s.store.DropMonths(t.Context(), time.Date(2026, 4, 30, 23, 0, 0, 0, time.UTC))); err != nil {
		t.Fatal(err)
	}
	months("audit_2026_04", "audit_2026_05")
	if err := s.store.DropMonths(t.Context(), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	months("audit_2026_05")
	var left string
	if err := s.db.QueryRow(`SELECT string_agg(name, ' ') FROM audit`).Scan(&left); err != nil || left != "early" {
		t.Errorf("left: %s (%v)", left, err)
	}
	l := newLimited(t)
	if _, err := openPostgres(t, l.owner).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.exec(l.owner, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+l.role)
	server := openPostgres(t, l.url)
	if err := errors.Join(server.MakeMonths(t.Context(), now.Now(), now.Now()), server.DropMonths(t.Context(), now.Now())); err != nil {
		t.Errorf("a role that only serves: %v", err)
	}
	if err := openPostgres(t, l.owner).MakeMonths(t.Context(), now.Now(), now.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Migrate(t.Context()); err != nil { // it needs no right on the partitions themselves
		t.Error(err)
	}
}

// A seal that covers older and younger records stays whole.
func TestRelease_WithinASeal(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.filled()
		var until time.Time
		if err := s.store.Write(s.Context(), func(tx *store.Tx) (err error) {
			if until, _, err = s.sealer.Release(s.Context(), tx, sealingBegins.Add(66*time.Second)); err == nil {
				_, err = storetest.Purge(s.Context(), tx, s.clock.Now(), until)
			}
			return err
		}); err != nil {
			s.Fatal(err)
		}
		if v := s.fits(6); !v.Until.Equal(v.From) || !until.Equal(sealingBegins.Add(64*time.Second)) {
			s.Errorf("records from before %v are deleted", until)
		}
	})
}

// The seals of two months are two, so that a month can go alone. The largest seal has 1000 records.
func TestSeal_Ends(t *testing.T) {
	t.Parallel()
	onBothSealed(t, func(s *sealing) {
		s.clock.Advance(36*time.Hour - 2*time.Second) // 1 April is near
		for range 4 {
			s.add("n")
		}
		if n := s.seal(time.Minute); n != 1 {
			s.Errorf("one call makes %d seals", n)
		}
		s.fits(2)
		s.seal(0)
		s.fits(4)
		for range 15 {
			if err := s.store.Write(s.Context(), func(tx *store.Tx) (err error) {
				for range 100 {
					err = errors.Join(err, s.record.Add(s.Context(), tx, audit.Fact{Name: "many"}))
				}
				return err
			}); err != nil {
				s.Fatal(err)
			}
		}
		if n := s.seal(time.Minute); n != 2 {
			s.Errorf("1500 records make %d seals", n)
		}
		if v := s.fits(1504); v.Seals != 4 {
			s.Errorf("%d seals", v.Seals)
		}
	})
}

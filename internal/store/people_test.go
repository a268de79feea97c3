package store_test

import (
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
)

// newest is a version of the schema after all others.
const newest = math.MaxInt64

// onBoth runs a test on a database of each engine that is migrated up to a version. The newest one is a copy,
// since a migration of PostgreSQL takes as long as many tests.
func onBoth(t *testing.T, version int64, run func(t *testing.T, s *store.Store, db *sql.DB)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "p.db")
		if version == newest {
			sqlitetest.Write(t, path)
		}
		s := open(t, path)
		if err := s.MigrateTo(t.Context(), version); err != nil {
			t.Fatal(err)
		}
		run(t, s, connect(t, "sqlite3", "file:"+path+"?_pragma=busy_timeout(5000)"))
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		database := pgtest.Empty
		if version == newest {
			database = pgtest.Migrated
		}
		url := database(t)
		s := openPostgres(t, url)
		if err := s.MigrateTo(t.Context(), version); err != nil {
			t.Fatal(err)
		}
		run(t, s, connect(t, "pgx", url))
	})
}

// An account as the first version writes it.
const insertOld = `INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at)
	VALUES ($1, $2, $2, 'Mara', 'active', '["admin"]', '', 1, 5, 0, '', 0, '', 0, 0, 0, 0, 0)`

func execute(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func listPeople(t *testing.T, s *store.Store, q account.Query) (page account.Page) {
	t.Helper()
	err := s.Read(t.Context(), func(tx *store.Tx) (err error) {
		page, err = tx.People(t.Context(), q, time.UnixMicro(1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// searches are different ways to find the accounts of insertOld.
func searches() []account.Query {
	return []account.Query{
		{Limit: 500}, {Limit: 500, Role: "admin"}, {Limit: 500, By: account.ByNamePrefix, Text: "mara"},
		{Limit: 500, By: account.ByAddressPrefix, Text: "old"}, {Limit: 500, Factors: account.HasApp},
	}
}

// The migration makes the accounts that are there searchable.
func TestPeople_OfTheVersionBefore(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, s *store.Store, db *sql.DB) {
		const many = 203 // more than one statement writes
		for n := range many {
			id := fmt.Sprintf("old%03d", n)
			execute(t, db, insertOld, id, id+"@x.test")
			execute(t, db, `INSERT INTO factor (id, account_id, kind, sealed, last_step, created_at, used_at) VALUES ($1, $1, 'totp', '', 0, 0, 0)`, id)
		}
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, q := range searches() {
			if page := listPeople(t, s, q); len(page.People) != many {
				t.Errorf("%+v finds %d people, want %d", q, len(page.People), many)
			}
		}
	})
}

// More accounts than can be made searchable in time are left to the background work.
func TestIndexFirst_EndsInTime(t *testing.T) {
	t.Parallel()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) {
		for n := range account.MostPeople + 1 {
			id := fmt.Sprintf("old%03d", n)
			execute(t, db, insertOld, id, id+"@x.test")
		}
		rest := account.Query{Limit: 1, By: account.ByAddressPrefix, Text: fmt.Sprintf("old%03d", account.MostPeople)}
		for most, want := range []int{0, 1} {
			if err := s.IndexFirst(t.Context(), time.Duration(most)*time.Minute); err != nil {
				t.Fatal(err)
			}
			if page := listPeople(t, s, rest); len(page.People) != want {
				t.Errorf("after %d minutes: %d of the last people are found, want %d", most, len(page.People), want)
			}
		}
	})
}

// A node of the version before makes and changes accounts. The comparison finds them.
func TestPeople_BesideTheVersionBefore(t *testing.T) {
	t.Parallel()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) { // what that node writes stays as in version 1
		execute(t, db, insertOld, "old1", "old1@x.test")
		insertPeople(t, s, account.Account{ID: "new1", Address: account.Address{Key: "new1@x.test"}})
		execute(t, db, `UPDATE account SET name = 'MARA L', roles = '["admin"]', address_key = 'old2@x.test' WHERE id = 'new1'`)
		for _, id := range []string{"old1", "new1"} {
			execute(t, db, `INSERT INTO factor (id, account_id, kind, sealed, last_step, created_at, used_at) VALUES ($1, $1, 'totp', '', 0, 0, 0)`, id)
		}
		if err := s.IndexFirst(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		for _, q := range searches() {
			if page := listPeople(t, s, q); len(page.People) != 2 {
				t.Errorf("%+v finds %d people, want 2", q, len(page.People))
			}
		}
	})
}

func insertPeople(t *testing.T, s *store.Store, all ...account.Account) {
	t.Helper()
	if err := s.Write(t.Context(), func(tx *store.Tx) error {
		for _, a := range all {
			if _, err := tx.InsertAccount(t.Context(), a); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A page costs one query, whatever its length, and so does a page that ends at the bound of
// a search. The pages after that bound find what is beyond it.
func TestPeople_OneQueryAPage(t *testing.T) {
	t.Parallel()
	s := migrated(t)
	const many = 2300 // more than one page looks at
	var all []account.Account
	for n := range many {
		a := account.Account{ID: fmt.Sprintf("%04d", n), Address: account.Address{Key: fmt.Sprintf("%d@x.test", n)}, State: account.Active, CreatedAt: time.UnixMicro(int64(many - n))}
		if n%1100 == 0 {
			a.Name = "Mara"
		}
		all = append(all, a)
	}
	for part := range slices.Chunk(all, 500) { // a step has a time limit, which a slow machine must keep
		insertPeople(t, s, part...)
	}
	for _, limit := range []int{25, 100} {
		for _, q := range []account.Query{{}, {State: account.Active}, {State: account.Leaving}, {Factors: account.AnyFactor}, {Role: "admin"}} {
			recorded, texts := s.Recorded()
			q.Limit = limit
			if page := listPeople(t, recorded, q); q.State == "" && q.Role == "" && q.Factors == "" && len(page.People) != limit {
				t.Errorf("%+v: %d people", q, len(page.People))
			}
			if n := len(texts()); n != 1 {
				t.Errorf("%+v: %d queries, want 1", q, n)
			}
		}
	}
	rare := account.Query{Limit: 25, State: account.Active, By: account.ByNamePrefix, Text: "ma", CreatedTo: time.UnixMicro(many + 1)}
	if page := listPeople(t, s, rare); len(page.People) != 3 || page.Partial {
		t.Errorf("by the index of names: %d people, partial %v", len(page.People), page.Partial)
	}
	unnamed := account.Query{Limit: 25, State: account.Active, SeenBefore: time.UnixMicro(9), CreatedFrom: time.UnixMicro(1), CreatedTo: time.UnixMicro(201)}
	first := listPeople(t, s, unnamed)
	if len(first.People) != 0 || !first.Partial || first.Next == "" {
		t.Fatalf("the first page has %d people, partial %v", len(first.People), first.Partial)
	}
	unnamed.After = first.Next
	if next := listPeople(t, s, unnamed); len(next.People) != 25 || next.Partial {
		t.Errorf("the next page has %d people, partial %v", len(next.People), next.Partial)
	}
}

package store_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"portico/internal/ids"
	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// limited is a database, and a role that has no right but to connect.
type limited struct {
	*testing.T
	owner string // URL
	role  string // name
	url   string // of the role
}

func newLimited(t *testing.T) *limited {
	t.Helper()
	l := &limited{T: t}
	l.owner, l.role, l.url = pgtest.Limited(t)
	return l
}

func (l *limited) exec(url string, statements ...string) {
	l.Helper()
	pgtest.Exec(l, url, statements...)
}

// refused checks that each entry says the words, and returns the advice after the first colon.
func (l *limited) refused(url string, words string) (do string) {
	l.Helper()
	s := openPostgres(l.T, url)
	_, migrated := s.Migrate(l.Context())
	_, purpose := s.Purpose(l.Context())
	for what, err := range map[string]error{"Migrate": migrated, "Purpose": purpose} {
		if err == nil || !strings.Contains(err.Error(), words) {
			l.Errorf("%s: %v, want %q", what, err, words)
			continue
		}
		_, do, _ = strings.Cut(err.Error(), ": ")
	}
	return do
}

// statement returns the SQL that an advice tells to run.
func statement(t *testing.T, do string) string {
	t.Helper()
	_, sql, found := strings.Cut(do, "GRANT ")
	if !found {
		t.Fatalf("the advice has no GRANT: %s", do)
	}
	return "GRANT " + sql
}

// A role without a right is told which statement gives it, before anything is changed, and
// the statement helps.
func TestRights_OfAPostgresRole(t *testing.T) {
	t.Parallel()
	t.Run("CREATE", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		do := l.refused(l.url, "may not create tables in the schema public")
		l.exec(l.owner, statement(t, do))
		if _, err := openPostgres(t, l.url).Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("CREATE, for a migration", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		l.exec(l.owner, "GRANT CREATE ON SCHEMA public TO "+l.role)
		s := openPostgres(t, l.url)
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.exec(l.owner, "DELETE FROM schema_version WHERE version_id > 0", "REVOKE CREATE ON SCHEMA public FROM "+l.role)
		l.refused(l.url, "may not create tables in the schema public")
		if got := l.schema(s); got != 0 {
			t.Errorf("the schema is %d after the refusal", got)
		}
	})
	t.Run("other owner", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		if _, err := openPostgres(t, l.owner).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		do := l.refused(l.url, "may not read and change all tables in the schema public")
		l.exec(l.owner, statement(t, do))
		s := openPostgres(t, l.url)
		if files, err := s.Migrate(t.Context()); err != nil || len(files) > 0 { // a role that only serves
			t.Errorf("%v, %v", files, err)
		}
		l.exec(l.owner, "DELETE FROM schema_version WHERE version_id > 0", "GRANT CREATE ON SCHEMA public TO "+l.role)
		l.refused(l.url, "the tables belong to the role postgres")
	})
	t.Run("commands", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		if _, err := openPostgres(t, l.owner).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(t.Context(), store.Config{URL: l.url, MustExist: true}); err == nil || !strings.Contains(err.Error(), "GRANT SELECT") {
			t.Errorf("%v", err)
		}
	})
	t.Run("search_path", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		do := l.refused(l.url+"&search_path=nowhere", "can use no schema of its search_path, which is nowhere")
		if !strings.Contains(do, "correct search_path") {
			t.Error(do)
		}
	})
	t.Run("encoding", func(t *testing.T) {
		t.Parallel()
		l := newLimited(t)
		name := "latin_" + ids.New()
		l.exec(l.owner, "CREATE DATABASE "+name+" ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
		t.Cleanup(func() { l.exec(l.owner, "DROP DATABASE "+name+" WITH (FORCE)") })
		u, err := url.Parse(l.owner)
		if err != nil {
			t.Fatal(err)
		}
		u.Path = "/" + name
		l.refused(u.String(), "is encoded in LATIN1: make another one")
	})
}

func (l *limited) schema(s *store.Store) int64 {
	l.Helper()
	f, err := s.Facts(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	return f.Schema
}

// A server that refuses the connection is quoted, with what helps.
func TestReach_SaysWhatToDo(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"3D000": `CREATE DATABASE "por tico" OWNER "p" ENCODING 'UTF8'`,
		"28P01": "correct the user and the password in database_url",
		"28000": `CREATE ROLE "p" LOGIN`,
		"42501": `GRANT CONNECT ON DATABASE "por tico" TO "p"`,
		"53300": "raise max_connections of the server",
		"57P03": "",
	} {
		for _, mode := range []string{"disable", "prefer"} {
			err := store.Reach(t.Context(), "postgres://p:hush@"+answering(t, code)+"/por%20tico?sslmode="+mode)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), code) || strings.HasSuffix(err.Error(), ": ") {
				t.Errorf("%s with sslmode=%s: %v", code, mode, err)
			}
		}
	}
	if os.Getenv(pgtest.Server) == "" {
		return
	}
	l := newLimited(t)
	u, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/nothing_here"
	if err := store.Reach(t.Context(), u.String()); err == nil || !strings.Contains(err.Error(), `CREATE DATABASE "nothing_here" OWNER "`+l.role) {
		t.Errorf("%v", err)
	}
	l.exec(l.owner, "ALTER ROLE "+l.role+" CONNECTION LIMIT 0")
	if err := store.Reach(t.Context(), l.url); err == nil || !strings.Contains(err.Error(), "the CONNECTION LIMIT of the role") || !store.ComesBack(err) {
		t.Errorf("%v", err)
	}
}

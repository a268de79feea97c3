package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/store/pgtest"
)

// The queries of docs/operating/exports.md, by psql as they stand there, make files that can be imported: also
// with a person who has several identities or accounts, each of which PostgreSQL would write on a line of its own.
func TestUserImport_DocumentedQueries(t *testing.T) {
	t.Parallel()
	if os.Getenv(pgtest.Server) == "" {
		t.Skip("needs PostgreSQL: tools/postgres run")
	}
	page, err := os.ReadFile("../../docs/operating/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	url := pgtest.Empty(t)
	folder := t.TempDir()
	for heading, c := range map[string]struct {
		tables string
		psql   []string
		taken  string // fields that were read, which no summary may call unknown
	}{
		"Supabase, as": {`CREATE SCHEMA auth;
			CREATE TABLE auth.users (id text, email text, email_confirmed_at timestamptz, encrypted_password text, created_at timestamptz);
			CREATE TABLE auth.identities (user_id text, provider text, provider_id text, identity_data jsonb);
			CREATE TABLE auth.mfa_factors (user_id text, factor_type text, status text, secret text);
			INSERT INTO auth.users VALUES ('s1', 'two@supabase.test', now(), '$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu', now()), ('s2', 'none@supabase.test', now(), NULL, now());
			INSERT INTO auth.identities VALUES ('s1', 'google', '1', '{"sub": "1"}'), ('s1', 'github', '2', '{"sub": "2"}');
			INSERT INTO auth.mfa_factors VALUES ('s1', 'totp', 'verified', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'), ('s1', 'totp', 'verified', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJR')`,
			[]string{"--csv"}, "mfa_factors"},
		"Better Auth on": {`CREATE TABLE "user" (id text, name text, email text, "emailVerified" boolean);
			CREATE TABLE account (id text, "userId" text, "providerId" text, "accountId" text, password text);
			CREATE TABLE passkey (id text, "userId" text);
			INSERT INTO "user" VALUES ('b1', 'Two', 'two@better.test', true), ('b2', 'None', 'none@better.test', true);
			INSERT INTO account VALUES ('a1', 'b1', 'google', '3', NULL), ('a2', 'b1', 'github', '4', NULL)`,
			[]string{"-At"}, "accounts"},
	} {
		_, rest, _ := strings.Cut(string(page), "\n"+heading)
		_, rest, _ = strings.Cut(rest, "```sql\n")
		query, _, found := strings.Cut(rest, "```")
		if !found {
			t.Fatalf("the page has no query for %q", heading)
		}
		psql := func(args ...string) []byte {
			out, err := exec.Command(filepath.Join(os.Getenv("POSTGRES_BIN"), "psql"), append([]string{pgtest.Plain(url), "-v", "ON_ERROR_STOP=1"}, args...)...).Output()
			if err != nil {
				t.Fatal(heading, err)
			}
			return out
		}
		psql("-q", "-c", c.tables)
		file := filepath.Join(folder, strings.Fields(heading)[0])
		if err := os.WriteFile(file, psql(append(c.psql, "-c", query)...), 0o600); err != nil {
			t.Fatal(err)
		}
		run := exec.Command("portico", "user", "import", "--dry-run", "--json", file)
		run.Dir, run.Env, run.Stderr = folder, []string{"HOME=" + folder}, os.Stderr
		migrate := exec.Command("portico", "migrate")
		migrate.Dir, migrate.Env = folder, run.Env
		if out, err := migrate.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := run.Output()
		var sum struct {
			Created, Refused int
			Unknown          map[string]int `json:"unknown_fields"`
		}
		if err != nil || json.Unmarshal(out, &sum) != nil || sum.Created != 2 || sum.Refused != 0 || sum.Unknown[c.taken] > 0 {
			t.Errorf("%s: %v %s", heading, err, out)
		}
	}
}

package security

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/cli"
	"portico/internal/ids"
	"portico/internal/outbox"
	"portico/internal/secret"
	"portico/internal/store"
)

// nextKey makes a second master key, gives both to the server, and returns the
// former one and the new one.
func (s *site) nextKey() (former, next *secret.Key) {
	s.Helper()
	s.config.SecretNext = filepath.Join(filepath.Dir(s.config.SecretFile), "secret-2.key")
	next, err := secret.CreateKey(s.config.SecretNext)
	if err != nil {
		s.Fatal(err)
	}
	former, err = secret.ReadKey(s.config.SecretFile)
	if err != nil {
		s.Fatal(err)
	}
	s.restart()
	return former, next
}

// rotate changes the master key while the server runs.
func (s *site) rotate() {
	s.Helper()
	a, err := app.New(s.Context(), s.config, app.Options{Existing: true, Clock: s.clock})
	if err != nil {
		s.Fatal(err)
	}
	defer a.Close()
	change, err := a.ChangeKey(s.Context(), false, func(string) {})
	if err != nil || len(change.Unopened) > 0 {
		s.Fatalf("%+v, %v", change, err)
	}
}

// dropKey takes the former key from the server.
func (s *site) dropKey() {
	s.Helper()
	s.config.SecretFile, s.config.SecretNext = s.config.SecretNext, ""
	s.restart()
}

// opened returns how many values of each table a key opens, for any purpose and
// with any context that the row has.
func (s *site) opened(key *secret.Key) map[string]int {
	s.Helper()
	count, db := map[string]int{}, s.database()
	for _, table := range s.tables(db) {
		s.eachRow(db, table, func(_ []string, values []any) { count[table] += openedIn(key, values) })
	}
	return count
}

func openedIn(key *secret.Key, values []any) (n int) {
	var contexts []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			contexts = append(contexts, text)
		}
	}
	for _, a := range contexts {
		for _, b := range contexts[:min(2, len(contexts))] {
			contexts = append(contexts, a+" "+b, b+" "+a)
		}
	}
	for _, v := range values {
		sealed, ok := v.([]byte)
		for _, purpose := range strings.Split("flow,outbox,keys,factor,password former,crossing,openid request,job part", ",") {
			for _, context := range contexts {
				if !ok {
					continue
				}
				if _, err := key.Box(purpose).Open(sealed, context); err == nil {
					n++
				}
			}
		}
	}
	return n
}

// SEC-231 covers the rows of the database after the change, and the file of SQLite
// that 'portico backup' makes. It does not cover copies from before the change, nor
// what an engine leaves behind in free pages, logs and old versions of rows.
func TestSEC231_FormerKeyReadsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	s.visitor().post("signup", object{"name": "V", "email": fresh("new"), "password": good, "confirm": good})
	s.settle()
	former, next := s.nextKey()
	id := ids.New()
	if err := s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertMessage(t.Context(), outbox.Record{ID: id, Template: "notice", Payload: former.Box("outbox").Seal([]byte("{}"), id), CreatedAt: s.clock.Now(), DeadAt: s.clock.Now()})
	}); err != nil {
		t.Fatal(err)
	}
	places := []string{"flow", "outbox", "signing_key", "factor"}
	for _, table := range places {
		if n := s.opened(former)[table]; n == 0 {
			t.Fatalf("before the change, the key opens nothing in %s: this test finds nothing", table)
		}
	}
	var before [][]byte
	db := s.database()
	for _, text := range s.strings(db, `SELECT id FROM factor`) {
		var sealed []byte
		if err := db.QueryRow(`SELECT sealed FROM factor WHERE id = $1`, text).Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		before = append(before, sealed)
	}
	s.rotate()
	for table, n := range s.opened(former) {
		if n > 0 {
			t.Errorf("after the change, the former key opens %d values in %s", n, table)
		}
	}
	for _, table := range append(places, "former_master_key") {
		if s.opened(next)[table] == 0 {
			t.Errorf("after the change, the new key opens nothing in %s", table)
		}
	}
	s.dropKey()
	if s.onSQLite() {
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := s.app.Store.Backup(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		for _, sealed := range before {
			if bytes.Contains(file, sealed) {
				t.Error("a copy of the database has what the former key had sealed")
			}
		}
	}
	s.clock.Advance(time.Minute)
	r := s.visitor().post("signin", object{"email": p.address, "password": good})
	if r.must(200); !strings.Contains(r.next(), "/auth/mfa") {
		t.Errorf("the owner cannot sign in: %s", r.body)
	}
}

// SEC-256: what only the former key makes is worthless once it is gone.
func TestSEC256_FormerKeyForgesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	got := v.rpTokens()
	former, next := s.nextKey()
	forged := func(key *secret.Key, kind string) string {
		text := got.Refresh[:strings.LastIndexByte(got.Refresh, '.')]
		return text + "." + secret.Encode(key.MAC("openid").Sum(kind, text))
	}
	if forged(former, "refresh") != got.Refresh {
		t.Fatal("this test does not make tokens as the server does")
	}
	s.rotate()
	if !s.works(got.Access) {
		t.Error("an access token ended by the change")
	}
	s.refused("forged with a third key", s.rp("token", refreshForm(forged(secret.NewKey(), "refresh"))), "invalid_grant")
	s.dropKey()
	s.refused("forged with the former key", s.rp("token", refreshForm(forged(former, "refresh"))), "invalid_grant")
	if s.works(got.Access) {
		t.Error("an access token of the former key works after it has gone")
	}
	if v.whoami() == "" {
		t.Error("the user was signed out")
	}
	if again := s.rp("token", refreshForm(forged(next, "refresh"))); again.Access == "" {
		t.Errorf("a refresh token of the new key: %d %s", again.status, again.body)
	}
}

// SEC-257: no command prints a master key.
func TestSEC257_CommandsPrintNoKey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.visitor().register(fresh("v"))
	s.nextKey()
	environ := []string{
		"PORTICO_DATABASE_URL=" + s.config.DatabaseURL, "PORTICO_SECRET_FILE=" + s.config.SecretFile, "PORTICO_SECRET_NEXT_FILE=" + s.config.SecretNext,
		"PORTICO_PUBLIC_URL=https://portico.test", "PORTICO_OPS_LISTEN=" + s.ops, "PORTICO_SMTP_URL=" + s.config.SMTPURL, "PORTICO_MAIL_FROM=no-reply@portico.test",
	}
	var printed strings.Builder
	for _, args := range []string{"secret new", "secret rotate", "secret rotate --json", "secret rotate --back", "doctor", "doctor --json", "config show", "config check"} {
		var out bytes.Buffer
		code := cli.Run(context.Background(), cli.Process{Args: strings.Fields(args), Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
		t.Logf("%s: %d\n%s", args, code, out.String())
		printed.WriteString(out.String())
	}
	printed.WriteString(s.log.String())
	if !strings.Contains(printed.String(), "former key can go") && !strings.Contains(printed.String(), "former key is still needed") {
		t.Error("the doctor says nothing about the former key")
	}
	for _, path := range []string{s.config.SecretFile, s.config.SecretNext} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{strings.TrimSpace(string(text))[:16], hex.EncodeToString(raw)[:16], strings.ToUpper(hex.EncodeToString(raw))[:16], string(raw[:8]), base64.RawURLEncoding.EncodeToString(raw)[:16]} {
			if strings.Contains(printed.String(), form) {
				t.Errorf("the key of %s is printed", path)
			}
		}
	}
}

// SEC-256: a change of the key does not look like another user to an app.
func TestSEC256_AppsKeepTheirCookies(t *testing.T) {
	announce(t)
	t.Parallel()
	a := newGullibleApp(t)
	b, mara, noah := startShared(t, a, nil)
	b.signIn(mara)
	b.sees("/", mara)
	own := b.has("/")
	b.nextKey()
	b.rotate()
	a.got()
	b.sees("/", mara)
	if got := a.got(); !strings.Contains(got, own) {
		t.Errorf("after the change, the app got %q, want %s", got, own)
	}
	b.dropKey()
	b.sees("/", mara)
	if got := a.got(); !strings.Contains(got, own) {
		t.Errorf("without the former key, the app got %q, want %s", got, own)
	}
	b.signIn(noah)
	b.sees("/", noah)
}

// SEC-491: what an admin gives to try an import, such as the password of a person, rests sealed by the key of now, and not
// longer than until the import begins.
func TestSEC491_FormerKeyReadsNothingOfAnImport(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, key := s.key(admin.id(), "import")
	by := s.programOf(key)
	const known = "known7Password"
	var got sentFile
	by("POST", importPath, `{"known_email":"mara@example.org","known_password":"`+known+`"}`).must(200).parse(&got)
	reads := func(key *secret.Key) (n int) {
		for _, table := range []string{"job", "job_part"} {
			s.eachRow(s.database(), table, func(_ []string, values []any) { n += openedIn(key, append(values, inJSON(values)...)) })
		}
		return n
	}
	former, next := s.nextKey()
	if reads(former) == 0 {
		t.Fatal("before the change, the key opens nothing: this test finds nothing")
	}
	s.rotate()
	if n := reads(former); n > 0 {
		t.Errorf("after the change, the former key opens %d values", n)
	}
	if reads(next) == 0 {
		t.Error("after the change, the new key opens nothing")
	}
	file := `{"email":"mara@example.org","password":"$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"}`
	by("POST", importPath+"/"+got.ID+"/file", file).must(422)
	by("POST", importPath+"/"+got.ID+"/file", file).must(422) // the first one has not used it up
	by("POST", importPath, `{}`).must(200).parse(&got)
	by("POST", importPath+"/"+got.ID+"/file", file).must(200)
	by("POST", importPath+"/"+got.ID+"/start", `{}`).must(200)
	s.jobsEnd()
	if n := reads(next); n > 0 {
		t.Errorf("after the import, %d values are left", n)
	}
}

// inJSON returns the texts in the JSON objects of a row that may be sealed values.
func inJSON(values []any) (found []any) {
	for _, v := range values {
		var fields map[string]any
		if text, ok := v.(string); !ok || json.Unmarshal([]byte(text), &fields) != nil {
			continue
		}
		for _, field := range fields {
			text, _ := field.(string)
			if sealed, err := base64.StdEncoding.DecodeString(text); err == nil {
				found = append(found, sealed)
			}
		}
	}
	return found
}

package security

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"portico/internal/app"
	"portico/internal/cli"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/store/archive"
	"portico/internal/store/pgtest"
)

// archived returns the archive of the running site.
func (s *site) archived() []byte {
	s.Helper()
	var out bytes.Buffer
	if _, err := s.app.Export(s.Context(), "1.2.3", &out, true, func(int64, int64) {}); err != nil {
		s.Fatal(err)
	}
	return out.Bytes()
}

// elsewhere gives the site an empty database, on PostgreSQL where there is one, and another master key.
func (s *site) elsewhere() {
	s.Helper()
	dir := s.TempDir()
	s.config.DatabaseURL = "sqlite:" + filepath.Join(dir, "other.db")
	if s.onSQLite() && os.Getenv(pgtest.Server) != "" {
		s.config.DatabaseURL = pgtest.Empty(s.T)
	}
	s.config.SecretFile = filepath.Join(dir, "other.key")
	if _, err := secret.CreateKey(s.config.SecretFile); err != nil {
		s.Fatal(err)
	}
}

// takes puts an archive into the database of the settings.
func (s *site) takes(text []byte) error {
	from, err := archive.Begin(bytes.NewReader(text))
	if err != nil {
		return err
	}
	_, err = app.Import(s.Context(), s.config, from, app.ImportOptions{Clock: s.clock, Tell: func(string) {}, Report: func(int64) {}})
	return err
}

// SEC-404: an installation that was moved by an archive, to another engine and another master key, asks for the
// same proofs as before.
func TestSEC404_AnImportedInstallationAsksForTheSame(t *testing.T) {
	announce(t)
	t.Parallel()
	s, provider := startWithIDP(t, true)
	owner, p := s.protected()
	trusted := p.trusting()
	holder, device := s.holder()
	known := s.visitor()
	known.continueWith(provider.says(object{"email": fresh("known"), "email_verified": true}))
	kept := known.whoami()
	out, _ := s.protected()
	address := out.whoami()
	out.post("signout", object{}).must(200)
	tokens := holder.rpTokens()
	text := s.archived()
	s.stop()
	s.elsewhere()
	if err := s.takes(text); err != nil {
		t.Fatal(err)
	}
	s.run()

	if owner.whoami() != p.address || known.whoami() != kept {
		t.Error("a session has ended")
	}
	if out.whoami() != "" {
		t.Error("a session that had ended is back")
	}
	s.visitor().signIn(p.address, other).refused(401, "signin.rejected")
	v, flow := p.pending()
	v.give(flow, wrong(p.code())).refused(422, "factor.wrong")
	v.give(flow, p.code()).must(200)
	if v.whoami() != p.address {
		t.Error("the password and a code do not sign in")
	}
	v, flow = p.pending()
	if a := v.give(flow, p.code()); a.status == 200 {
		t.Error("a code works twice")
	}
	v.giveRecovery(flow, p.codes[0]).must(200)
	v, flow = p.pending()
	if a := v.giveRecovery(flow, p.codes[0]); a.status == 200 {
		t.Error("a recovery code works twice")
	}
	if s.in(device).whoami() != holder.whoami() {
		t.Error("the passkey does not sign in")
	}
	again := s.visitor()
	if again.continueWith(provider); again.whoami() != kept {
		t.Errorf("the provider signs in as %q", again.whoami())
	}
	if !trusted.enters(p.address, good) {
		t.Error("the trusted browser is asked for a code")
	}
	alone := s.visitor()
	if alone.signIn(address, good).must(200); alone.whoami() != "" {
		t.Error("a password alone signs in")
	}
	s.refused("a refresh token", s.rp("token", refreshForm(tokens.Refresh)), "invalid_grant")
	// The hashes are under the new key after a sign-in, and the old key is only that of the hashes.
	own, _ := secret.ReadKey(s.config.SecretFile)
	if n := s.count(`SELECT COUNT(*) FROM account WHERE address = $1 AND password LIKE $2`, p.address, "%keyid="+own.ID()+"$%"); n != 1 {
		t.Error("the sign-in has not renewed the hash")
	}
}

// SEC-408: only the private key opens a sealed archive, and nothing else is on the disk meanwhile.
func TestSEC408_ASealedArchiveTellsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	recipient, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "portico.archive")
	environ := []string{"PORTICO_DATABASE_URL=" + s.config.DatabaseURL, "PORTICO_SECRET_FILE=" + s.config.SecretFile}
	args := []string{"export", path, "--recipient", recipient.Recipient().String()}
	if code := cli.Run(t.Context(), cli.Process{Args: args, Environ: environ, Stdout: io.Discard, Stderr: os.Stderr}); code != 0 {
		t.Fatal(code)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear := s.archived()
	for _, word := range []string{p.address, `"account"`, "argon2id", "portico_archive"} {
		if !bytes.Contains(clear, []byte(word)) {
			t.Fatalf("%q is in no archive: this test finds nothing", word)
		}
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("the sealed archive has %q", word)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if all, err := os.ReadDir(folder); err != nil || len(all) != 1 {
		t.Errorf("the folder has %v (%v)", all, err)
	}
	keyFile := func(k *age.X25519Identity) string {
		name := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(name, []byte(k.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	stranger, _ := age.GenerateX25519Identity()
	for name, identity := range map[string]string{"without a key": "", "with another key": keyFile(stranger)} {
		if _, err := archive.Open(bytes.NewReader(text), identity); err == nil {
			t.Errorf("it opens %s", name)
		}
	}
	opened, err := archive.Open(bytes.NewReader(text), keyFile(recipient))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(opened); err != nil || !bytes.Contains(all, []byte(p.address)) {
		t.Errorf("the key opens %q (%v)", all, err)
	}
	// A sealed archive that was cut or changed is no archive.
	s.stop()
	s.elsewhere()
	changed := bytes.Clone(text)
	changed[len(changed)/2] ^= 1
	for name, bad := range map[string][]byte{"half": text[:len(text)/2], "changed": changed} {
		opened, err := archive.Open(bytes.NewReader(bad), keyFile(recipient))
		if err != nil {
			continue
		}
		all, _ := io.ReadAll(opened)
		if err := s.takes(all); err == nil {
			t.Errorf("%s is imported", name)
		}
	}
	s.run()
}

// SEC-409: an archive that was changed is refused whole.
func TestSEC409_AChangedArchiveIsRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, victim := s.protected()
	attacker, _ := s.signedIn()
	id := attacker.id()
	text := s.archived()
	s.stop()
	s.elsewhere()
	lines := bytes.SplitAfter(text, []byte("\n"))
	row := func(table, with string) int {
		for i, line := range lines {
			if bytes.HasPrefix(line, []byte(`{"`+table+`":`)) && bytes.Contains(line, []byte(with)) {
				return i
			}
		}
		t.Fatalf("no row of %s has %s", table, with)
		return 0
	}
	replaced := func(at int, line []byte) []byte {
		all := append([][]byte{}, lines...)
		all[at] = line
		return bytes.Join(all, nil)
	}
	mine, session := row("account", id), row("session", id)
	owner := string(lines[row("account", victim.address)])
	theirs := owner[strings.Index(owner, `"id":"`)+6:][:len(id)]
	for name, bad := range map[string][]byte{
		"a role":               replaced(mine, bytes.Replace(lines[mine], []byte(`"roles":"[]"`), []byte(`"roles":"[\"admin\"]"`), 1)),
		"another's session":    replaced(session, bytes.Replace(lines[session], []byte(id), []byte(theirs), 1)),
		"a session more":       replaced(session, append(bytes.Clone(lines[session]), bytes.Replace(lines[session], []byte(`"id":"`), []byte(`"id":"z`), 1)...)),
		"an account less":      replaced(mine, nil),
		"a session of nobody":  replaced(session, bytes.Replace(lines[session], []byte(id), []byte("nobody"), 1)),
		"the schema":           replaced(0, bytes.Replace(lines[0], []byte(`"schema":`), []byte(`"schema":1`), 1)),
		"the check of the key": replaced(mine, []byte(`{"installation":{"id":1,"purpose":"real","key_check":"","hash_cost":"","lineage":""}}`+"\n")),
		"an end in the middle": replaced(mine, lines[len(lines)-2]),
		"a table twice":        replaced(session, append(bytes.Clone(lines[mine]), lines[session]...)),
		"SQL as the table":     replaced(mine, bytes.Replace(lines[mine], []byte(`{"account":`), []byte(`{"account\" (id) VALUES ('x'); --":`), 1)),
		"SQL as a column":      replaced(mine, bytes.Replace(lines[mine], []byte(`"address":`), []byte(`"address\") --":`), 1)),
	} {
		if err := s.takes(bad); err == nil {
			t.Errorf("%s is imported", name)
		}
	}
	for _, table := range []string{"account", "session", "audit"} {
		if n := s.count(`SELECT COUNT(*) FROM ` + table); n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	if err := s.takes(text); err != nil {
		t.Errorf("the archive itself: %v", err)
	}
	s.run()
}

// SEC-471: an account was taken over, and what the thief has left was ended after the copy was made.
func TestSEC471_ARestoreEndsWhatHasEndedSince(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, p := s.admin()
	s.clock.Advance(time.Minute) // each code works once
	trusted, invited := p.trusting(), fresh("thief")
	_, key := s.key(admin.id(), "people:read")
	token := s.invited(invited, flow.RoleAdmin)
	text := s.archived()
	s.stop()
	s.elsewhere()
	from, err := archive.Begin(bytes.NewReader(text))
	if err == nil {
		_, err = app.Import(t.Context(), s.config, from, app.ImportOptions{EndSessions: true, Clock: s.clock, Tell: func(string) {}, Report: func(int64) {}})
	}
	s.must(err)
	s.run()
	if a := s.keyed(key, "GET /auth/api/admin/people", ""); a.status != 401 {
		t.Errorf("the API key gets %d", a.status)
	}
	v := s.visitor()
	v.open(token)
	if v.accept(token, invited); s.count(`SELECT COUNT(*) FROM account WHERE address = $1`, invited) != 0 {
		t.Error("the invitation makes an admin")
	}
	back := s.visitor()
	back.cookies = trusted.cookies
	if back.signIn(p.address, good).must(200); back.whoami() != "" {
		t.Error("the trusted browser is not asked for a code")
	}
}

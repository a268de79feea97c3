package faults

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// documented returns the block of commands that begins with the words, from the
// section on backups in docs/operating/postgresql.md.
func documented(t *testing.T, words string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operating/postgresql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Backup\n")
	section, _, _ = strings.Cut(section, "\n## ")
	block := between(section, "\n```\n"+words, "\n```\n")
	if block == "" {
		t.Fatalf("the page has no commands that begin with %q", words)
	}
	return words + block + "\n"
}

// follow runs documented commands in a folder, on a database, with the programs
// of the server's own version.
func follow(t *testing.T, folder, url, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PORTICO_DATABASE_URL="+url,
		"PATH="+cmp.Or(os.Getenv("POSTGRES_BIN"), "/usr/bin")+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// The commands of the page on PostgreSQL are run as they stand there. A dump of
// a serving node is restored into another database. It has everything
// acknowledged before, sends no email twice and accepts no code twice.
func TestFLT13_PostgresDrill(t *testing.T) {
	announce(t)
	t.Parallel()
	p := onEmptyPostgres(t)
	r := p.serve()
	known := p.registered()
	staying, leaving, stale := p.browser(), p.browser(), p.browser()
	for _, b := range []*browser{staying, leaving} {
		b.must("signin", map[string]string{"email": known, "password": good})
	}
	pending, lost := fresh("pending"), fresh("lost")
	step := map[string]string{"flow": stale.begin(pending)}
	step["code"] = p.mail.code(pending, 30*time.Second)
	p.mail.be(holdBefore)
	p.browser().must("signup", map[string]string{"email": lost, "password": good, "confirm_password": good})
	held := <-p.mail.parked

	folder := t.TempDir()
	follow(t, folder, p.past, documented(t, "pg_dump"))

	// Changes after the dump: the email is sent, the code is used, a session
	// has ended.
	before := []map[string]string{maps.Clone(staying.cookies), maps.Clone(leaving.cookies), maps.Clone(stale.cookies)}
	close(held.release)
	if p.mail.code(lost, testform.Patience) == "" || !eventually(testform.Patience, func() bool { return p.count(`SELECT COUNT(*) FROM outbox`) == 0 }) {
		t.Fatal("the email that waited was never sent")
	}
	p.mail.be(healthy)
	stale.must("verify-code", step)
	leaving.must("signout", map[string]string{})
	since := p.registered()
	r.stop()

	m := p.restored(folder)
	stranger := *m.place
	key := filepath.Join(t.TempDir(), "other.key")
	if _, err := secret.CreateKey(key); err != nil {
		t.Fatal(err)
	}
	stranger.extra = append(stranger.extra, "PORTICO_SECRET_FILE="+key)
	if out := stranger.refuses(); !strings.Contains(out, "is not the one that this database was made with") {
		t.Errorf("with another key it prints %s", out)
	}

	r = m.serve()
	b := m.browser()
	for i, who := range []string{"somebody who was signed in", "somebody who has signed out since"} {
		if b.cookies = maps.Clone(before[i]); !b.whoami() {
			t.Errorf("%s does not work after the restore", who)
		}
	}
	b.cookies = before[2]
	if a, err := b.post("verify-code", step); err != nil || a.status == 200 {
		t.Errorf("a code from before the restore is accepted: %v %d %s", err, a.status, a.body)
	}
	if out := m.command("mail", "list"); !strings.Contains(out, lost) {
		t.Errorf("the email that was given up is not listed: %s", out)
	}
	if a, err := b.post("signin", map[string]string{"email": since, "password": good}); err != nil || a.status == 200 {
		t.Errorf("an account from after the backup signs in: %v %d", err, a.status)
	}
	m.journey(known)
	r.stop()

	if out := m.command("finish-restore", "--end-sessions"); !strings.Contains(out, "nothing to do") {
		t.Errorf("finished already, it says %s", out)
	}
	if out := m.command("finish-restore", "--end-sessions", "--force"); !strings.Contains(out, "finished") {
		t.Errorf("with --force it says %s", out)
	}
	m.serve()
	if b.cookies = before[0]; b.whoami() {
		t.Error("a session works that should have ended")
	}
	m.journey(known)
	m.once()
	if most, which := p.mail.repeats(); most > 1 {
		t.Errorf("one email came %d times: %s", most, which)
	}
}

// restored returns the installation on a database that was restored from the
// dump.
func (p *onPostgres) restored(folder string) *onPostgres {
	p.Helper()
	dumps, err := filepath.Glob(filepath.Join(folder, "portico-*.dump"))
	if err != nil || len(dumps) != 1 {
		p.Fatalf("the dumps are %v, %v", dumps, err)
	}
	if err := os.Rename(dumps[0], filepath.Join(folder, "portico-2026-05-04.dump")); err != nil {
		p.Fatal(err)
	}
	at := *p.place
	m := &onPostgres{place: &at, past: pgtest.Plain(pgtest.Empty(p.T))}
	at.extra = append(p.extra[:len(p.extra):len(p.extra)], "PORTICO_DATABASE_URL="+pgtest.Patient(m.past))
	follow(p.T, folder, m.past, documented(p.T, "pg_restore"))
	if out := m.command("doctor"); !strings.Contains(out, "finish-restore") {
		p.Errorf("the doctor does not notice the restore: %s", out)
	}
	words := strings.Fields(documented(p.T, "portico "))
	if out := m.command(words[1:]...); !strings.Contains(out, "finished\tnodes may start") {
		p.Errorf("%v: %s", words, out)
	}
	if n := m.count(`SELECT COUNT(*) FROM outbox WHERE dead_at = 0`); n > 0 {
		p.Errorf("%d old emails wait to be sent", n)
	}
	return m
}

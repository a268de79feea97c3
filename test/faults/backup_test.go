package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/testform"
)

// saved is a backup, and everything that had been acknowledged before it began.
type saved struct {
	file     string
	accounts []string
	sessions map[string]string
}

// save takes a backup with the operator's command.
func (p *place) save(acked *promises, file string) saved {
	p.Helper()
	s := saved{file: file, sessions: map[string]string{}}
	acked.note(func() {
		s.accounts = append(s.accounts, acked.accounts...)
		for address, token := range acked.sessions {
			s.sessions[address] = token
		}
	})
	if out := p.command("backup", file); !strings.Contains(out, file) {
		p.Errorf("the backup says %s", out)
	}
	return s
}

// machine returns an empty machine with the same key and address.
func (p *place) machine() *place {
	p.Helper()
	other := *p
	other.dir = p.TempDir()
	key, err := os.ReadFile(filepath.Join(p.dir, "secret.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(other.dir, "secret.key"), key, 0o600)
	}
	if err != nil {
		p.Fatal(err)
	}
	return &other
}

// Backups under load are complete. An instance that is restored on an empty
// machine, or over a newer state, has everything that was acknowledged before
// its backup began. It sends no old email and accepts no old code again.
func TestFLT13_BackupAndRestore(t *testing.T) {
	announce(t)
	t.Parallel()
	mail := newSink(t)
	p := newPlace(t, mail)
	r := p.serve()
	known := []string{p.registered()}
	acked := &promises{sessions: map[string]string{}}
	var backups []saved
	p.underLoad(acked, known, func() {
		eventually(testform.Patience, func() bool { return acked.count() > 5 })
		for n := range rounds(3, 12) {
			if full() {
				time.Sleep(5 * time.Second)
			}
			backups = append(backups, p.save(acked, filepath.Join(t.TempDir(), fmt.Sprintf("copy%d.db", n))))
		}
	})
	// An email that waits for the mail server, and a code that is used right
	// after the backup.
	mail.be(refusing)
	stale := p.browser()
	flow := stale.begin(fresh("stale"))
	waiting := p.browser()
	lost := fresh("lost")
	waiting.must("forgot-password", map[string]string{"email": lost})
	backups = append(backups, p.save(acked, filepath.Join(t.TempDir(), "last.db")))
	mail.be(healthy)
	if out := p.command("restore", backups[0].file, "--replace"); !strings.Contains(out, "another portico serves this database") {
		t.Errorf("over a running instance it says %s", out)
	}
	r.stop() // sends the waiting email
	sent := len(mail.all())

	for n, s := range backups {
		m := p.machine()
		began := time.Now()
		out := m.command("restore", s.file)
		r := m.serve()
		took := time.Since(began)
		m.holdsAll(s, out)
		m.journey(known[0])
		r.stop()
		m.sound()
		t.Logf("FLT-13: backup %d with %d acknowledged accounts: restored and ready in %v: %s", n, len(s.accounts), took, strings.ReplaceAll(out, "\n", " "))
	}

	// Restore an older backup over a newer state. Its sessions have ended.
	older := backups[0]
	out := p.command("restore", older.file, "--replace", "--end-sessions")
	if !strings.Contains(out, "kept") {
		t.Errorf("the database before is not kept: %s", out)
	}
	p.serve()
	b := p.browser()
	for _, token := range older.sessions {
		if b.cookies = map[string]string{"portico-session": token}; b.whoami() {
			t.Error("a session works that should have ended")
		}
	}
	p.journey(known[0])
	p.sound()
	if a, err := stale.post("verify-code", map[string]string{"flow": flow, "code": "000000"}); err != nil || a.status == 200 {
		t.Errorf("a step from before the restore works: %v %d", err, a.status)
	}
	if most, which := mail.repeats(); most > 1 {
		t.Errorf("of %d emails one came %d times: %s", sent, most, which)
	}
	if full() {
		p.recovery()
	}
}

// holdsAll fails unless a restored instance has everything of its backup.
func (p *place) holdsAll(s saved, out string) {
	p.Helper()
	lost := 0
	for _, address := range s.accounts {
		if p.count(`SELECT COUNT(*) FROM account WHERE address = ?1`, address) != 1 {
			lost++
		}
	}
	b := p.browser()
	defer b.close()
	for _, token := range s.sessions {
		if b.cookies = map[string]string{"portico-session": token}; !b.whoami() {
			lost++
		}
	}
	if lost > 0 {
		p.Errorf("%d acknowledged changes are lost; the restore said %s", lost, out)
	}
	if n := p.count(`SELECT COUNT(*) FROM outbox WHERE dead_at = 0`); n > 0 {
		p.Errorf("%d old emails wait to be sent", n)
	}
}

// journey is an operator's first check: a sign-in, and a registration with its
// email.
func (p *place) journey(known string) {
	p.Helper()
	b := p.browser()
	defer b.close()
	b.must("signin", map[string]string{"email": known, "password": good})
	if !b.whoami() {
		p.Error("the sign-in has no session")
	}
	p.registered()
}

// recovery measures backup and restore with a million accounts.
func (p *place) recovery() {
	p.Helper()
	big := newPlace(p.T, p.mail)
	big.populate(1_000_000)
	file := filepath.Join(p.TempDir(), "big.db")
	began := time.Now()
	big.command("backup", file)
	saving := time.Since(began)
	m := big.machine()
	began = time.Now()
	out := m.command("restore", file)
	restoring := time.Since(began)
	r := m.serve()
	info, err := os.Stat(file)
	if err != nil {
		p.Fatal(err)
	}
	ready := time.Now()
	address := fresh("first")
	a, err := m.browser().post("signup", map[string]string{"email": address, "password": good, "confirm_password": good})
	registered := time.Since(ready)
	if err != nil || a.status != 200 || p.mail.code(address, time.Minute) == "" {
		p.Errorf("the first registration gets %v %d %s, or has no email:\n%s", err, a.status, a.body, r.log)
	}
	p.Logf("FLT-13: 1,000,000 accounts and sessions, 2,000,000 facts, %d MiB: backup %v, restore %v, ready after another %v, first registration answered after %v: %s",
		info.Size()>>20, saving, restoring, r.start, registered, out)
}

package apps

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The statement for MySQL and MariaDB of docs/integrating/webhooks.md makes one row, however many requests of a new user
// come at once, and follows another address.
func TestMariaDB_Upsert(t *testing.T) {
	t.Parallel()
	const server, client = "/usr/sbin/mariadbd", "/usr/bin/mariadb"
	need(t, server)
	need(t, client)
	page, err := os.ReadFile("../../docs/integrating/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "MySQL and MariaDB:\n\n```sql\n")
	statement, _, found := strings.Cut(rest, ";\n```")
	if !found {
		t.Fatal("the page has no statement for MySQL and MariaDB")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "socket")
	// Without privileges it needs no system tables.
	d := exec.Command(server, "--no-defaults", "--user=root", "--datadir="+dir, "--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--skip-grant-tables", "--skip-networking")
	var log buffer
	d.Stdout, d.Stderr = &log, &log
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Process.Kill(); _ = d.Wait() }()
	run := func(sql string) (string, error) {
		out, err := exec.Command(client, "--no-defaults", "--socket="+socket, "--skip-column-names", "--batch", "-e", sql).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := run(`CREATE DATABASE app; CREATE TABLE app.app_user (portico_id VARCHAR(64) PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL)`)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s\n%s", out, log.String())
		}
	}
	insert := func(email string) {
		out, err := run(`USE app; PREPARE upsert FROM "` + statement + `"; SET @id = 'mara', @email = '` + email + `', @name = 'Mara'; EXECUTE upsert USING @id, @email, @name`)
		if err != nil {
			t.Error(out, err)
		}
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { insert("mara@example.org") })
	}
	all.Wait()
	insert("new@example.org")
	if out, err := run(`SELECT COUNT(*), MAX(email) FROM app.app_user`); err != nil || out != "1\tnew@example.org" {
		t.Errorf("%q, %v", out, err)
	}
}

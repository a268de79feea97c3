package faults

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// killedMigrating runs `portico migrate`, which kills itself at an event of its
// database (0: never). It returns the number of events.
func (p *place) killedMigrating(event int) (events int) {
	p.Helper()
	cmd := exec.Command(os.Args[0], "migrate")
	cmd.Dir, cmd.Env = p.dir, append(p.environ(), fmt.Sprintf("%s=%d", killAt, event), killFromStart+"=1")
	out, err := cmd.CombinedOutput()
	if event == 0 {
		at := strings.LastIndex(string(out), "events ")
		if _, scan := fmt.Sscanf(string(out[max(at, 0):]), "events %d", &events); err != nil || scan != nil {
			p.Fatalf("%v\n%s", err, out)
		}
	} else if err == nil {
		p.Errorf("it was not killed at event %d:\n%s", event, out)
	}
	return events
}

// older undoes the last migration, as the version before would leave the
// database. It returns the version of the schema.
func (p *place) older() int {
	p.Helper()
	version := p.count(`SELECT MAX(version_id) FROM goose_db_version`)
	files, _ := filepath.Glob(fmt.Sprintf("../../internal/store/migrations/%05d_*.sql", version))
	var file string
	for _, name := range files {
		if !strings.HasSuffix(name, ".postgres.sql") {
			file = name
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		p.Fatal(err)
	}
	_, down, found := strings.Cut(string(text), "-- +goose Down")
	if !found {
		p.Fatalf("%s cannot be undone", file)
	}
	p.change(down)
	p.change(fmt.Sprintf(`DELETE FROM goose_db_version WHERE version_id = %d`, version))
	return version - 1
}

// change writes to the database of an installation that does not run.
func (p *place) change(query string) {
	p.Helper()
	db, err := sql.Open("sqlite3", "file:"+p.databaseFile()+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.Exec(query)
		_ = db.Close()
	}
	if err != nil {
		p.Fatalf("%s: %v", query, err)
	}
}

// The next start completes a migration that was killed at any point. The copy
// from before the migration can be restored.
func TestFLT12_InterruptedMigration(t *testing.T) {
	announce(t)
	t.Parallel()
	mail := newSink(t)
	for _, upgrade := range []bool{false, true} {
		p := newPlace(t, mail)
		version, known := 0, ""
		if upgrade {
			r := p.serve()
			known = p.registered()
			r.stop()
			version = p.older()
		}
		events := p.copiedOrNew(upgrade).killedMigrating(0)
		tried := 0
		for event := 1; event <= events; event += max(1, events/rounds(6, events)) {
			one := p.copiedOrNew(upgrade)
			one.killedMigrating(event)
			one.sometimesSound(upgrade)
			r := one.serve()
			if upgrade {
				one.journey(known)
			}
			r.stop()
			one.sound()
			saved := fmt.Sprintf("%s.schema-%d", one.databaseFile(), version)
			if _, err := os.Stat(saved); (err == nil) != upgrade {
				t.Errorf("a copy from before the migration is there: %v, want %v", err == nil, upgrade)
			}
			if upgrade {
				one.command("restore", saved, "--replace")
				r := one.serve()
				one.journey(known)
				r.stop()
			}
			tried++
		}
		t.Logf("FLT-12: upgrade of a database with content: %v: killed at %d of %d events, each completed by the next start", upgrade, tried, events)
	}
}

// copiedOrNew returns a copy of the installation, or an empty one.
func (p *place) copiedOrNew(copied bool) *place {
	p.Helper()
	if copied {
		return p.copied()
	}
	other := *p
	other.dir = p.TempDir()
	return &other
}

// sometimesSound checks the database right after a kill, if there is one.
func (p *place) sometimesSound(migrated bool) {
	p.Helper()
	if migrated {
		p.sound()
	}
}

// Several processes find an old schema. One migrates, and all of them start.
func TestFLT12_MigrateAtOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.serve()
	known := p.registered()
	r.stop()
	version := p.older()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if out := p.command("user", "list"); !strings.HasPrefix(out, known) {
				t.Errorf("one of four says %s", out)
			}
		})
	}
	group.Wait()
	p.sound()
	old := *p
	old.dir = t.TempDir()
	if err := os.Rename(fmt.Sprintf("%s.schema-%d", p.databaseFile(), version), old.databaseFile()); err != nil {
		t.Fatal(err)
	}
	if n := old.count(`SELECT MAX(version_id) FROM goose_db_version`); n != version {
		t.Errorf("the copy from before the migration has the schema %d, want %d", n, version)
	}
	t.Log("FLT-12: four processes migrate at once, one does it, each goes on")
}

// No migration may run under a server of another version. A server that finds a
// newer schema prints the command that restores the older one.
func TestFLT12_OtherVersions(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.serve()
	known := p.registered()
	r.stop()
	version := p.older()
	p.command("migrate")
	p.change(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	// The copy that the newer version would have kept when it migrated.
	saved := fmt.Sprintf("%s.schema-%d", p.databaseFile(), version+1)
	if err := os.Rename(fmt.Sprintf("%s.schema-%d", p.databaseFile(), version), saved); err != nil {
		t.Fatal(err)
	}
	out := p.refuses()
	way := "portico restore --replace " + saved
	if !strings.Contains(out, way) || !strings.Contains(out, "schema is 999") {
		t.Errorf("on a newer schema it says\n%s\nwant the command %q", out, way)
	}
	p.command(strings.Fields(way)[1:]...)
	r = p.serve()
	p.journey(known)

	// The running server now looks like the version before.
	p.older()
	began := time.Now()
	if out := p.command("user", "list"); !strings.Contains(out, "another portico serves this database already") {
		t.Errorf("beside a server of the older version a command prints %s", out)
	}
	t.Logf("FLT-12: a newer schema is refused with the way back; no migration runs under a server (%v)", time.Since(began).Round(time.Second))
	r.kill()
}

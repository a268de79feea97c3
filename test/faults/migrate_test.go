package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// killedMigrating runs `portico migrate` of a test binary, which kills itself at an
// event of its database (0: never). It returns the number of events.
func (p *place) killedMigrating(program string, event int) (events int) {
	p.Helper()
	cmd := exec.Command(program, "migrate")
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

// used serves the installation until it has an account. It returns the address, and
// the name of the copy that a later version keeps of this schema.
func (p *place) used() (address, saved string) {
	p.Helper()
	r := p.serve()
	address = p.registered()
	r.stop()
	return address, fmt.Sprintf("%s.schema-%d", p.databaseFile(), p.count(`SELECT MAX(version_id) FROM schema_version`))
}

// The next start completes a migration that was killed at any point. The copy
// from before the migration can be restored.
func TestFLT12_InterruptedMigration(t *testing.T) {
	announce(t)
	t.Parallel()
	mail := newSink(t)
	for _, upgrade := range []bool{false, true} {
		p := newPlace(t, mail)
		known, saved := "", p.databaseFile()+".schema-0"
		killed, program := os.Args[0], binary
		if upgrade {
			known, saved = p.used()
			killed, program = nextToKill(t), nextVersion(t)
		}
		events := p.copiedOrNew(upgrade).killedMigrating(killed, 0)
		tried := 0
		for event := 1; event <= events; event += max(1, events/rounds(6, events)) {
			one := p.copiedOrNew(upgrade)
			one.killedMigrating(killed, event)
			one.sometimesSound(upgrade)
			r := one.serveAs(program)
			if upgrade {
				one.journey(known)
			}
			r.stop()
			one.sound()
			saved := filepath.Join(one.dir, filepath.Base(saved))
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
	const schema = `SELECT MAX(version_id) FROM schema_version`
	p := newPlace(t, newSink(t))
	known, saved := p.used()
	before, program := p.count(schema), nextVersion(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if out := p.commandOf(program, "user", "list"); !strings.HasPrefix(out, known) {
				t.Errorf("one of four says %s", out)
			}
		})
	}
	group.Wait()
	p.sound()
	if n := p.count(schema); n != expanded {
		t.Errorf("the schema is %d, want %d", n, expanded)
	}
	old := *p
	old.dir = t.TempDir()
	if err := os.Rename(saved, old.databaseFile()); err != nil {
		t.Fatal(err)
	}
	if n := old.count(schema); n != before {
		t.Errorf("the copy from before the migration has the schema %d, want %d", n, before)
	}
	t.Log("FLT-12: four processes migrate at once, one does it, each goes on")
}

// No migration may run under a server of another version. A server that finds a
// newer schema prints the command that restores the older one.
func TestFLT12_OtherVersions(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	known, saved := p.used()
	program := nextVersion(t)
	if out := p.commandOf(program, "doctor"); !strings.Contains(out, fmt.Sprintf("this version needs %d: the next start updates it", expanded)) {
		t.Errorf("on an older schema the doctor says\n%s", out)
	}
	p.commandOf(program, "migrate")
	out := p.refuses()
	way := "portico restore --replace " + saved
	if !strings.Contains(out, way) || !strings.Contains(out, fmt.Sprintf("schema is %d", expanded)) {
		t.Errorf("on a newer schema it says\n%s\nwant the command %q", out, way)
	}
	p.command(strings.Fields(way)[1:]...)
	r := p.serve()
	p.journey(known)

	began := time.Now()
	if out := p.commandOf(program, "user", "list"); !strings.Contains(out, "another portico serves this database already") {
		t.Errorf("beside a server of the older version a command prints %s", out)
	}
	t.Logf("FLT-12: a newer schema is refused with the way back; no migration runs under a server (%v)", time.Since(began).Round(time.Second))
	r.kill()
}

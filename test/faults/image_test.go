package faults

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// walHeader and walFrame are the sizes of the parts of an SQLite log: one
// header, then frames of a header and a page each.
const (
	walHeader = 32
	walFrame  = 24 + 4096
)

// wal is the log of a database at one moment. After SQLite has copied the whole
// log into the database, it writes from the start again with another salt.
type wal []byte

func (w wal) salt() string { return string(w[16:24]) }

// end returns the end of the frames with the current salt.
func (w wal) end() int {
	at := walHeader
	for at+walFrame <= len(w) && string(w[at+8:at+16]) == w.salt() {
		at += walFrame
	}
	return at
}

// shuffled returns the log as a power loss may leave it. Each frame between
// kept and the end is complete, missing or torn.
func (w wal) shuffled(kept int) wal {
	end := w.end()
	for at := kept; at < end; at += walFrame {
		switch rand.IntN(4) {
		case 0:
			clear(w[at : at+walFrame])
		case 1:
			clear(w[at+rand.IntN(walFrame) : at+walFrame])
		}
	}
	if end == len(w) && kept < end { // the log has never been longer
		return w[:kept+rand.IntN(end-kept+1)]
	}
	return w
}

func (p *place) wal() wal {
	p.Helper()
	log, err := os.ReadFile(p.databaseFile() + "-wal")
	if err != nil || len(log) < walHeader {
		p.Fatalf("there is no log (it goes when the server is stopped): %v", err)
	}
	return log
}

// powerLoss returns the installation as a power loss at this moment may leave
// it. Writes to the log since seen may be there in part. It returns nil if the
// database file was written meanwhile: those pages were safe in the log before.
func (p *place) powerLoss(seen wal, written time.Time) *place {
	p.Helper()
	db, err := os.ReadFile(p.databaseFile())
	if err != nil {
		p.Fatal(err)
	}
	log := p.wal()
	if seen.salt() != log.salt() || !p.written().Equal(written) {
		return nil
	}
	other := *p
	other.dir = p.TempDir()
	p.write(other.databaseFile(), db)
	p.write(other.databaseFile()+"-wal", log.shuffled(seen.end()))
	return &other
}

// written returns when the database file was last written.
func (p *place) written() time.Time {
	p.Helper()
	info, err := os.Stat(p.databaseFile())
	if err != nil {
		p.Fatal(err)
	}
	return info.ModTime()
}

func (p *place) write(file string, data []byte) {
	p.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		p.Fatal(err)
	}
}

// Images of a power loss under write load. Each opens, is sound, and has
// everything that was acknowledged when the log was last read. FLT-09 checks
// that nothing is acknowledged before it is on the disk: where fsync fails, no
// write is acknowledged.
func TestFLT04_PowerLoss(t *testing.T) {
	announce(t)
	t.Parallel()
	for range rounds(1, 20) { // a large database changes again before its copy is done
		powerLosses(t, 25)
	}
}

func powerLosses(t *testing.T, number int) {
	t.Helper()
	p := newPlace(t, newSink(t))
	r := p.serve()
	defer r.kill()
	known := []string{p.registered()}
	acked := &promises{sessions: map[string]string{}}
	images, cut, lost, promised := 0, 0, 0, 0
	p.underLoad(acked, known, func() {
		for images < number {
			var flows []string
			acked.note(func() { flows = append(flows, acked.flows...) })
			written, seen := p.written(), p.wal()
			time.Sleep(rand.N(40 * time.Millisecond)) // meanwhile more is written
			image := p.powerLoss(seen, written)
			if image == nil {
				continue
			}
			if image.wal().end() < p.wal().end() {
				cut++
			}
			there := image.flows()
			for _, flow := range flows {
				if !there[flow] {
					lost++
				}
			}
			image.sound()
			images, promised = images+1, promised+len(flows)
			_ = os.RemoveAll(image.dir)
		}
	})
	t.Logf("FLT-04: %d images of a power loss, the log of %d cut, each sound, %d of %d promises lost", images, cut, lost, promised)
	if lost > 0 {
		t.Errorf("%d acknowledged registrations are lost", lost)
	}
	if cut == 0 {
		t.Error("no image has lost an unacknowledged change, so the test proves nothing")
	}
}

// flows returns the ids of the flows in the database.
func (p *place) flows() map[string]bool {
	p.Helper()
	db, err := sql.Open("sqlite3", "file:"+p.databaseFile()+"?mode=ro")
	if err != nil {
		p.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT id FROM flow`)
	if err != nil {
		p.Fatal(err)
	}
	defer rows.Close()
	there := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			p.Fatal(err)
		}
		there[id] = true
	}
	if err := rows.Err(); err != nil {
		p.Fatal(err)
	}
	return there
}

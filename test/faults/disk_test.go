package faults

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"portico/internal/testform"
)

// outage is a time in which nothing can be stored.
type outage struct {
	*place
	r     *process
	acked []string // addresses with an acknowledged registration
}

// during keeps working while the disk fails. A write gets 503 with Retry-After,
// signed-in users stay so, and pages are served.
func (o *outage) during(me *browser, known string) {
	o.Helper()
	flow := o.browser().begin(fresh("before"))
	refused := 0
	for range rounds(8, 100) {
		b, address := o.browser(), fresh("during")
		for _, try := range []struct {
			operation string
			body      map[string]string
		}{
			{"signup", map[string]string{"email": address, "password": good, "confirm_password": good}},
			{"forgot-password", map[string]string{"email": known}},
			{"signin", map[string]string{"email": known, "password": good}},
			{"verify-code", map[string]string{"flow": flow, "code": "123456"}},
		} {
			a, err := b.post(try.operation, try.body)
			switch {
			case err != nil || a.status == 500:
				o.Errorf("%s: %v %d %s", try.operation, err, a.status, a.body)
			case a.status == 503 && a.header.Get("Retry-After") == "":
				o.Errorf("%s: 503 without Retry-After: %s", try.operation, a.body)
			case a.status == 503:
				refused++
			case a.status == 200 && try.operation == "signup":
				_, flow := a.next()
				o.acked = append(o.acked, flow)
			}
		}
		b.close()
		if !me.whoami() || o.ask(newNetwork()) != nil {
			o.Error("a session or a page does not work without the disk")
		}
	}
	if refused == 0 {
		o.Error("nothing was refused: the disk did not fail")
	}
	if o.failedWrites() == 0 {
		o.Error("the metrics do not count the writes that fail")
	}
	if !o.r.alive() {
		o.Fatalf("it ended:\n%s", o.r.log)
	}
	o.Logf("FLT-09: %d writes were refused with 503, %d acknowledged, the session and the pages went on", refused, len(o.acked))
}

var failedLine = regexp.MustCompile(`(?m)^portico_database_writes_failed_total (\d+)`)

func (o *outage) failedWrites() (n int) {
	o.Helper()
	resp, err := http.Get("http://" + o.ops + "/metrics")
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if found := failedLine.FindSubmatch(text); found != nil {
		_, _ = fmt.Sscan(string(found[1]), &n)
	}
	return n
}

// recovers fails unless everything works again without a restart, and all
// acknowledged writes survive a kill.
func (o *outage) recovers(known string) {
	o.Helper()
	if !eventually(testform.Patience, func() bool { return o.browser().begin(fresh("after")) != "" }) {
		o.Errorf("nothing can be stored after the disk works again:\n%s", o.r.log)
	}
	o.journey(known)
	o.r.kill()
	o.kept(known)
}

func (o *outage) kept(known string) {
	o.Helper()
	for _, flow := range o.acked {
		if o.count(`SELECT COUNT(*) FROM flow WHERE id = ?1`, flow) != 1 {
			o.Error("a registration that was acknowledged is lost")
		}
	}
	o.sound()
	o.serve()
	o.journey(known)
}

// No file can grow anymore.
func TestFLT09_FilesCannotGrow(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	o := &outage{place: p, r: p.serve()}
	known, me := p.registered(), p.browser()
	me.must("signin", map[string]string{"email": known, "password": good})
	if err := limitFiles(o.r.cmd.Process.Pid, 1); err != nil {
		t.Skip(err)
	}
	o.during(me, known)
	if status := o.health("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("while nothing can be stored, /readyz says %d", status)
	}
	if err := limitFiles(o.r.cmd.Process.Pid, unlimited); err != nil {
		t.Fatal(err)
	}
	if status := o.health("/readyz"); status != http.StatusOK {
		t.Errorf("before anybody writes again, /readyz says %d", status)
	}
	o.recovers(known)
}

// The file system is full.
func TestFLT09_DiskFull(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	if err := mountSmall(p.dir, 16<<20); err != nil {
		t.Skip("a small file system needs root: ", err)
	}
	t.Cleanup(func() { unmount(p.dir) })
	o := &outage{place: p, r: p.serve()}
	known, me := p.registered(), p.browser()
	me.must("signin", map[string]string{"email": known, "password": good})
	ballast := filepath.Join(p.dir, "ballast")
	fill(t, ballast)
	o.during(me, known)
	out := p.command("backup", filepath.Join(p.dir, "copy.db"))
	if left, _ := filepath.Glob(filepath.Join(p.dir, "*copy*")); !strings.Contains(out, "write the backup: ") || !strings.Contains(out, "make room on the disk") || len(left) > 0 {
		t.Errorf("a backup to a full disk says %s and leaves %v", out, left)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	o.recovers(known)
	o.readOnly()
}

// readOnly fails unless a server refuses to start on files that it cannot
// write.
func (o *outage) readOnly() {
	o.Helper()
	other := *o.place
	other.listen, other.ops = freePort(o.T), freePort(o.T)
	other.dir = o.TempDir()
	if err := mountSmall(other.dir, 16<<20); err != nil {
		o.Skip(err)
	}
	defer unmount(other.dir)
	if err := os.CopyFS(filepath.Join(other.dir), os.DirFS(o.copied().dir)); err != nil {
		o.Fatal(err)
	}
	_ = os.Chmod(filepath.Join(other.dir, "secret.key"), 0o600)
	if err := mountReadOnly(other.dir); err != nil {
		o.Skip(err)
	}
	if out := other.refuses(); !strings.Contains(out, "read-only file system") {
		o.Errorf("on a read-only file system it prints %s", out)
	}
}

// fill writes until the disk is full.
func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// The disk takes writes but cannot keep them: fsync fails. The disk may have
// kept some of them, so the process is restarted afterwards.
func TestFLT09_SyncFails(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Env = []string{killAt + "=0", failSyncsOn + "=1"}
	o := &outage{place: p, r: p.run(cmd)}
	known, me := p.registered(), p.browser()
	me.must("signin", map[string]string{"email": known, "password": good})
	if answer := o.r.signal(syscall.SIGUSR1); answer != "armed" {
		t.Skip("cannot make fsync fail here: ", answer)
	}
	o.during(me, known)
	if len(o.acked) > 0 {
		t.Errorf("%d registrations were acknowledged and not stored", len(o.acked))
	}
	o.r.kill()
	o.kept(known)
}

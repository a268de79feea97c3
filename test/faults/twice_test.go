package faults

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// FLT-22: of two processes on one file, or on one port, the second refuses and
// says why; the first does not notice. What a process leaves behind stops
// nobody.
func TestFLT22_TwoProcesses(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.serve()
	me := p.browser()
	me.register(fresh("me"))

	other := *p
	other.listen, other.ops = freePort(t), freePort(t)
	expect := func(what, out, want string) {
		t.Helper()
		if !strings.Contains(out, want) || strings.Contains(out, "panic") {
			t.Errorf("%s: it says\n%s\nwant %q", what, out, want)
		}
		if !me.whoami() {
			t.Errorf("%s: the first does not serve any more", what)
		}
	}
	expect("the same file", other.refuses(), "another portico serves this database already: stop it first")
	port := p.copied() // a copied folder is an installation of its own
	expect("the same port", port.refuses(), "address already in use")
	port.sound()

	// One that stands still holds the file all the same.
	if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	out := other.refuses()
	if err := r.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	expect("beside one that stands still", out, "another portico serves this database already")

	copied := p.copied()
	copied.listen, copied.ops = freePort(t), freePort(t)
	twin := copied.serve()
	copied.registered()
	twin.stop()
	copied.sound()

	r.kill()
	if _, err := os.Stat(p.databaseFile() + ".lock"); err != nil {
		t.Fatalf("there is no lock that could be stale: %v", err)
	}
	other.serve()
	p.sound()
	t.Log("FLT-22: the second on one file and on one port refuses, a stale lock and a copied folder do not matter")
}

package faults

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// Two processes use one file or one port. The second refuses with a reason, and
// the first continues. A lock file of a dead process blocks no start.
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
			t.Errorf("%s: the first process does not serve anymore", what)
		}
	}
	expect("the same file", other.refuses(), "another portico serves this database already: stop it first")
	port := p.copied() // a copied folder is another installation
	expect("the same port", port.refuses(), "(bind: address already in use): stop the program that uses it, or write another port")
	port.sound()

	// A stopped process still holds the file.
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

package faults

import (
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"portico/internal/testform"
)

// With few file descriptors the server accepts as many connections as it can.
// It works as before when descriptors are free again.
func TestFLT21_FewFiles(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.run(exec.Command("/bin/sh", "-c", "ulimit -n 128 && exec "+binary+" serve"))
	me := p.browser()
	me.register(fresh("me"))
	var conns []net.Conn
	hold := func(address string, n int) {
		t.Helper()
		for range n {
			c, err := newNetwork().Dial("tcp", address)
			if err != nil {
				t.Errorf("connection %d: %v", len(conns), err)
				return
			}
			_, _ = io.WriteString(c, "GET /auth/signin HTTP/1.1\r\n")
			conns = append(conns, c)
		}
	}
	hold(p.listen, 200)
	public := r.files()
	hold(p.ops, 100) // this listener has no limit, so it uses up the rest
	if !eventually(testform.Patience, func() bool { return r.files() >= 128 }) {
		t.Errorf("%d files are open: nothing is used up", r.files())
	}
	if !r.alive() {
		t.Fatalf("it ended:\n%s", r.log)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	if !eventually(10*time.Second, func() bool { return me.whoami() && p.ask(newNetwork()) == nil }) {
		t.Error("it does not serve when files are free again")
	}
	me.must("signin", map[string]string{"email": p.registered(), "password": good})
	t.Logf("FLT-21: of 128 files 200 connections took %d, all others were for the database; with 300 it lives and serves again", public)
}

// registered creates an account and returns its address.
func (p *place) registered() string {
	p.Helper()
	b, address := p.browser(), fresh("person")
	defer b.close()
	b.register(address)
	return address
}

// refuses runs a server that must not start, and returns its output.
func (p *place) refuses() string {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), binary, "serve")
	cmd.Dir, cmd.Env = p.dir, p.environ()
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 {
		p.Errorf("it ended with %v, want exit code 1:\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

package faults

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// FLT-21: with few files the server goes on accepting when they are used up,
// and is as before when they are free again.
func TestFLT21_FewFiles(t *testing.T) {
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
	hold(p.ops, 100) // is not bounded: this uses up the rest
	if !eventually(5*time.Second, func() bool { return r.files() >= 128 }) {
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

// registered makes an account and returns its address.
func (p *place) registered() string {
	p.Helper()
	b, address := p.browser(), fresh("person")
	defer b.close()
	b.register(address)
	return address
}

// FLT-21: many requests of every kind leave nothing behind.
func TestFLT21_NothingLeaks(t *testing.T) {
	measures(t)
	p := newPlace(t, newSink(t))
	r := p.serve()
	me := p.browser()
	address := p.registered()
	me.must("signin", map[string]string{"email": address, "password": good})
	var sent atomic.Int64
	load := func(n int) {
		t.Helper()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				b := p.browser()
				defer b.close()
				b.cookies = me.cookies
				for i := range n / 4 {
					method, target := "GET", []string{"/auth/api/session", "/auth/signin", "/auth/account", "/auth/verify-code?flow=none", "/nowhere", "/auth/api/sessions"}[i%6]
					var body map[string]string
					if i%50 == 0 {
						method, target, body = "POST", "/auth/api/verify-code", map[string]string{"flow": "none", "code": "123456"}
					}
					if _, err := b.do(method, target, body); err != nil {
						t.Error(err)
						return
					}
					sent.Add(1)
				}
			})
		}
		group.Wait()
		r.settled()
	}
	all := rounds(6_000, 1_000_000)
	load(all / 3)
	before, _ := r.rss()
	files, goroutines := r.files(), p.goroutines()
	load(all - all/3)
	after, _ := r.rss()
	t.Logf("FLT-21: after %d and %d requests: RSS %d and %d MiB, files %d and %d, goroutines %d and %d",
		all/3, sent.Load(), before, after, files, r.files(), goroutines, p.goroutines())
	if after > before+rounds(64, 16) || r.files() > files+4 || p.goroutines() > goroutines+4 {
		t.Error("something is left behind")
	}
}

var goroutineLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

// goroutines returns how many the server has.
func (p *place) goroutines() int {
	p.Helper()
	resp, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	found := goroutineLine.FindSubmatch(text)
	if found == nil {
		p.Fatal("the metrics do not count goroutines")
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// refuses runs a server that must not start, and returns what it says.
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

package faults

import (
	"context"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/logtest"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// A node starts before its database. It waits, is live and is not ready.
func TestFLT05_DatabaseAwayAtStart(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		mode pgtest.Mode
	}{{"refusing", pgtest.Refusing}, {"hanging", pgtest.Hanging}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newOnPostgres(t, 4)
			p.proxy.Be(c.mode)
			waiting, give := context.WithCancel(t.Context())
			defer give()
			outage := time.Duration(rounds(2500, 20_000)) * time.Millisecond
			tried := make(chan int, 1)
			go func() {
				p.livesUnready(waiting)
				time.Sleep(outage)
				tried <- p.proxy.Begun()
				p.proxy.Be(pgtest.Passing)
			}()
			r := p.serve()
			for _, line := range []string{"the database does not answer: waiting for it", "the database answers", `"serving"`} {
				logged := func() bool { return strings.Count(r.log.String(), line) == 1 } // it is read beside the test
				if !eventually(testform.Patience, logged) {
					t.Errorf("%q is not logged once:\n%s", line, r.log)
				}
			}
			n := <-tried
			if most := int(r.start/time.Second) + 2; n > most {
				t.Errorf("%d connections in %v", n, r.start)
			}
			p.browser().register(fresh("boot"))
			t.Logf("FLT-05: %s at the start for %v: %d connections begun, ready %v after the start", c.name, outage, n, r.start)
		})
	}
}

// livesUnready waits until the operations listener answers live and not ready.
func (p *onPostgres) livesUnready(ctx context.Context) bool {
	for ctx.Err() == nil {
		if p.health("/livez") == http.StatusOK && p.health("/readyz") == http.StatusServiceUnavailable {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// begin starts a server without waiting until it is ready.
func (p *onPostgres) begin(extra ...string) (cmd *exec.Cmd, log *logtest.Buffer, ended chan error) {
	p.Helper()
	cmd, log, ended = exec.Command(binary, "serve"), &logtest.Buffer{}, make(chan error, 1)
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, append(p.environ(), extra...), log
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Process.Kill() })
	go func() { ended <- cmd.Wait() }()
	return cmd, log, ended
}

// A waiting node that is told to stop stops at once. An error that waiting
// cannot fix is reported at once.
func TestFLT05_NoWaitForNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	soon := testform.Limit(2 * time.Second)
	p := newOnPostgres(t, 4)
	p.proxy.Be(pgtest.Hanging)
	cmd, log, ended := p.begin()
	waiting, give := context.WithTimeout(t.Context(), testform.Patience)
	defer give()
	if !p.livesUnready(waiting) {
		t.Fatalf("it does not wait:\n%s", log)
	}
	began := time.Now()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil || time.Since(began) > soon {
		t.Errorf("SIGTERM while it waits: %v after %v\n%s", err, time.Since(began), log)
	}
	p.proxy.Be(pgtest.Passing)
	other := strings.Replace(p.proxy.URL(), "/test_", "/nobody_", 1)
	if other == p.proxy.URL() {
		t.Fatalf("the name of the database is not in %s", other)
	}
	_, log, ended = p.begin("PORTICO_DATABASE_URL=" + other)
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(log.String(), "does not exist") {
			t.Errorf("a database that does not exist: %v\n%s", err, log)
		}
	case <-time.After(testform.Patience):
		t.Errorf("it waits for a database that does not exist:\n%s", log)
	}
}

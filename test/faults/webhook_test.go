package faults

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/signature"
	"portico/internal/testform"
)

// eventReceiver is the server of a webhook. While it is held, it answers nothing.
type eventReceiver struct {
	*httptest.Server
	mu   sync.Mutex
	hold chan struct{}
	came []string // user and id of each request, also of those without an answer
	more chan struct{}
}

func newEventReceiver(t *testing.T) *eventReceiver {
	t.Helper()
	e := &eventReceiver{more: make(chan struct{}, 1000)}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() { e.answers(true); e.Close() })
	return e
}

func (e *eventReceiver) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body struct{ Data struct{ User string } }
	_ = json.NewDecoder(r.Body).Decode(&body)
	e.mu.Lock()
	e.came = append(e.came, body.Data.User+" "+r.Header.Get(signature.HeaderID))
	hold := e.hold
	e.mu.Unlock()
	e.more <- struct{}{}
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}
}

func (e *eventReceiver) answers(yes bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hold != nil {
		close(e.hold)
	}
	if e.hold = make(chan struct{}); yes {
		e.hold = nil
	}
}

// of returns the ids that came for a user, each once where it came again before another one.
func (e *eventReceiver) of(user string) (ids []string, requests int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, each := range e.came {
		if id, ok := strings.CutPrefix(each, user+" "); ok {
			ids = append(ids, id)
		}
	}
	requests = len(ids)
	return slices.Compact(ids), requests
}

// kill -9 in the middle of a delivery, and between changes and their deliveries. Each event arrives with one id, and
// those of a user in the order of the changes.
func TestFLT24_KillAroundAWebhook(t *testing.T) {
	announce(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, newSink(t))
		p.killAroundAWebhook(p.statement)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		p := newOnPostgres(t, 8)
		p.killAroundAWebhook(func(statement string) { p.exec(p.connect(), statement) })
	})
}

// statement runs a statement on the file.
func (p *place) statement(text string) {
	p.Helper()
	db, err := sql.Open("sqlite3", "file:"+p.databaseFile()+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.Exec(text)
		_ = db.Close()
	}
	if err != nil {
		p.Fatal(err)
	}
}

// killAroundAWebhook uses exec only to let time pass for the claims of a process that is dead.
func (p *place) killAroundAWebhook(exec func(statement string)) {
	p.Helper()
	e := newEventReceiver(p.T)
	file := filepath.Join(p.dir, "portico.toml")
	text := fmt.Sprintf("[[webhook]]\nname = \"shop\"\nurl = %q\nsecret = %q\nprivate = true\n", e.URL, signature.NewKey())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	p.extra = append(p.extra, "PORTICO_CONFIG="+file)
	p.command("migrate")
	kills := rounds(2, 20)
	address, user := fresh("hooked"), ""
	changes := 0
	change := func(args ...string) { // one that fails, as on a database that is too busy, has no event
		out, err := p.attempt(binary, append([]string{"user"}, args...)...)
		if err == nil {
			changes++
			return
		}
		p.Logf("user %s: %v\n%s", args[0], err, out)
	}
	for n := range kills {
		e.answers(false)
		r := p.serve()
		if n == 0 {
			change("create", address)
		}
		for role := range 3 {
			change("set-roles", address, fmt.Sprintf("r%d", 3*n+role))
		}
		select { // the oldest event is with the receiver, and the others wait
		case <-e.more:
		case <-time.After(testform.Patience):
			p.Fatalf("no event came:\n%s\n%s", p.command("webhook", "log", "shop"), r.log)
		}
		r.kill()
		exec(`UPDATE webhook_delivery SET due_at = 1 WHERE state = 'waiting'`) // the lease of the dead process has ended
	}
	e.answers(true)
	p.serve()
	var log []struct{ ID, State, User string }
	if !eventually(testform.Patience, func() bool {
		log = nil
		out := p.command("webhook", "log", "shop", "--json", "--limit", "1000")
		err := json.Unmarshal([]byte(out), &log)
		return err == nil && len(log) == changes && !slices.ContainsFunc(log, func(d struct{ ID, State, User string }) bool { return d.State != "delivered" })
	}) {
		p.Fatalf("of %d events, not everything was delivered: %+v", changes, log)
	}
	var want []string
	for _, d := range slices.Backward(log) {
		want, user = append(want, d.ID), d.User
	}
	got, requests := e.of(user)
	if !slices.Equal(got, want) {
		p.Errorf("the events came as\n%q, want\n%q", got, want)
	}
	if requests <= len(want) {
		p.Errorf("%d requests: none was killed in the middle", requests)
	}
	p.Logf("FLT-24: %d kills, %d events of a user in %d requests, each with one id and in order", kills, len(want), requests)
}

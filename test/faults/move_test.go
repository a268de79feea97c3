package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// move runs `portico move` to its end and returns its output.
func (p *place) move(to string) string {
	p.Helper()
	cmd := exec.Command(binary, "move", "--to", to)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// at returns the same installation on another database.
func (p *place) at(url string) *place {
	other := *p
	other.extra = append([]string{"PORTICO_DATABASE_URL=" + url}, p.extra...)
	return &other
}

// home returns the error that keeps a database from being served.
func home(t *testing.T, url string) error {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.CheckHome(t.Context())
}

func countPostgres(t *testing.T, url, query string, args ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Plain(url))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// The target has the schema of the version before: the move migrates it first.
func TestMove_OlderTarget(t *testing.T) {
	announce(t)
	t.Parallel()
	to := pgtest.Migrated(t)
	p := newPlace(t, newSink(t))
	known, _ := p.used()
	program := nextVersion(t)
	p.commandOf(program, "migrate")
	if out := p.commandOf(program, "move", "--to", to); !strings.Contains(out, "moved") {
		t.Fatal(out)
	}
	if n := countPostgres(t, to, `SELECT MAX(version_id) FROM schema_version`); n != expanded {
		t.Errorf("the schema of the target is %d, want %d", n, expanded)
	}
	n := p.at(to)
	n.serveAs(program)
	n.journey(known)
}

// A server under load moves to PostgreSQL. No acknowledged change is lost, no
// user is signed out and no email comes twice. Reads never wait, and at most
// one database is served at a time.
func TestMove_UnderLoad(t *testing.T) {
	announce(t)
	t.Parallel()
	to := pgtest.Empty(t)
	mail := newSink(t)
	p := newPlace(t, mail)
	r := p.serve()
	acked := &promises{sessions: map[string]string{}}
	visitor, known := p.browser(), []string{fresh("known"), fresh("known")}
	for _, address := range known {
		visitor.register(address)
	}
	var slowest time.Duration
	var asks sync.WaitGroup
	said := ""
	p.underLoad(acked, known, func() {
		for before := acked.count(); acked.count() < before+5; {
			time.Sleep(time.Millisecond)
		}
		asks.Go(func() {
			for r.alive() {
				began := time.Now()
				if a, err := visitor.do("GET", "/auth/api/session", nil); err == nil && a.status != 200 {
					t.Errorf("a session gets %d %s", a.status, a.body)
				}
				slowest = max(slowest, time.Since(began))
				time.Sleep(5 * time.Millisecond)
			}
		})
		said = p.move(to)
		if !eventually(testform.Patience, func() bool { return !r.alive() }) {
			t.Error("the server continues on the SQLite database")
		}
	})
	asks.Wait()
	if text := r.log.String(); !strings.Contains(text, "set PORTICO_DATABASE_URL") {
		t.Errorf("the server does not say what to do:\n%s", text)
	}
	p.refusesToServe()
	n := p.at(to)
	n.serve()
	lost := acked.lost(n, func(query string, args ...any) int { return countPostgres(t, to, query, args...) })
	n.browser().register(fresh("after"))
	if lost > 0 {
		t.Errorf("%d acknowledged changes are lost", lost)
	}
	most, which := mail.repeats()
	if most > 1 {
		t.Errorf("an email came %d times: %s", most, which)
	}
	_, refused, _ := strings.Cut(said, "writes were refused for ")
	refused, _, _ = strings.Cut(refused, "\n")
	t.Logf("moved under load; acknowledged: %d accounts, %d registrations, %d sessions, %d sign-outs, lost %d; writes refused for %s, slowest session check %v; %d emails, none more than %d times",
		len(acked.accounts), len(acked.flows), len(acked.sessions), len(acked.ended), lost, refused, slowest, len(mail.all()), most)
}

func (p *place) refusesToServe() {
	p.Helper()
	cmd := exec.Command(binary, "serve")
	cmd.Dir, cmd.Env = p.dir, p.environ()
	out, err := cmd.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); !ended || !strings.Contains(string(out), "set PORTICO_DATABASE_URL") {
		p.Errorf("serve on what was left: %v\n%s", err, out)
	}
}

// killedMoving runs `portico move`, which kills itself at an event of the
// SQLite database (0: never). It returns the number of events until SQLite was
// given up and PostgreSQL had taken over.
func (p *place) killedMoving(to string, event int) (events int) {
	p.Helper()
	cmd := exec.Command(os.Args[0], "move", "--to", to)
	cmd.Dir, cmd.Env = p.dir, append(p.environ(), fmt.Sprintf("%s=%d", killAt, event), killFromStart+"=1")
	out, err := cmd.CombinedOutput()
	if event == 0 {
		at := strings.LastIndex(string(out), "events ")
		if _, scan := fmt.Sscanf(string(out[max(at, 0):]), "events %d", &events); err != nil || scan != nil {
			p.Fatalf("%v\n%s", err, out)
		}
	}
	// After the switch each table is counted: one statement, two events.
	return events - 2*len(regexp.MustCompile(`(?m)^\w+\t\d+$`).FindAll(out, -1))
}

// A move that is killed at any statement leaves at most one database that can
// be served. The next move completes it.
func TestMove_Killed(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	p.populate(50)
	events := p.copied().killedMoving(pgtest.Empty(t), 0)
	completed := 0
	for n := range min(rounds(12, events), events) {
		// The last four events are around the switch. The others are spread
		// over the whole move.
		event := events + 4 - n
		if n > 7 {
			event = events * (n - 7) / (rounds(12, events) - 7)
		}
		q, to := p.copied(), pgtest.Empty(t)
		source := "sqlite:" + q.databaseFile()
		q.killedMoving(to, max(event, 1))
		there := countPostgres(t, to, `SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'move'`) > 0
		if home(t, source) == nil && there && home(t, to) == nil && countPostgres(t, to, `SELECT COUNT(*) FROM account`) > 0 {
			t.Errorf("killed at event %d of %d: both can be served", event, events)
		}
		if errors.Is(home(t, source), store.ErrMoved) && home(t, to) == nil {
			continue // the move was complete
		}
		if strings.Contains(q.move(to), "completed") {
			completed++
		}
		if err := home(t, to); err != nil {
			t.Errorf("killed at event %d of %d, moved again: %v", event, events, err)
		}
		if n := countPostgres(t, to, `SELECT COUNT(*) FROM session`); n != 51 {
			t.Errorf("killed at event %d of %d: %d sessions, want 51", event, events, n)
		}
	}
	if completed == 0 {
		t.Error("no kill was between the last two commits")
	}
	t.Logf("killed at %d of %d statements of a move, %d of them between the last two commits: one database can be served, and the next move ends it", min(rounds(12, events), events), events, completed)
}

// The mail server has taken an email and has not answered yet when a move
// begins. The move waits for the answer, because the new database knows nothing
// of it.
func TestMove_MailUnderWay(t *testing.T) {
	announce(t)
	t.Parallel()
	to := pgtest.Empty(t)
	mail := newSink(t)
	p := newPlace(t, mail)
	p.serve()
	mail.be(holdAfter)
	b := p.browser()
	if b.begin(fresh("held")) == "" {
		t.Fatal("it cannot register")
	}
	held := <-mail.parked
	moved := make(chan string, 1)
	go func() { moved <- p.move(to) }()
	if !eventually(testform.Patience, func() bool { return p.count(`SELECT COUNT(*) FROM move`) == 1 }) {
		t.Fatal("the move does not begin to wait")
	}
	select {
	case <-moved:
		t.Error("it did not wait")
	case <-time.After(300 * time.Millisecond):
	}
	close(held.release)
	<-moved
	if n := countPostgres(t, to, `SELECT COUNT(*) FROM outbox`); n != 0 {
		t.Errorf("%d emails would be sent again", n)
	}
}

// It measures the move of a large installation while users register. Writes can
// wait for the switch at any size.
func TestMove_Large(t *testing.T) {
	announce(t)
	if !full() {
		t.Skip("in the full form only")
	}
	for _, people := range []int{100_000, 1_000_000} {
		t.Run(fmt.Sprint(people), func(t *testing.T) { moveLarge(t, people) })
	}
}

func moveLarge(t *testing.T, people int) {
	p, to := newPlace(t, newSink(t)), pgtest.Empty(t)
	p.populate(people)
	r := p.serve()
	var flows []string
	var slowest time.Duration
	var writes sync.WaitGroup
	writes.Go(func() {
		for r.alive() {
			began := time.Now()
			b := p.browser()
			if flow := b.begin(fresh("light")); flow != "" {
				flows, slowest = append(flows, flow), max(slowest, time.Since(began))
			}
			b.close()
			time.Sleep(50 * time.Millisecond)
		}
	})
	began := time.Now()
	said := p.move(to)
	took := time.Since(began).Round(time.Second)
	if !eventually(testform.Patience, func() bool { return !r.alive() }) {
		t.Error("the server continues on the SQLite database")
	}
	writes.Wait()
	lost := 0
	for _, flow := range flows {
		lost += 1 - countPostgres(t, to, `SELECT COUNT(*) FROM flow WHERE id = $1`, flow)
	}
	if n := countPostgres(t, to, `SELECT COUNT(*) FROM account`); n != people+1 || lost > 0 {
		t.Errorf("%d accounts, want %d; %d of %d registrations are lost", n, people+1, lost, len(flows))
	}
	_, words, _ := strings.Cut(said, "writes were refused for ")
	words, _, _ = strings.Cut(words, "\n")
	if refused, err := time.ParseDuration(words); err != nil || refused > testform.Limit(5*time.Second) {
		t.Errorf("writes were refused for %s (%v), want less than they wait", words, err)
	}
	t.Logf("%d accounts, as many sessions and two records for each, moved in %v while %d people began to register, the slowest in %v; writes were refused for %s",
		people, took, len(flows), slowest, words)
}

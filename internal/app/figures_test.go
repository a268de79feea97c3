package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/telemetry/metric"
)

// scraped maps each sample of one scrape, with its labels, to its value.
type scraped map[string]float64

func (r *running) scrape(t testing.TB) scraped {
	t.Helper()
	status, text := r.get(r.ops + "/metrics")
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	samples := scraped{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := samples[line[:at]]; twice {
			t.Errorf("%s is there twice", line[:at])
		}
		samples[line[:at]] = v
	}
	return samples
}

// expect compares the growth since before with want. All other counters of
// flows, sign-ins and refusals must be unchanged.
func (s scraped) expect(t *testing.T, before scraped, want map[string]float64) {
	t.Helper()
	for name, n := range want {
		if got := s[name] - before[name]; got != n {
			t.Errorf("%s has grown by %v, want %v", name, got, n)
		}
	}
	still := regexp.MustCompile(`^portico_(flow_steps|signins|signups|throttle_refusals|outbox_\w+|hashing_shed)_total`)
	for name, v := range s {
		if _, listed := want[name]; !listed && still.MatchString(name) && v != before[name] {
			t.Errorf("%s has grown by %v, want 0", name, v-before[name])
		}
	}
}

// person is a visitor with a browser.
type person struct {
	*testing.T
	*running
	client *http.Client
}

func (r *running) person(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, r, &http.Client{Transport: r.client.Transport, Jar: jar}}
}

// call sends a request to the API and returns the status and the body.
func (b *person) call(method, path, body string) (int, string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, b.public+"/auth/api/"+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Origin", b.public)
	request.Header.Set("Content-Type", "application/json")
	answer, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text := make([]byte, 4096)
	n, _ := answer.Body.Read(text)
	return answer.StatusCode, string(text[:n])
}

func (b *person) must(want int, method, path, body string) string {
	b.Helper()
	status, text := b.call(method, path, body)
	if status != want {
		b.Fatalf("%s %s answers %d %s, want %d", method, path, status, text, want)
	}
	return text
}

// started returns an App that serves, and a channel with its emails.
func started(t *testing.T, log *slog.Logger, change func(*config.Config)) (*running, <-chan outbox.Message) {
	t.Helper()
	mails := make(chan outbox.Message, 16)
	options := Options{Dist: dist(), Log: log, Deliver: func(_ context.Context, m outbox.Message) error {
		mails <- m
		return nil
	}}
	cfg := settings(t, t.TempDir())
	if change != nil {
		change(&cfg)
	}
	a := open(t, cfg, options)
	r := run(t, a)
	r.quit = sync.OnceFunc(func() {
		r.stop()
		if err := <-r.stopped; err != nil {
			t.Error(err)
		}
		a.end(t)
	})
	t.Cleanup(r.quit)
	return r, mails
}

var flowOf = regexp.MustCompile(`flow=([0-9a-z]+)`)

// signUp registers an address with the password good.
func (b *person) signUp(mails <-chan outbox.Message, address string) {
	b.Helper()
	next := b.must(200, "POST", "signup", `{"email":"`+address+`","password":"`+good+`","confirm_password":"`+good+`"}`)
	flow := flowOf.FindStringSubmatch(next)[1]
	b.must(200, "POST", "verify-code", `{"flow":"`+flow+`","code":"`+(<-mails).Data["code"]+`"}`)
}

// Each step of a journey is counted, and nothing else is.
func TestMetrics_CountAJourney(t *testing.T) {
	t.Parallel()
	r, mails := started(t, nil, nil)
	const step, request = "portico_flow_steps_total", "portico_http_requests_total"
	before := r.scrape(t)

	b := r.person(t)
	b.signUp(mails, "ada@example.org")
	r.sent(t, 1)
	after := r.scrape(t)
	after.expect(t, before, map[string]float64{
		step + `{flow="signup",outcome="done",step="signup"}`:                                 1,
		step + `{flow="signup",outcome="done",step="verify-code"}`:                            1,
		`portico_signups_total{method="mail"}`:                                                1,
		`portico_signins_total{method="mail"}`:                                                1,
		`portico_outbox_sent_total`:                                                           1,
		`portico_hashing_duration_seconds_count`:                                              2, // one guess-resistance check and one hash
		request + `{method="POST",route="/auth/api/signup",status="2xx"}`:                     1,
		request + `{method="POST",route="/auth/api/verify-code",status="2xx"}`:                1,
		`portico_http_request_duration_seconds_count{method="POST",route="/auth/api/signup"}`: 1,
	})

	// The first check reads the database, the others the cache.
	before = after
	for range 4 {
		b.must(200, "GET", "session", "")
	}
	after = r.scrape(t)
	after.expect(t, before, map[string]float64{
		`portico_session_cache_misses_total`:                              1,
		`portico_session_cache_hits_total`:                                3,
		`portico_session_cache_sessions`:                                  1,
		request + `{method="GET",route="/auth/api/session",status="2xx"}`: 4,
	})

	// The last wrong password causes an email to the owner, and the next
	// request is refused.
	before = after
	stranger := r.person(t)
	wrong := `{"email":"ada@example.org","password":"seven hills under a paper lantern"}`
	for range 5 {
		stranger.must(401, "POST", "signin", wrong)
	}
	stranger.must(429, "POST", "signin", wrong)
	<-mails
	r.sent(t, 2)
	after = r.scrape(t)
	after.expect(t, before, map[string]float64{
		step + `{flow="signin",outcome="unauthenticated",step="signin"}`:  5,
		step + `{flow="signin",outcome="limited",step="signin"}`:          1,
		`portico_throttle_refusals_total{limit="password"}`:               1,
		`portico_outbox_sent_total`:                                       1,
		`portico_hashing_duration_seconds_count`:                          5,
		request + `{method="POST",route="/auth/api/signin",status="4xx"}`: 6,
	})

	// The browser of the owner is known and not limited.
	before = after
	b.must(200, "POST", "signin", `{"email":"ada@example.org","password":"`+good+`"}`)
	b.must(422, "POST", "verify-code", `{"flow":"x","code":"no"}`)
	r.get(r.public + "/somewhere/else?password=canary")
	after = r.scrape(t)
	after.expect(t, before, map[string]float64{
		step + `{flow="signin",outcome="done",step="signin"}`:          1,
		step + `{flow="unknown",outcome="invalid",step="verify-code"}`: 1,
		`portico_signins_total{method="password"}`:                     1,
		request + `{method="GET",route="none",status="4xx"}`:           1,
	})
	pool := `portico_database_connections{pool="all",state="idle"}`
	if onSQLite(r.Config) {
		pool = `portico_database_connections{pool="write",state="in_use"}`
	}
	if after[pool] < 1 {
		t.Errorf("%s is %v", pool, after[pool])
	}
	for name, want := range map[string]float64{
		"portico_database_up": 1, `portico_outbox_waiting{lane="awaited"}`: 0, `portico_outbox_dead{lane="mail"}`: 0, `portico_outbox_oldest_age_seconds{lane="logouts"}`: 0,
		"portico_hashing_slots_in_use": 0,
	} {
		if got, ok := after[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if after["portico_database_commit_duration_seconds_count"] == 0 || after["process_resident_memory_bytes"] == 0 || after["go_goroutines"] == 0 {
		t.Error("the figures of the database, the process or Go are missing")
	}
}

// sent waits until n emails have left the outbox.
func (r *running) sent(t *testing.T, n uint64) {
	t.Helper()
	for after := r.scrape(t); after["portico_outbox_sent_total"] < float64(n) || after[`portico_outbox_waiting{lane="awaited"}`]+after[`portico_outbox_waiting{lane="mail"}`] > 0; after = r.scrape(t) {
		if t.Context().Err() != nil {
			t.Fatal("the emails are not sent")
		}
	}
}

// If the database does not answer, the metrics say so and remain available.
func TestMetrics_DatabaseGone(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist()})
	r := run(t, a)
	if err := a.Store.Close(); err != nil {
		t.Fatal(err)
	}
	s := r.scrape(t)
	if up, ok := s["portico_database_up"]; !ok || up != 0 {
		t.Errorf("portico_database_up is %v", up)
	}
	if _, ok := s[`portico_outbox_waiting{lane="mail"}`]; ok {
		t.Error("the outbox looks empty although the database is down")
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
}

// The age of the oldest email counts from the step that caused it.
func TestFigures_OldestMail(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist(), Clock: now})
	defer a.end(t)
	a.mount(t)
	awaited := func() metric.Queue { return a.figures(t.Context()).Queues[outbox.Awaited] }
	if q := awaited(); q != (metric.Queue{Lane: "awaited"}) {
		t.Errorf("an empty outbox is %+v", q)
	}
	for _, address := range []string{"a@example.org", "b@example.org"} {
		if _, err := a.Flows.Recover(t.Context(), flow.Caller{Peer: "192.0.2.1", Locale: "en"}, address, flow.Target{}); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Minute)
	}
	if q := awaited(); q != (metric.Queue{Lane: "awaited", Waiting: 2, Oldest: 2 * time.Minute}) {
		t.Errorf("the outbox is %+v, want two emails, the oldest of which is two minutes old", q)
	}
}

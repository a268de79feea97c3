package webhook_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/signature"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/testform"
	"portico/internal/webhook"
)

// receiver is a server over TLS that keeps what it gets.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []string // id, user and type
	came   chan struct{}
	answer func(w http.ResponseWriter, r *http.Request)
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	var p webhook.Payload
	_ = json.Unmarshal(body, &p)
	r.mu.Lock()
	r.got = append(r.got, q.Header.Get(signature.HeaderID)+" "+p.Data.User+" "+p.Type)
	answer := r.answer
	r.mu.Unlock()
	defer func() { r.came <- struct{}{} }()
	if answer != nil {
		answer(w, q)
	}
}

func (r *receiver) answers(fn func(w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func (r *receiver) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// bundle is a runner on a real database, with real receivers and a clock of the test.
type bundle struct {
	*testing.T
	store  *store.Store
	clock  *clock.Manual
	queue  *webhook.Queue
	runner *webhook.Runner
	hooks  []webhook.Hook

	claims  map[string]int // by webhook
	waiting int            // for w0, unless it is 0
	looked  atomic.Int64   // webhooks whose events were counted
}

// watched is a transaction of the runner.
type watched struct {
	webhook.Store
	b *bundle
}

func (w watched) ClaimDeliveries(ctx context.Context, name string, now, until time.Time, limit int) ([]webhook.Delivery, error) {
	w.b.claims[name]++
	return w.Store.ClaimDeliveries(ctx, name, now, until, limit)
}

func (w watched) CountDeliveries(ctx context.Context, name string, most int) (webhook.Counts, error) {
	defer w.b.looked.Add(1)
	if name == "w0" && w.b.waiting > 0 {
		return webhook.Counts{Waiting: w.b.waiting}, nil
	}
	return w.Store.CountDeliveries(ctx, name, most)
}

func (b *bundle) receiver() *receiver {
	r := &receiver{came: make(chan struct{}, 1000)}
	r.Server = httptest.NewTLSServer(r)
	r.Config.ErrorLog = nil
	b.Cleanup(r.Close)
	return r
}

// setup makes a webhook for each address, w0, w1 and so on.
func setup(t *testing.T, roots *x509.CertPool, addresses ...string) *bundle {
	t.Helper()
	b := &bundle{T: t, store: sqlitetest.Open(t), claims: map[string]int{}, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	key, err := signature.ParseKey(signature.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	var allowed []string
	for n, address := range addresses {
		b.hooks = append(b.hooks, webhook.Hook{Name: fmt.Sprint("w", n), URL: address, Events: []string{webhook.Every}, Keys: []signature.Key{key}})
		if at := strings.Index(address, "#private"); at > 0 {
			b.hooks[n].URL = address[:at]
			allowed = append(allowed, address[:at])
		}
	}
	client, err := egress.New(egress.Config{Allow: allowed, Roots: roots, Timeout: webhook.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	log := slog.New(slog.DiscardHandler)
	sender := webhook.Sender{Client: client, Clock: b.clock, Account: func(context.Context, string, string) (any, error) { return nil, nil }}
	b.runner = webhook.NewRunner(webhook.RunnerConfig{
		Clock: b.clock, Log: log, Hooks: func() []webhook.Hook { return b.hooks }, Write: b.write, Read: b.read, Send: sender.Send,
	})
	b.queue = webhook.NewQueue(b.hooks, b.clock, b.runner)
	return b
}

func (b *bundle) write(ctx context.Context, fn func(webhook.Store) error) error {
	return b.store.Write(ctx, func(tx *store.Tx) error { return fn(watched{tx, b}) })
}

func (b *bundle) read(ctx context.Context, fn func(webhook.Store) error) error {
	return b.store.Read(ctx, func(tx *store.Tx) error { return fn(watched{tx, b}) })
}

// start runs the runner until the end of the test, or until stop.
func (b *bundle) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { b.runner.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	b.Cleanup(stop)
	return stop
}

func (b *bundle) event(user, kind string) {
	b.clock.Advance(time.Millisecond) // so that the log has their order
	b.Helper()
	err := b.store.Write(b.Context(), func(tx *store.Tx) error {
		return b.queue.Add(b.Context(), tx, webhook.Event{AccountID: user, Type: kind, Change: kind, Actor: "self"})
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) deliveries(hook string) (all []webhook.Delivery) {
	b.Helper()
	if err := b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.Deliveries(b.Context(), hook, "", 100)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// until waits until a condition of the deliveries of a webhook holds, and returns them.
func (b *bundle) until(hook, what string, holds func([]webhook.Delivery) bool) (all []webhook.Delivery) {
	b.Helper()
	if !b.soon(func() bool { all = b.deliveries(hook); return holds(all) }) {
		b.Fatalf("not %s: %+v", what, all)
	}
	return all
}

// counted waits for the counters of w0, which follow the rows.
func (b *bundle) counted(holds func(webhook.Totals) bool) {
	b.Helper()
	if !b.soon(func() bool { return holds(b.runner.Totals()["w0"]) }) {
		b.Fatalf("%+v", b.runner.Totals())
	}
}

// soon reports whether a condition begins to hold.
func (b *bundle) soon(holds func() bool) bool {
	for deadline := time.Now().Add(testform.Patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func states(all []webhook.Delivery) (list []webhook.State) {
	for _, d := range all {
		list = append(list, d.State)
	}
	return list
}

func ended(all []webhook.Delivery) bool {
	return !slices.ContainsFunc(all, func(d webhook.Delivery) bool { return d.EndedAt.IsZero() })
}

func tried(n int64) func([]webhook.Delivery) bool {
	return func(all []webhook.Delivery) bool { return all[0].Failures == n }
}

func roots(servers ...*httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AddCert(s.Certificate())
	}
	return pool
}

// The events of a person arrive in order, each with one id, although the receiver fails at first.
func TestRunner_InOrderWithTheSameID(t *testing.T) {
	t.Parallel()
	r := (&bundle{T: t}).receiver()
	b := setup(t, roots(r.Server), r.URL+"#private")
	failing := true
	r.answers(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if failing {
			http.Error(w, "not now "+strings.Repeat("x", 5000), http.StatusInternalServerError)
		}
	})
	for _, kind := range []string{"one", "two", "three"} {
		b.event("mara", kind)
	}
	b.start()
	all := b.until("w0", "failed once", tried(1))
	if !slices.Equal(states(all), []webhook.State{webhook.Waiting, webhook.Held, webhook.Held}) || all[0].Status != 500 || len(all[0].Answer) != webhook.AnswerKept {
		t.Fatalf("after a failure: %+v", all)
	}
	b.event("noor", "other") // does not wait for mara
	b.until("w0", "tried", func(all []webhook.Delivery) bool { return len(all) == 4 && all[3].Failures == 1 })
	r.mu.Lock()
	failing = false
	r.mu.Unlock()
	b.clock.Advance(time.Minute)
	b.runner.Wake("w0")
	all = b.until("w0", "delivered", ended)
	var order []string
	for _, got := range r.all() {
		if strings.Contains(got, " mara ") {
			order = append(order, got)
		}
	}
	want := []string{all[0].ID + " mara one", all[0].ID + " mara one", all[1].ID + " mara two", all[2].ID + " mara three"}
	if !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
	b.counted(func(t webhook.Totals) bool { return t.Delivered == 4 && t.Failed == 2 })
}

// After three days an event is dropped, and the next one of the person gets its turn. A retry keeps the id.
func TestRunner_DropsAfterThreeDays(t *testing.T) {
	t.Parallel()
	r := (&bundle{T: t}).receiver()
	b := setup(t, roots(r.Server), r.URL+"#private")
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	b.event("mara", "one")
	b.start()
	for n := int64(1); b.until("w0", "tried", tried(n))[0].State != webhook.Dropped; n++ {
		due := b.deliveries("w0")[0].DueAt
		if n > 40 || due.After(b.deliveries("w0")[0].Until) {
			t.Fatalf("after %d failures it is due at %v", n, due)
		}
		b.clock.Advance(due.Sub(b.clock.Now()))
		b.runner.Wake("w0")
	}
	if n := len(r.all()); n < 12 {
		t.Errorf("%d attempts", n)
	}
	b.counted(func(t webhook.Totals) bool { return t.Dropped == 1 })
	b.clock.Advance(-time.Minute) // the clock is corrected
	r.answers(nil)
	b.event("mara", "two")
	b.until("w0", "delivered", func(all []webhook.Delivery) bool { return len(all) == 2 && all[1].State == webhook.Delivered })
	if err := b.write(t.Context(), func(tx webhook.Store) error {
		_, err := b.queue.Retry(t.Context(), tx, "w0", "", time.Time{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	b.until("w0", "delivered", ended)
	all := r.all()
	if first, _, _ := strings.Cut(all[0], " "); !strings.HasPrefix(all[len(all)-1], first+" ") {
		t.Errorf("the retry has another id: %q", all)
	}
}

// Receivers that are hostile, slow or elsewhere delay only themselves.
func TestRunner_DelaysNobodyElse(t *testing.T) {
	t.Parallel()
	good, endless, away, huge := (&bundle{T: t}).receiver(), (&bundle{T: t}).receiver(), (&bundle{T: t}).receiver(), (&bundle{T: t}).receiver()
	release := make(chan struct{})
	endless.answers(func(w http.ResponseWriter, q *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-q.Context().Done():
		}
	})
	away.answers(func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, good.URL, http.StatusTemporaryRedirect)
	})
	huge.answers(func(w http.ResponseWriter, _ *http.Request) {
		for range 1000 {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	untrusted := httptest.NewTLSServer(good)
	t.Cleanup(untrusted.Close)
	b := setup(t, roots(good.Server, endless.Server, away.Server, huge.Server), endless.URL+"#private", away.URL+"#private", huge.URL+"#private",
		"http://192.0.2.1/", "https://127.0.0.1:1/", good.URL+"#private")
	for n := range 3 * webhook.Each {
		b.event(fmt.Sprint("user", n), "one")
	}
	b.start()
	b.until("w5", "delivered", ended)
	b.until("w2", "delivered", ended) // the answer was cut
	b.until("w1", "tried", tried(1))
	for hook, words := range map[string]string{"w3": "not https", "w4": "not a public address"} {
		all := b.until(hook, "tried", tried(1))
		if all[0].Status != 0 || !strings.Contains(all[0].Answer, words) {
			t.Errorf("%s: %+v", hook, all[0])
		}
	}
	if all := b.deliveries("w1"); all[0].Status != http.StatusTemporaryRedirect {
		t.Errorf("a redirect: %+v", all[0])
	}
	if n := len(endless.all()); n > webhook.Each {
		t.Errorf("%d requests to one receiver at once", n)
	}
	if all := b.deliveries("w0"); all[0].State != webhook.Waiting {
		t.Errorf("the endless one: %+v", all[0])
	}
	if n := len(good.all()); n != 3*webhook.Each {
		t.Errorf("the good one got %d", n)
	}
	close(release)
	b.until("w0", "delivered", ended)
}

// An answer of one receiver makes Portico look for the next event of that one alone.
func TestRunner_LooksWhereSomethingHasChanged(t *testing.T) {
	t.Parallel()
	r := (&bundle{T: t}).receiver()
	b := setup(t, roots(r.Server), r.URL+"#private", r.URL+"#private")
	b.hooks[1].Events = []string{"other"}
	for range 30 {
		b.event("mara", "one")
	}
	stop := b.start()
	b.until("w0", "delivered", ended)
	stop()
	if busy, idle := b.claims["w0"], b.claims["w1"]; busy < idle+20 { // each tick looks at both
		t.Errorf("it looked %d times for events of the one, and %d times for those of the other, which has none", busy, idle)
	}
}

// 410 ends one event, 429 makes Portico wait as long as the receiver asks.
func TestRunner_GoneAndBusy(t *testing.T) {
	t.Parallel()
	gone, busy := (&bundle{T: t}).receiver(), (&bundle{T: t}).receiver()
	gone.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	busy.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1800")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	b := setup(t, roots(gone.Server, busy.Server), gone.URL+"#private", busy.URL+"#private")
	b.event("mara", "one")
	b.start()
	if all := b.until("w0", "ended", ended); all[0].State != webhook.Dropped {
		t.Errorf("after 410: %+v", all)
	}
	all := b.until("w1", "tried", tried(1))
	if wait := all[0].DueAt.Sub(b.clock.Now()); wait != 30*time.Minute {
		t.Errorf("it is sent again in %v", wait)
	}
	busy.answers(nil)
	b.event("noor", "two")
	b.until("w0", "ended", func(all []webhook.Delivery) bool { return len(all) == 2 && ended(all) })
	if n := len(busy.all()); n != 1 {
		t.Errorf("%d requests in the pause", n)
	}
	b.clock.Advance(31 * time.Minute)
	b.runner.Wake("w1")
	b.until("w1", "ended", ended)
}

// A request that was under way when the receiver asked for a pause does not end the pause.
func TestRunner_PausesThoughAnotherIsTaken(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "https://w0.test/", "https://w1.test/")
	asked := make(chan struct{})
	b.runner.Send = func(_ context.Context, h webhook.Hook, d webhook.Delivery) webhook.Result {
		if h.Name == "w0" && d.AccountID == "noor" {
			return webhook.Result{Status: http.StatusTooManyRequests, Pause: 30 * time.Minute}
		}
		if h.Name == "w0" {
			<-asked
			return webhook.Result{Status: http.StatusOK, Pause: time.Second}
		}
		return webhook.Result{Status: http.StatusOK}
	}
	b.event("mara", "one")
	b.event("noor", "two")
	b.start()
	b.until("w0", "told to wait", func(all []webhook.Delivery) bool { return all[1].Status == http.StatusTooManyRequests })
	close(asked)
	b.until("w0", "delivered", func(all []webhook.Delivery) bool { return all[0].State == webhook.Delivered })
	b.clock.Advance(time.Minute)
	b.event("zoe", "three")
	b.until("w1", "delivered", func(all []webhook.Delivery) bool { return len(all) == 3 && ended(all) }) // w0 is looked at before it
	if d := b.deliveries("w0")[2]; d.Claims != 0 {
		t.Errorf("sent in the pause: %+v", d)
	}
}

// A process that dies between sending and writing leaves a claim: the event goes out again with its id, and
// not before the lease ends. A clock that is set back loses nothing.
func TestRunner_KilledAndClockSetBack(t *testing.T) {
	t.Parallel()
	r := (&bundle{T: t}).receiver()
	b := setup(t, roots(r.Server), r.URL+"#private")
	b.event("mara", "one")
	if err := b.write(t.Context(), func(tx webhook.Store) error { // what the dead process did
		_, err := tx.ClaimDeliveries(t.Context(), "w0", b.clock.Now(), b.clock.Now().Add(webhook.Lease), 1)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	b.event("noor", "two")
	b.start()
	b.until("w0", "the other delivered", func(all []webhook.Delivery) bool { return len(all) == 2 && all[1].State == webhook.Delivered })
	if d := b.deliveries("w0")[0]; d.State != webhook.Waiting {
		t.Fatalf("sent within the lease: %+v", d)
	}
	b.clock.Advance(-48 * time.Hour)
	b.runner.Wake("w0")
	b.until("w0", "delivered", ended)
	if all := r.all(); len(all) != 2 || !strings.HasSuffix(all[1], "mara one") {
		t.Errorf("got %q", all)
	}
}

// New events are dropped while webhook.Most wait, as the runner has last counted. Other webhooks get theirs.
func TestQueue_IsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "https://w0.test/", "https://w1.test/")
	b.runner.Send = func(context.Context, webhook.Hook, webhook.Delivery) webhook.Result { return webhook.Result{} }
	for n, waiting := range []int{webhook.Most - 1, webhook.Most, webhook.Most - 1} {
		b.waiting = waiting
		b.looked.Store(0)
		stop := b.start()
		if !b.soon(func() bool { return b.looked.Load() == 2 }) {
			t.Fatal("the runner does not count")
		}
		stop()
		b.event("mara", "one")
		if bounded, other := len(b.deliveries("w0")), len(b.deliveries("w1")); bounded != (n+2)/2 || other != n+1 {
			t.Errorf("%d events after a count of %d: %d are there, and %d for the other webhook", n+1, waiting, bounded, other)
		}
	}
}

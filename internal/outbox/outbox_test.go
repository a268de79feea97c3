package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/clock"
	"portico/internal/fault"
	"portico/internal/outbox"
	"portico/internal/secret"
	"portico/internal/store"
)

// room is an outbox on a real database. The test chooses the results of its
// deliveries.
type room struct {
	t      *testing.T
	path   string
	store  *store.Store
	outbox *outbox.Outbox

	mu   sync.Mutex
	sent []outbox.Message
}

func open(t testing.TB) (*store.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, path
}

func setup(t *testing.T) *room {
	t.Helper()
	s, path := open(t)
	return &room{t: t, path: path, store: s, outbox: outbox.New(outbox.Config{
		Clock: clock.System{}, Box: secret.NewKey().Box("outbox"),
	})}
}

func (r *room) write(ctx context.Context, fn func(outbox.Store) error) error {
	return r.store.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
}

func (r *room) enqueue(m outbox.Message) {
	r.t.Helper()
	if m.Template == "" {
		m.Template = "verify-address"
	}
	if m.To == "" {
		m.To = "ada@x.test"
	}
	err := r.write(r.t.Context(), func(tx outbox.Store) error { return r.outbox.Enqueue(r.t.Context(), tx, m) })
	if err != nil {
		r.t.Fatal(err)
	}
}

// run starts a Runner. It records the deliveries, and answer decides their
// results. The Runner stops at the end of the test or by the returned function.
func (r *room) run(answer func(context.Context, outbox.Message) error) (*outbox.Runner, func()) {
	return r.runOn(r.write, answer)
}

func (r *room) runOn(write func(context.Context, func(outbox.Store) error) error, answer func(context.Context, outbox.Message) error) (*outbox.Runner, func()) {
	return r.runAs(outbox.RunnerConfig{Write: write, Parallel: 4}, answer)
}

func (r *room) runAs(cfg outbox.RunnerConfig, answer func(context.Context, outbox.Message) error) (*outbox.Runner, func()) {
	cfg.Outbox, cfg.Log = r.outbox, slog.New(slog.NewTextHandler(io.Discard, nil))
	cfg.Deliver = func(ctx context.Context, m outbox.Message) error {
		r.mu.Lock()
		r.sent = append(r.sent, m)
		r.mu.Unlock()
		return answer(ctx, m)
	}
	runner := outbox.NewRunner(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); runner.Run(ctx) }()
	stop := func() { cancel(); <-done }
	r.t.Cleanup(stop)
	return runner, stop
}

func (r *room) deliveries() []outbox.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]outbox.Message(nil), r.sent...)
}

func (r *room) counts() outbox.Count {
	r.t.Helper()
	var c outbox.Counts
	err := r.store.Read(r.t.Context(), func(tx *store.Tx) (err error) {
		c, err = tx.CountMessages(r.t.Context())
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return c.Of()
}

func (r *room) undelivered() []outbox.Listed {
	r.t.Helper()
	var list []outbox.Listed
	err := r.store.Read(r.t.Context(), func(tx *store.Tx) (err error) {
		list, err = r.outbox.Dead(r.t.Context(), tx, 100)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// failure is a DeliveryError.
type failure struct{ permanent, uncertain bool }

func (failure) Error() string     { return "server says: 451\r\nlater" }
func (f failure) Permanent() bool { return f.permanent }
func (f failure) Uncertain() bool { return f.uncertain }

func accept(context.Context, outbox.Message) error { return nil }

// bubble runs the test with a fake time. The store and its disk are real.
func bubble(t *testing.T, fn func(t *testing.T, r *room)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { fn(t, setup(t)) })
}

func TestRun_SendsWhatIsEnqueuedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		runner, _ := r.run(accept)
		synctest.Wait()
		start := time.Now()
		want := outbox.Message{
			ID: "m1", Template: "recover", To: "ada@x.test", Locale: "de", AccountID: "a1",
			Data: map[string]string{"code": "123456"}, NotAfter: time.Now().Add(10 * time.Minute).UTC(),
		}
		r.enqueue(want)
		synctest.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("sent after %v, want at once", took)
		}
		sent := r.deliveries()
		if len(sent) != 1 {
			t.Fatalf("%d deliveries", len(sent))
		}
		got := sent[0]
		if got.ID != want.ID || got.Template != want.Template || got.To != want.To || got.Locale != want.Locale ||
			got.AccountID != want.AccountID || got.Data["code"] != "123456" || !got.NotAfter.Equal(want.NotAfter) {
			t.Errorf("got %+v", got)
		}
		if c := r.counts(); c.Waiting != 0 || c.Dead != 0 || runner.Totals().Sent != 1 {
			t.Errorf("left behind: %+v, totals %+v", c, runner.Totals())
		}
	})
}

// The Runner must not wake before the commit. Where transactions run in
// parallel, it would find nothing, and would not look again for seconds.
func TestEnqueue_WakesAfterTheCommit(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		var looks atomic.Int32
		r.runOn(func(ctx context.Context, fn func(outbox.Store) error) error {
			looks.Add(1)
			return r.write(ctx, fn)
		}, accept)
		synctest.Wait()
		before, during := looks.Load(), int32(0)
		err := r.write(t.Context(), func(tx outbox.Store) error {
			err := r.outbox.Enqueue(t.Context(), tx, outbox.Message{Template: "recover", To: "a@x.test"})
			synctest.Wait()
			during = looks.Load()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(r.deliveries()); during != before || n != 1 {
			t.Errorf("looked %d times before the commit; %d deliveries right after it", during-before, n)
		}
	})
}

func TestEnqueue_SharesTheTransaction(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.run(accept)
		failed := errors.New("the step failed")
		err := r.write(t.Context(), func(tx outbox.Store) error {
			if err := r.outbox.Enqueue(t.Context(), tx, outbox.Message{Template: "recover", To: "a@x.test"}); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(r.deliveries()); n != 0 {
			t.Errorf("%d deliveries of a step that did not happen", n)
		}
	})
}

func TestEnqueue_RefusesHalfAMessage(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		for _, m := range []outbox.Message{{Template: "recover"}, {To: "a@x.test"}} {
			err := r.write(t.Context(), func(tx outbox.Store) error { return r.outbox.Enqueue(t.Context(), tx, m) })
			if err == nil {
				t.Errorf("%+v was accepted", m)
			}
		}
	})
}

func TestRun_RefusedForAnHour(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		start := time.Now()
		runner, _ := r.run(func(context.Context, outbox.Message) error {
			if time.Since(start) < time.Hour {
				return failure{}
			}
			return nil
		})
		for range 20 {
			r.enqueue(outbox.Message{})
		}
		time.Sleep(59 * time.Minute)
		if c := r.counts(); c.Waiting != 20 || !c.Oldest.Equal(start.UTC()) {
			t.Errorf("after 59 minutes: %+v", c)
		}
		// Waits of 30 s and of 1, 2, 4, 8 and 16 minutes fit into the hour,
		// with the first attempt.
		if n := len(r.deliveries()); n < 6*20 || n > 8*20 {
			t.Errorf("%d attempts for 20 messages", n)
		}
		time.Sleep(90 * time.Minute) // the longest back-off and its jitter
		if c, sent := r.counts(), runner.Totals().Sent; c.Waiting+c.Dead != 0 || sent != 20 {
			t.Errorf("in the end: %+v, %d sent", c, sent)
		}
	})
}

func TestRun_GivesUpInTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		runner, _ := r.run(func(context.Context, outbox.Message) error { return failure{} })
		r.enqueue(outbox.Message{})
		time.Sleep(4 * time.Hour)
		if n := len(r.deliveries()); n != 10 {
			t.Errorf("%d attempts, want 10", n)
		}
		if c := r.counts(); c.Dead != 1 || runner.Totals().Dead != 1 || runner.Totals().Failed != 9 {
			t.Errorf("%+v %+v", c, runner.Totals())
		}
	})
}

func TestRun_PermanentIsListedAndRetried(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		_, stop := r.run(func(context.Context, outbox.Message) error { return failure{permanent: true} })
		r.enqueue(outbox.Message{ID: "m1", AccountID: "a1"})
		r.enqueue(outbox.Message{ID: "m2", NotAfter: time.Now().Add(10 * time.Minute)})
		time.Sleep(time.Hour)
		if n := len(r.deliveries()); n != 2 {
			t.Fatalf("%d deliveries, want one of each", n)
		}
		stop()
		list := r.undelivered()
		if len(list) != 2 {
			t.Fatalf("%d messages", len(list))
		}
		for _, l := range list {
			if l.To != "ada@x.test" || l.Reason != "server says: 451 later" || l.Claims != 1 || l.DeadAt.IsZero() || l.Again != (l.ID == "m1") { // m2 has expired
				t.Errorf("%+v", l)
			}
		}
		r.run(accept)
		retry := func(id string) error {
			return r.write(t.Context(), func(tx outbox.Store) error {
				_, err := r.outbox.Retry(t.Context(), tx, id)
				return err
			})
		}
		if err := retry("m1"); err != nil {
			t.Error(err)
		}
		for _, id := range []string{"m2", "nobody"} {
			if err := retry(id); !errors.Is(err, fault.New(fault.Missing, outbox.CodeUnknown)) {
				t.Errorf("retry of %s: %v", id, err)
			}
		}
		synctest.Wait()
		if c := r.counts(); c.Waiting != 0 || c.Dead != 1 || len(r.deliveries()) != 3 {
			t.Errorf("%+v", c)
		}
	})
}

// A flush makes postponed messages due, and none that is being sent: it would arrive twice.
func TestFlush(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		var away atomic.Bool
		away.Store(true)
		letGo := make(chan struct{})
		r.run(func(_ context.Context, m outbox.Message) error {
			switch {
			case m.ID == "slow":
				<-letGo
			case away.Load():
				return failure{}
			}
			return nil
		})
		r.enqueue(outbox.Message{ID: "m1"})
		time.Sleep(30 * time.Minute)
		for before := len(r.deliveries()); len(r.deliveries()) == before; { // until m1 was just tried, and waits for minutes
			time.Sleep(time.Second)
		}
		r.enqueue(outbox.Message{ID: "slow"})
		time.Sleep(time.Second)
		tried := len(r.deliveries())
		away.Store(false)
		err := r.write(t.Context(), func(tx outbox.Store) error {
			n, _, err := r.outbox.Flush(t.Context(), tx)
			if n != 1 {
				t.Errorf("%d messages were made due, want the one that is postponed", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second) // a poll
		if sent := r.deliveries()[tried:]; len(sent) != 1 || sent[0].ID != "m1" {
			t.Errorf("the flush sent %+v", sent)
		}
		close(letGo)
		synctest.Wait()
		if c := r.counts(); c.Waiting != 0 || c.Dead != 0 {
			t.Errorf("%+v", c)
		}
	})
}

// A message that an operator drops is not sent, and its outcome says so.
func TestDrop(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.enqueue(outbox.Message{ID: "m1", Mailbox: []byte{1}})
		drop := func() error {
			return r.write(t.Context(), func(tx outbox.Store) error {
				l, err := r.outbox.Drop(t.Context(), tx, "m1")
				if err == nil && (l.To != "ada@x.test" || l.Dead()) {
					t.Errorf("dropped %+v", l)
				}
				return err
			})
		}
		if err := drop(); err != nil {
			t.Fatal(err)
		}
		if err := drop(); !errors.Is(err, fault.New(fault.Missing, outbox.CodeUnknown)) {
			t.Errorf("the second time: %v", err)
		}
		r.run(accept)
		time.Sleep(time.Hour)
		if n := len(r.deliveries()); n != 0 {
			t.Errorf("%d deliveries of a dropped message", n)
		}
		var outcomes []outbox.Outcome
		err := r.store.Read(t.Context(), func(tx *store.Tx) (err error) {
			outcomes, err = tx.OutcomesOf(t.Context(), []byte{1}, 9)
			return err
		})
		if err != nil || len(outcomes) != 1 || outcomes[0].State != outbox.Dropped {
			t.Errorf("the outcomes are %+v, %v", outcomes, err)
		}
	})
}

func TestRun_DropsWhatHasExpired(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		var late atomic.Bool
		runner, _ := r.run(func(ctx context.Context, m outbox.Message) error {
			<-ctx.Done() // a slow server: the delivery must end before its code expires
			if time.Now().After(m.NotAfter) {
				late.Store(true)
			}
			return failure{}
		})
		r.enqueue(outbox.Message{NotAfter: time.Now().Add(10 * time.Second)})
		r.enqueue(outbox.Message{NotAfter: time.Now().Add(10 * time.Minute)})
		time.Sleep(time.Hour)
		if c := r.counts(); c.Waiting+c.Dead != 0 || runner.Totals().Expired != 2 {
			t.Errorf("%+v %+v", c, runner.Totals())
		}
		if n := len(r.deliveries()); n < 4 {
			t.Errorf("%d tries", n)
		}
		if late.Load() {
			t.Error("sent after its end")
		}
	})
}

// What Deliver does not send because it is over is deleted, and is no failure.
func TestRun_DropsWhatIsOver(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		runner, _ := r.run(func(context.Context, outbox.Message) error { return fmt.Errorf("the invitation: %w", outbox.ErrOver) })
		r.enqueue(outbox.Message{})
		time.Sleep(time.Hour)
		if c := r.counts(); c.Waiting+c.Dead != 0 || len(r.deliveries()) != 1 || runner.Totals() != (outbox.Totals{}) {
			t.Errorf("%+v %+v, %d deliveries", c, runner.Totals(), len(r.deliveries()))
		}
	})
}

func TestRun_SuppressedGoesNowhere(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.run(accept)
		r.enqueue(outbox.Message{Suppressed: true, Data: map[string]string{"code": "123456"}})
		synctest.Wait()
		if c := r.counts(); c.Waiting+c.Dead != 0 || len(r.deliveries()) != 0 {
			t.Errorf("%+v, %d deliveries", c, len(r.deliveries()))
		}
	})
}

func TestRun_UnknownOutcomeTwiceIsTheEnd(t *testing.T) {
	for name, answer := range map[string]func() error{
		"uncertain":    func() error { return failure{uncertain: true} },
		"unclassified": func() error { return errors.New("something broke") },
		"panic":        func() error { panic("template") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *room) {
				r.run(func(context.Context, outbox.Message) error { return answer() })
				r.enqueue(outbox.Message{ID: "m1"})
				time.Sleep(time.Minute)
				if c := r.counts(); c.Dead != 1 {
					t.Errorf("not given up at once: %+v", c)
				}
				time.Sleep(10 * time.Minute)
				sent := r.deliveries()
				if len(sent) != 2 || sent[0].ID != "m1" || sent[1].ID != "m1" {
					t.Errorf("deliveries: %+v", sent)
				}
			})
		})
	}
}

// crash claims all messages and stops, as a killed process does.
func (r *room) crash() {
	r.t.Helper()
	err := r.write(r.t.Context(), func(tx outbox.Store) error {
		now := time.Now()
		_, err := tx.ClaimMessages(r.t.Context(), outbox.Mail, now, now.Add(outbox.Lease), 10)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestRun_SendsAgainAfterACrash(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.enqueue(outbox.Message{ID: "m1"})
		r.crash()
		start := time.Now()
		sent := make(chan time.Duration, 2)
		r.run(func(context.Context, outbox.Message) error {
			sent <- time.Since(start)
			return nil
		})
		time.Sleep(2 * time.Minute)
		if all := r.deliveries(); len(all) != 1 || all[0].ID != "m1" {
			t.Fatalf("deliveries: %+v", all)
		}
		if took := <-sent; took <= 30*time.Second || took > time.Minute {
			t.Errorf("sent again after %v: not while the first may still deliver, nor later than a minute", took)
		}
	})
}

func TestRun_NoThirdSendAfterTwoCrashes(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.enqueue(outbox.Message{})
		r.crash()
		time.Sleep(time.Minute)
		r.crash()
		r.run(accept)
		time.Sleep(10 * time.Minute)
		if n := len(r.deliveries()); n != 0 {
			t.Errorf("%d deliveries after two that may have happened", n)
		}
		if list := r.undelivered(); len(list) != 1 || list[0].Reason == "" {
			t.Errorf("list %+v", list)
		}
	})
}

func TestRun_StopFinishesWhatIsUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		for range 20 {
			r.enqueue(outbox.Message{})
		}
		_, stop := r.run(func(ctx context.Context, _ outbox.Message) error {
			select {
			case <-time.After(20 * time.Second):
				return nil
			case <-ctx.Done():
				return failure{uncertain: true}
			}
		})
		synctest.Wait()
		if n := len(r.deliveries()); n != 4 {
			t.Fatalf("%d deliveries at a time, want 4", n)
		}
		stop()
		if c := r.counts(); c.Waiting != 16 || len(r.deliveries()) != 4 {
			t.Errorf("%+v after %d deliveries", c, len(r.deliveries()))
		}
		untouched := 0
		err := r.write(t.Context(), func(tx outbox.Store) error {
			records, err := tx.ClaimMessages(t.Context(), outbox.Mail, time.Now(), time.Now(), 100)
			for _, record := range records {
				if record.Claims == 1 {
					untouched++
				}
			}
			return err
		})
		if err != nil || untouched != 16 {
			t.Errorf("%d of 16 were left unclaimed: %v", untouched, err)
		}
	})
}

func TestRun_InsistsOnWritingTheOutcome(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		var broken atomic.Bool
		write := func(ctx context.Context, fn func(outbox.Store) error) error {
			if broken.Load() {
				return errors.New("the database is away")
			}
			return r.write(ctx, fn)
		}
		r.runOn(write, func(context.Context, outbox.Message) error {
			broken.Store(true)
			time.AfterFunc(20*time.Second, func() { broken.Store(false) })
			return nil
		})
		r.enqueue(outbox.Message{})
		time.Sleep(10 * time.Minute)
		if c := r.counts(); c.Waiting+c.Dead != 0 || len(r.deliveries()) != 1 {
			t.Errorf("%+v, %d deliveries", c, len(r.deliveries()))
		}
	})
}

func TestRun_TwoNodesSendEachMessageOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	const messages = 200
	arrived := make(chan string, 2*messages)
	for range 2 {
		r.run(func(_ context.Context, m outbox.Message) error {
			arrived <- m.ID
			return nil
		})
	}
	for range messages {
		r.enqueue(outbox.Message{})
	}
	seen := make(map[string]bool)
	for len(seen) < messages {
		id := <-arrived
		if seen[id] {
			t.Fatalf("%s was sent twice", id)
		}
		seen[id] = true
	}
}

// The clocks of two nodes differ as much as nodes do not correct. Neither sends, or makes due, what the other sends.
func TestRun_TwoNodesWithTwoTimes(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		box := secret.NewKey().Box("outbox")
		node := func(by time.Duration) (stop func()) {
			r.outbox = outbox.New(outbox.Config{Clock: clock.Skewed{By: by}, Box: box})
			_, stop = r.run(func(context.Context, outbox.Message) error { time.Sleep(29 * time.Second); return nil })
			return stop
		}
		for i, by := range []time.Duration{-clock.Uncorrected, clock.Uncorrected} {
			stop := node(by)
			r.enqueue(outbox.Message{})
			synctest.Wait()
			stopOther := node(-by)
			err := r.write(t.Context(), func(tx outbox.Store) error { _, _, err := r.outbox.Flush(t.Context(), tx); return err })
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if n := len(r.deliveries()); n != i+1 {
				t.Errorf("a message of a node that is off by %v: %d deliveries in all, want %d", by, n, i+1)
			}
			stop()
			stopOther()
		}
	})
}

func TestEnqueue_LeavesNothingReadable(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.enqueue(outbox.Message{To: "ada@canary.test", Data: map[string]string{"code": "918273"}})
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(r.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		for _, canary := range []string{"918273", "canary.test"} {
			if bytes.Contains(data, []byte(canary)) {
				t.Errorf("%s is readable in the database%s", canary, suffix)
			}
		}
	}
}

func TestRun_OtherKeyIsADeadLetter(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		r.enqueue(outbox.Message{})
		r.outbox = outbox.New(outbox.Config{Clock: clock.System{}, Box: secret.NewKey().Box("outbox")})
		r.run(accept)
		synctest.Wait()
		if list := r.undelivered(); len(list) != 1 || list[0].To != "" || len(r.deliveries()) != 0 {
			t.Errorf("%+v", list)
		}
	})
}

// BenchmarkRun measures how fast a queue drains if a delivery takes no time.
func BenchmarkRun(b *testing.B) {
	s, _ := open(b)
	o := outbox.New(outbox.Config{Clock: clock.System{}, Box: secret.NewKey().Box("outbox")})
	err := s.Write(b.Context(), func(tx *store.Tx) error {
		for range b.N {
			if err := o.Enqueue(b.Context(), tx, outbox.Message{Template: "recover", To: "ada@x.test"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	left := make(chan struct{}, b.N)
	runner := outbox.NewRunner(outbox.RunnerConfig{
		Outbox: o, Log: slog.New(slog.DiscardHandler), Parallel: 10,
		Write: func(ctx context.Context, fn func(outbox.Store) error) error {
			return s.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
		},
		Deliver: func(context.Context, outbox.Message) error { left <- struct{}{}; return nil },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	b.ResetTimer()
	done.Go(func() { runner.Run(ctx) })
	for range b.N {
		<-left
	}
	cancel()
	done.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

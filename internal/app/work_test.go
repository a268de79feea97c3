package app

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/logtest"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/store"
)

// inBubble runs fn in a synctest bubble, where waiting takes no real time. fn
// calls work to start the background work of an App.
func inBubble(t *testing.T, fn func(t *testing.T, work func(*App))) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		var working sync.WaitGroup
		fn(t, func(a *App) { a.startWork(ctx, &working) })
		stop()
		working.Wait()
	})
}

// SEC-068: every server applies an operator's command on an account within one
// second.
func TestWork_FeelsAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(context.Context, *App, account.Account) error{
		"disable": func(ctx context.Context, a *App, u account.Account) error {
			return a.Operator.SetUserState(ctx, flow.ByOperator, u.ID, account.DisabledByOperator)
		},
		"delete": func(ctx context.Context, a *App, u account.Account) error {
			return a.Operator.DeleteUser(ctx, flow.ByOperator, u.ID)
		},
		"set-password": func(ctx context.Context, a *App, u account.Account) error {
			return a.Operator.SetUserPassword(ctx, flow.ByOperator, u, good+" again")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, work func(*App)) {
				cfg := settings(t, t.TempDir())
				first, second, command := open(t, cfg, Options{}), open(t, cfg, Options{}), open(t, cfg, Options{})
				t.Cleanup(func() { first.end(t); second.end(t); command.end(t) })
				work(first)
				work(second)
				user := first.create(t, "v@example.org")
				first.create(t, "w@example.org")
				caller, other := first.signIn(t, "v@example.org"), second.signIn(t, "w@example.org")
				for _, node := range []*App{first, second} {
					node.holds(t, caller, true)
					node.holds(t, other, true)
				}
				if err := change(t.Context(), command, user); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				for _, node := range []*App{first, second} {
					node.holds(t, caller, false)
					node.holds(t, other, true)
				}
			})
		})
	}
}

// holds expects that a caller is signed in, or is not.
func (a *App) holds(t *testing.T, c flow.Caller, want bool) {
	t.Helper()
	if _, err := a.Flows.Session(t.Context(), c.Session); (err == nil) != want {
		t.Errorf("signed in: %v, want %v", err, want)
	}
}

// The last use of a session is written within 30 seconds, or when the process
// stops.
func TestWork_LastUses(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"in time": flushEvery, "at the end": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, work func(*App)) {
				cfg := settings(t, t.TempDir())
				a := open(t, cfg, Options{})
				user := a.create(t, "v@example.org")
				caller := a.signIn(t, "v@example.org")
				time.Sleep(time.Minute)
				used := a.clock.Now()
				a.holds(t, caller, true)
				if wait > 0 {
					work(a)
					time.Sleep(wait)
					synctest.Wait()
					t.Cleanup(func() { a.end(t) })
				} else {
					a.end(t)
				}
				other := open(t, cfg, Options{})
				t.Cleanup(func() { other.end(t) })
				_ = other.Store.Read(t.Context(), func(tx *store.Tx) error {
					list, err := tx.SessionsOf(t.Context(), user.ID, used)
					if err != nil || len(list) != 1 || list[0].LastSeenAt.Before(used) {
						t.Errorf("the database knows %+v (%v), want a use at %v", list, err, used)
					}
					return nil
				})
			})
		})
	}
}

// Expired data is deleted in the background, even if it is more than one batch.
func TestWork_Purges(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, work func(*App)) {
		a := open(t, settings(t, t.TempDir()), Options{})
		t.Cleanup(func() { a.end(t) })
		fill(t, a)
		work(a)
		time.Sleep(10 * tidyEvery)
		synctest.Wait()
		if flows, revocations := left(t, a); flows || revocations > 0 {
			t.Errorf("old flows: %v, revocations: %d", flows, revocations)
		}
	})
}

// blocked is a store that reads nothing until a test lets it.
type blocked struct {
	unit[flow.Tx]
	until chan struct{}
}

func (b blocked) Read(ctx context.Context, fn func(flow.Tx) error) error {
	<-b.until
	return b.unit.Read(ctx, fn)
}

// A registered client that has ended may have many users. Accounts end in time while it is forgotten.
func TestWork_ForgetsBeside(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, work func(*App)) {
		a := open(t, settings(t, t.TempDir()), Options{})
		t.Cleanup(func() { a.end(t) })
		user, end := a.create(t, "v@example.org"), a.clock.Now().Add(90*time.Second)
		if err := a.Operator.SetUserEnd(t.Context(), flow.ByOperator, user.ID, end); err != nil {
			t.Fatal(err)
		}
		if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertRegistered(t.Context(), openid.Registered{ID: "ended"}, a.clock.Now(), 1)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		l, until := *a.live.Load(), make(chan struct{})
		l.Operator = flow.New(flow.Config{
			Store: blocked{unit[flow.Tx]{a.Store, func(tx *store.Tx) flow.Tx { return tx }}, until},
			Clock: a.clock, Key: a.key, Passwords: l.passwords, Sessions: l.sessions, Providers: l.providers, Outbox: a.Outbox, Keys: a.Keys, Before: &a.live.Load().All,
			Settings: flow.Settings{Locale: l.catalogue.Of},
		}).Operator
		a.live.Store(&l)
		work(a)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if u, err := a.Operator.User(t.Context(), "v@example.org"); err != nil || u.State != account.DisabledByOperator {
			t.Errorf("the account is %s, %v", u.State, err)
		}
		close(until)
	})
}

// FLT-22: one of three nodes tidies up. When it hangs or ends, another one
// takes over within a minute.
func TestWork_OneTidiesUp(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	if onSQLite(cfg) {
		t.Skip("a file has one process")
	}
	inBubble(t, func(t *testing.T, work func(*App)) {
		frozen, second := open(t, cfg, Options{}), open(t, cfg, Options{})
		t.Cleanup(func() { frozen.end(t); second.end(t) })
		if err := frozen.alone(t.Context(), func(*store.Tx) error { return nil }); err != nil { // and it never resumes
			t.Fatal(err)
		}
		held := func(a *App) (held bool) {
			if err := a.alone(t.Context(), func(*store.Tx) error { held = true; return nil }); err != nil {
				t.Error(err)
			}
			return held
		}
		if !held(frozen) || held(second) {
			t.Error("not the first holds the lease")
		}
		work(second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if held(frozen) || !held(second) {
			t.Error("a minute later a frozen process still holds the lease")
		}
		if err := second.release(t.Context()); err != nil {
			t.Error(err)
		}
		if !held(frozen) {
			t.Error("a lease that was given back is not to be had")
		}
	})
}

// FLT-21: a panic costs background work one turn, and its stack is in the log.
func TestWork_SurvivesAPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		a, turns := &App{log: slog.New(slog.NewTextHandler(&log, nil))}, 0
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		a.repeat(ctx, &work, time.Second, "do the work", func(context.Context) error {
			if turns++; turns < 3 {
				panic("a defect")
			}
			return nil
		})
		time.Sleep(3*time.Second + time.Millisecond)
		stop()
		work.Wait()
		told := log.String()
		if turns != 3 || strings.Count(told, "cannot do the work") != 1 || !strings.Contains(told, "work_test.go") || !strings.Contains(told, "can do the work again") {
			t.Errorf("%d turns, and the log says\n%s", turns, told)
		}
	})
}

// fill creates more expired data than one batch holds.
func fill(t *testing.T, a *App) {
	t.Helper()
	old := a.clock.Now().Add(-48 * time.Hour)
	err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		for range 1200 {
			if err := tx.InsertRevocation(t.Context(), "a", old); err != nil {
				return err
			}
		}
		return tx.InsertFlow(t.Context(), flow.Pending{ID: "old", ExpiresAt: old})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func left(t *testing.T, a *App) (flows bool, revocations int) {
	t.Helper()
	_ = a.Store.Read(t.Context(), func(tx *store.Tx) error {
		all, err := tx.Revocations(t.Context())
		if err != nil {
			t.Error(err)
		}
		revocations = len(all)
		_, flows, err = tx.FlowByID(t.Context(), "old")
		return err
	})
	return flows, revocations
}

// silent is a listener without connections.
type silent struct{ closed chan struct{} }

func (s silent) Accept() (net.Conn, error) { <-s.closed; return nil, net.ErrClosed }
func (s silent) Close() error              { close(s.closed); return nil }
func (s silent) Addr() net.Addr            { return &net.TCPAddr{} }

// An email that is being sent when the process stops is sent to the end.
func TestRun_StopWaitsForMail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, letGo := make(chan outbox.Message), make(chan struct{})
		a := open(t, settings(t, t.TempDir()), Options{Dist: dist(), Deliver: func(_ context.Context, m outbox.Message) error {
			begun <- m
			<-letGo
			return nil
		}})
		t.Cleanup(func() { a.end(t) })
		ctx, stop := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- a.Run(ctx, Listeners{Public: silent{make(chan struct{})}}) }()
		_, err := a.Flows.SignUp(t.Context(), flow.Caller{Peer: "192.0.2.1", Locale: "en"}, flow.SignUpInput{Email: "v@example.org", Password: good, Confirm: good})
		if err != nil {
			t.Fatal(err)
		}
		if m := <-begun; m.To != "v@example.org" || m.Data["code"] == "" {
			t.Errorf("the email is %+v", m)
		}
		stop()
		synctest.Wait()
		select {
		case err := <-stopped:
			t.Errorf("it stopped (%v) with an email under way", err)
		default:
		}
		close(letGo)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		_ = a.Store.Read(t.Context(), func(tx *store.Tx) error {
			if c, err := tx.CountMessages(t.Context()); len(c) != 0 || err != nil {
				t.Errorf("the outbox holds %+v (%v): the email would be sent again", c, err)
			}
			return nil
		})
	})
}

package session_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/fault"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

func TestStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, s := b.start(b.person("a"))
	again, _ := b.start("a")
	if !secret.ValidToken(token) || token == again {
		t.Errorf("the tokens are %q and %q", token, again)
	}
	found, err := b.check(b.keeper, token)
	want := session.User{ID: "a", Address: "a@x.test"}
	if err != nil || found.Session.ID != s.ID || found.User.ID != want.ID || found.User.Address != want.Address {
		t.Errorf("found %+v (%v)", found, err)
	}
	if !s.ExpiresAt.Equal(b.clock.Now().Add(absolute)) || len(s.Methods) != 1 || s.UserAgent != "Firefox" {
		t.Errorf("the session is %+v", s)
	}
}

// Each limit is tested with a cache that has the session and with one that
// reads it.
func TestCheck_Boundaries(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		steps []time.Duration // a use after each step but the last
		want  bool
	}{
		"at once":                    {[]time.Duration{0}, true},
		"before the idle end":        {[]time.Duration{idle - time.Microsecond}, true},
		"at the idle end":            {[]time.Duration{idle}, false},
		"before the moved idle end":  {[]time.Duration{idle / 2, idle - time.Microsecond}, true},
		"at the moved idle end":      {[]time.Duration{idle / 2, idle}, false},
		"clock set back":             {[]time.Duration{0, -48 * time.Hour}, true},
		"clock set back by years":    {[]time.Duration{0, -10 * 365 * 24 * time.Hour}, false},
		"clock back and forth":       {[]time.Duration{0, -48 * time.Hour, 48*time.Hour + idle - time.Microsecond}, true},
		"clock back and forth, idle": {[]time.Duration{0, -48 * time.Hour, 48*time.Hour + idle}, false},
		"a refused check is no use":  {[]time.Duration{idle, idle - time.Microsecond}, false},
	} {
		for _, cache := range []string{"warm", "cold"} {
			t.Run(name+", "+cache, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				token, _ := b.start(b.person("a"))
				keeper := b.keeper
				for n, step := range tt.steps {
					b.clock.Advance(step)
					if n == len(tt.steps)-1 {
						b.holds(keeper, token, tt.want, "the last check")
						break
					}
					_, _ = b.check(keeper, token)
					if cache == "cold" {
						b.flush(keeper)
						keeper = b.newKeeper()
					}
				}
			})
		}
	}
}

// ASVS 7.3: a use extends only the idle time.
func TestCheck_AbsoluteEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, s := b.start(b.person("a"))
	for b.clock.Now().Before(s.ExpiresAt.Add(-idle / 2)) {
		b.clock.Advance(idle / 2)
		b.holds(b.keeper, token, true, "a session in use")
	}
	b.clock.Advance(idle/2 - time.Microsecond)
	b.holds(b.keeper, token, true, "just before the end")
	b.clock.Advance(time.Microsecond)
	b.holds(b.keeper, token, false, "at the end")
	b.flush(b.keeper)
	b.holds(b.newKeeper(), token, false, "at the end, for another process")
}

// The latest end of a session is its own or that of its account, whichever comes first.
func TestFound_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, s := b.start(b.person("a"))
	for ends, want := range map[time.Time]time.Time{
		{}:                              s.ExpiresAt,
		s.ExpiresAt.Add(time.Hour):      s.ExpiresAt,
		s.ExpiresAt.Add(-2 * time.Hour): s.ExpiresAt.Add(-2 * time.Hour),
	} {
		if got := (session.Found{Session: s, User: session.User{EndsAt: ends}}).Ends(); !got.Equal(want) {
			t.Errorf("with an account that ends at %v, it ends at %v, want %v", ends, got, want)
		}
	}
}

// SEC-078: a malformed token is not even looked up.
func TestCheck_NoToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, s := b.start(b.person("a"))
	for _, wrong := range []string{"", " ", s.ID, token[:42], token + "A", token + "\n", strings.Repeat("A", 5000), token[:42] + "=", "' OR 1=1 --"} {
		b.holds(b.keeper, wrong, false, wrong)
	}
	if n := b.reads.Load(); n != 0 {
		t.Errorf("the database was read %d times", n)
	}
	stranger := secret.Token()
	if _, err := b.check(b.keeper, stranger); fault.From(err) != session.Required {
		t.Errorf("an unknown token got the reason %v", err)
	}
	b.holds(b.keeper, stranger, false, "once more")
	if n := b.reads.Load(); n != 2 {
		t.Errorf("the database was read %d times, want 2: strangers do not fill the cache", n)
	}
}

func TestCheck_HitAndForget(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	other, _ := b.start(b.person("b"))
	asked := func(want int64, why string) {
		t.Helper()
		b.holds(b.keeper, token, true, why)
		b.holds(b.keeper, other, true, why)
		if n := b.reads.Load(); n != want {
			t.Errorf("%s: the database was read %d times in all, want %d", why, n, want)
		}
	}
	asked(2, "the first time")
	asked(2, "from the cache")
	b.keeper.Forget("a")
	asked(3, "after a is forgotten")
	b.keeper.Forget("nobody")
	asked(3, "after nobody is")
}

// slow is a transaction that waits after it has read a session.
type slow struct {
	session.Store
	read, goOn chan struct{}
}

func (s slow) SessionByHash(ctx context.Context, hash []byte) (session.Found, bool, error) {
	found, ok, err := s.Store.SessionByHash(ctx, hash)
	close(s.read)
	<-s.goOn
	return found, ok, err
}

// SEC-068: a row was read before the account's sessions ended and reaches the
// cache after that. It must not stay valid there.
func TestForget_RowReadBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	read, goOn := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_ = b.store.Read(t.Context(), func(tx *store.Tx) error {
			_, err := b.keeper.Check(t.Context(), slow{tx, read, goOn}, token)
			if err != nil {
				t.Errorf("the check that was under way: %v", err)
			}
			return nil
		})
	})
	<-read
	b.write(func(tx *store.Tx) error { return b.keeper.EndAll(t.Context(), tx, "a", "", session.Elsewhere) })
	b.keeper.Forget("a")
	close(goOn)
	group.Wait()
	b.holds(b.keeper, token, false, "the session that has ended")
}

// A use counts although sessions of the account ended while it was checked. At its next
// check, the session would else be idle for too long.
func TestForget_LosesNoUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	use := func() {
		t.Helper()
		b.clock.Advance(idle - time.Minute)
		_ = b.store.Read(t.Context(), func(tx *store.Tx) error {
			if _, err := b.keeper.Check(t.Context(), forgetful{tx, b.keeper}, token); err != nil {
				t.Errorf("the session has ended: %v", err)
			}
			return nil
		})
	}
	use()
	use()
	b.flush(b.keeper)
	b.clock.Advance(idle - time.Minute)
	b.holds(b.newKeeper(), token, true, "the use is known to another process")
}

// forgetful is a transaction in which other sessions of the account end.
type forgetful struct {
	session.Store
	keeper *session.Keeper
}

func (f forgetful) SessionByHash(ctx context.Context, hash []byte) (session.Found, bool, error) {
	defer f.keeper.Forget("a")
	return f.Store.SessionByHash(ctx, hash)
}

func TestEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, s := b.start(b.person("a"))
	kept, _ := b.start("a")
	theirs, other := b.start(b.person("b"))
	end := func(account, id string, want bool) {
		t.Helper()
		b.write(func(tx *store.Tx) error {
			ended, err := b.keeper.End(t.Context(), tx, account, id, session.Left)
			if ended != want {
				t.Errorf("ended is %v, want %v", ended, want)
			}
			return err
		})
		b.keeper.Forget(account)
	}
	b.holds(b.keeper, token, true, "before")
	end("a", other.ID, false)
	end("a", s.ID, true)
	end("a", s.ID, false)
	b.holds(b.keeper, token, false, "the ended one")
	b.holds(b.keeper, kept, true, "another of the account")
	b.holds(b.keeper, theirs, true, "another's")
}

func TestEndAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	kept, s := b.start("a")
	theirs, _ := b.start(b.person("b"))
	b.holds(b.keeper, token, true, "before")
	endAll := func(keep string) {
		t.Helper()
		b.write(func(tx *store.Tx) error { return b.keeper.EndAll(t.Context(), tx, "a", keep, session.Elsewhere) })
		b.keeper.Forget("a")
	}
	endAll(s.ID)
	b.holds(b.keeper, token, false, "an ended one")
	b.holds(b.keeper, kept, true, "the kept one")
	endAll("")
	b.holds(b.keeper, kept, false, "the last one")
	b.holds(b.keeper, theirs, true, "another's")
}

// The next Follow of a process sees the sessions that another process has
// ended.
func TestFollow(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bundle, *store.Tx, session.Session) error{
		"one": func(b *bundle, tx *store.Tx, s session.Session) error {
			_, err := b.keeper.End(b.Context(), tx, "a", s.ID, session.Elsewhere)
			return err
		},
		"all": func(b *bundle, tx *store.Tx, _ session.Session) error {
			return b.keeper.EndAll(b.Context(), tx, "a", "", session.Elsewhere)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			token, s := b.start(b.person("a"))
			theirs, _ := b.start(b.person("b"))
			far := b.newKeeper()
			b.holds(far, token, true, "before")
			b.holds(far, theirs, true, "before")
			b.write(func(tx *store.Tx) error { return end(b, tx, s) })
			b.clock.Advance(time.Second)
			b.reads.Store(0)
			b.follow(far)
			b.holds(far, token, false, "after")
			b.holds(far, theirs, true, "another's")
			if n := b.reads.Load(); n != 1 {
				t.Errorf("the database was read %d times, want 1: only the ended session is forgotten", n)
			}
		})
	}
}

// A caller with the token of an ended session gets the reason, from the process
// that ended it and from any other.
func TestCheck_WhyItEnded(t *testing.T) {
	t.Parallel()
	all := func(why session.Reason) func(*bundle, *store.Tx, session.Session) error {
		return func(b *bundle, tx *store.Tx, _ session.Session) error {
			return b.keeper.EndAll(b.Context(), tx, "a", "", why)
		}
	}
	for name, tt := range map[string]struct {
		wait time.Duration
		end  func(*bundle, *store.Tx, session.Session) error
		want session.Reason
	}{
		"idle":     {wait: idle, want: session.Idle},
		"absolute": {wait: absolute, want: session.Absolute},
		"password": {end: all(session.Password), want: session.Password},
		"closed":   {end: all(session.Disabled), want: session.Disabled},
		"elsewhere": {end: func(b *bundle, tx *store.Tx, s session.Session) error {
			_, err := b.keeper.End(b.Context(), tx, "a", s.ID, session.Elsewhere)
			return err
		}, want: session.Elsewhere},
		"left": {end: func(b *bundle, tx *store.Tx, s session.Session) error {
			_, err := b.keeper.End(b.Context(), tx, "a", s.ID, session.Left)
			return err
		}, want: session.Left},
		"deleted": {end: func(b *bundle, tx *store.Tx, s session.Session) error {
			if err := b.keeper.EndAll(b.Context(), tx, "a", "", session.Deleted); err != nil {
				return err
			}
			_, err := tx.DeleteAccount(b.Context(), "a")
			return err
		}, want: session.Deleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			token, s := b.start(b.person("a"))
			b.holds(b.keeper, token, true, "before")
			b.clock.Advance(tt.wait)
			if tt.end != nil {
				b.write(func(tx *store.Tx) error { return tt.end(b, tx, s) })
				b.keeper.Forget("a")
			}
			for _, keeper := range []*session.Keeper{b.keeper, b.newKeeper()} {
				_, err := b.check(keeper, token)
				f := fault.From(err)
				if !errors.Is(err, session.Required) || errors.Is(err, session.Ended) != (tt.want != "") || f.Params["reason"] != string(tt.want) {
					t.Errorf("%v with %v, want the reason %q", err, f.Params, tt.want)
				}
			}
		})
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, old := b.start(b.person("a"))
	b.clock.Advance(idle / 2)
	token, young := b.start("a")
	b.start(b.person("b"))
	ids := func() string {
		var got []string
		for _, s := range b.list("a") {
			got = append(got, s.ID)
		}
		return strings.Join(got, " ")
	}
	if got := ids(); got != young.ID+" "+old.ID {
		t.Errorf("listed %s, want the newest first", got)
	}
	b.clock.Advance(idle / 2)
	b.holds(b.keeper, token, true, "a use that only the cache knows")
	if got := ids(); got != young.ID {
		t.Errorf("listed %s, want the one that is in use", got)
	}
	if seen := b.list("a")[0].LastSeenAt; !seen.Equal(b.clock.Now()) {
		t.Errorf("last used at %v, want now, %v", seen, b.clock.Now())
	}
}

func TestFlush_Batches(t *testing.T) {
	t.Parallel()
	const sessions = 1001
	b := setup(t)
	b.person("a")
	tokens := make([]string, sessions)
	b.write(func(tx *store.Tx) (err error) {
		for n := range tokens {
			if tokens[n], _, err = b.keeper.Start(t.Context(), tx, session.Session{AccountID: "a", Version: 1, AuthenticatedAt: b.clock.Now(), Methods: []string{"password"}}); err != nil {
				return err
			}
		}
		return nil
	})
	b.clock.Advance(time.Minute)
	for _, token := range tokens {
		b.holds(b.keeper, token, true, "a use")
	}
	if n := b.flush(b.keeper); n != 3 {
		t.Errorf("1001 uses took %d transactions, want 3", n)
	}
	if n := b.flush(b.keeper); n != 0 {
		t.Errorf("nothing took %d transactions", n)
	}
	b.clock.Advance(idle - time.Microsecond)
	b.holds(b.newKeeper(), tokens[0], true, "the use is known to another process")
}

func TestFlush_FailureLosesNoUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	b.clock.Advance(idle / 2)
	b.holds(b.keeper, token, true, "a use")
	broken := errors.New("the disk is full")
	err := b.keeper.Flush(t.Context(), func(context.Context, func(session.Store) error) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	b.flush(b.keeper)
	b.clock.Advance(idle - time.Microsecond)
	b.holds(b.newKeeper(), token, true, "the use is known to another process")
}

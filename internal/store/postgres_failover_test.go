package store_test

import (
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// A server that takes no writes, such as a standby, counts as away. The store
// reads nothing there either, and checks it once a second.
func TestStore_ReadOnlyServer(t *testing.T) {
	t.Parallel()
	const span = 2 * time.Second
	s := newShared(t)
	if err := s.add("a"); err != nil {
		t.Fatal(err)
	}
	past := s.past()
	name := pgx.Identifier{past.Config().Database}.Sanitize()
	s.say(past, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	s.proxy.Be(pgtest.Refusing) // a server that becomes a standby ends its connections
	s.proxy.Be(pgtest.Passing)
	before, began := s.proxy.Begun(), time.Now()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for time.Since(began) < span {
				s.allRefusedInTime("a server that takes no writes")
				s.refusedInTime("a server that takes no writes, a ping", func() error { return s.store.Ping(t.Context()) })
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	group.Wait()
	if n := s.proxy.Begun() - before; n > int(span/time.Second)+3+4 {
		t.Errorf("%d connections were begun in %v", n, span)
	}
	s.say(past, "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	s.back()
}

func (s *shared) say(conn *pgx.Conn, text string) {
	s.Helper()
	if _, err := conn.Exec(s.Context(), "SET default_transaction_read_only = off; "+text); err != nil {
		s.Fatal(err)
	}
}

// If one of several servers hangs, the first write after a start still reaches another one. The hanging one takes a second
// of the 1.4 that a request has. A busy machine may need more for the rest, so any of several starts will do.
func TestOpen_FirstOfTwoHangs(t *testing.T) {
	t.Parallel()
	database := pgtest.Plain(pgtest.Migrated(t))
	hangs := pgtest.NewProxy(t, database)
	hangs.Be(pgtest.Hanging)
	both, err := url.Parse(pgtest.NewProxy(t, database).URL())
	if err != nil {
		t.Fatal(err)
	}
	first, err := url.Parse(hangs.URL())
	if err != nil {
		t.Fatal(err)
	}
	both.Host = first.Host + "," + both.Host
	for deadline := time.Now().Add(testform.Patience); ; {
		s := &shared{T: t, store: openPostgres(t, both.String())}
		if err = s.note(); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the first write after a start: %v", err)
		}
		_ = s.store.Close()
	}
}

// An open connection whose server begins to take no writes does not count as
// working.
func TestPing_ReadOnly(t *testing.T) {
	t.Parallel()
	s := newShared(t, "target_session_attrs", "any")
	if err := s.store.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun := s.proxy.Begun()
	read := newShared(t, "target_session_attrs", "any", "options", "-cdefault_transaction_read_only=on")
	if err := read.store.Ping(t.Context()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a ping of a server that takes no writes: %v", err)
	}
	if err := s.store.Ping(t.Context()); err != nil || s.proxy.Begun() != begun {
		t.Errorf("a ping of one that does: %v, %d connections", err, s.proxy.Begun()-begun)
	}
}

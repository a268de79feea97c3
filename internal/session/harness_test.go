package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

const (
	idle     = time.Hour
	absolute = 24 * time.Hour
)

// bundle is a keeper on a real database.
type bundle struct {
	testing.TB
	store  *store.Store
	clock  *clock.Manual
	keeper *session.Keeper
	reads  atomic.Int64 // reads of sessions by their hash
}

func setup(t testing.TB) *bundle {
	t.Helper()
	s := sqlitetest.Open(t)
	b := &bundle{TB: t, store: s, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	b.keeper = b.newKeeper()
	return b
}

// newKeeper returns a keeper with its own cache, as another process has one.
func (b *bundle) newKeeper() *session.Keeper {
	return session.NewKeeper(session.Config{Clock: b.clock, Idle: idle, Absolute: absolute, CacheMax: 10_000})
}

// counted is a transaction that counts the reads that the cache could not
// answer.
type counted struct {
	session.Store
	reads *atomic.Int64
}

func (c counted) SessionByHash(ctx context.Context, hash []byte) (session.Found, bool, error) {
	c.reads.Add(1)
	return c.Store.SessionByHash(ctx, hash)
}

func (b *bundle) write(fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(b.Context(), fn); err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) person(id string) string {
	b.Helper()
	b.write(func(tx *store.Tx) error {
		_, err := tx.InsertAccount(b.Context(), account.Account{
			ID: id, Address: account.Address{Mail: id + "@x.test", Key: id + "@x.test"}, State: account.Active, Version: 1,
		})
		return err
	})
	return id
}

func (b *bundle) start(accountID string) (token string, s session.Session) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		token, s, err = b.keeper.Start(b.Context(), tx, session.Session{AccountID: accountID, Version: 1, UserAgent: "Firefox", AuthenticatedAt: b.clock.Now(), Methods: []string{"password"}})
		return err
	})
	return token, s
}

// check looks a token up as the flows do: in the cache first.
func (b *bundle) check(k *session.Keeper, token string) (found session.Found, err error) {
	b.Helper()
	if kept, ok := k.CheckKept(token); ok {
		return kept, nil
	}
	_ = b.store.Read(b.Context(), func(tx *store.Tx) error {
		found, err = k.Check(b.Context(), counted{tx, &b.reads}, token)
		return nil
	})
	if err != nil && !errors.Is(err, session.Required) {
		b.Fatal(err)
	}
	return found, err
}

// holds expects that a keeper accepts a token, or not.
func (b *bundle) holds(k *session.Keeper, token string, want bool, why string) {
	b.Helper()
	if _, err := b.check(k, token); (err == nil) != want {
		b.Errorf("%s: %v, want a session: %v", why, err, want)
	}
}

func (b *bundle) list(accountID string) (list []session.Session) {
	b.Helper()
	err := b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
		list, err = b.keeper.List(b.Context(), tx, accountID)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// flush returns the number of transactions in which the keeper wrote its uses.
func (b *bundle) flush(k *session.Keeper) (transactions int) {
	b.Helper()
	err := k.Flush(b.Context(), func(ctx context.Context, fn func(session.Store) error) error {
		transactions++
		return b.store.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
	})
	if err != nil {
		b.Fatal(err)
	}
	return transactions
}

func (b *bundle) follow(k *session.Keeper) {
	b.Helper()
	if err := b.store.Read(b.Context(), func(tx *store.Tx) error {
		_, err := k.Follow(b.Context(), tx)
		return err
	}); err != nil {
		b.Fatal(err)
	}
}

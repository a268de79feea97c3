package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"portico/internal/store/engine"
)

// Reach tries once whether the server accepts a connection, and ends with ctx.
func Reach(ctx context.Context, address string) error {
	cfg, err := poolConfig(address)
	if err != nil {
		return err
	}
	if _, err := takePatience(cfg); err != nil {
		return fmt.Errorf("the database URL: %w", err)
	}
	g := &gate{}
	if err := g.enter(); err != nil {
		return err
	}
	cfg.ConnConfig.DialFunc = g.dial(cfg.ConnConfig.DialFunc) // one connection a try
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return Plainly(err)
	}
	return conn.Close(ctx)
}

// ComesBack reports whether an error says that a database server is away for
// now: it is down, begins or ends, is full, or its name is not found. What only
// an operator can mend (a password, a name, TLS) is not, also when it stands
// beside one that is: the server is there.
func ComesBack(err error) bool {
	if err == nil {
		return false
	}
	away := false
	for _, one := range leaves(err) {
		switch {
		case theirs(one, err):
			return false
		case gone(one):
			away = true
		}
	}
	return away
}

// leaves returns what an error was made of.
func leaves(err error) []error {
	if _, network := err.(*net.OpError); network {
		return []error{err}
	}
	switch inner := err.(type) {
	case interface{ Unwrap() error }:
		if next := inner.Unwrap(); next != nil {
			return leaves(next)
		}
	case interface{ Unwrap() []error }:
		var all []error
		for _, next := range inner.Unwrap() {
			all = append(all, leaves(next)...)
		}
		return all
	}
	return []error{err}
}

// gone reports whether one error says that nobody is there.
func gone(one error) bool {
	if answer, ok := one.(*pgconn.PgError); ok {
		return awayState(answer.Code)
	}
	_, network := one.(net.Error)
	if _, file := one.(syscall.Errno); file { // has the methods of a net.Error; that of a socket is in a net.OpError
		network = false
	}
	return network || slices.ContainsFunc(passing, func(e error) bool { return errors.Is(one, e) })
}

// passing are failures that pass without being of the network: among several
// servers the one that takes writes may not have begun.
var passing = []error{io.EOF, io.ErrUnexpectedEOF, engine.ErrReadOnly, pgconn.ErrReadOnlyConnection}

// theirs reports whether one error, a part of whole, is an answer that stays
// the same.
func theirs(one, whole error) bool {
	if answer, ok := one.(*pgconn.PgError); ok {
		return !awayState(answer.Code) || answer.Code == stateDropped
	}
	if op, ok := one.(*net.OpError); ok {
		return op.Op == "remote error" || op.Op == "local error" // alerts of TLS
	}
	text := one.Error()
	return text == refusedTLS && !plainToo(whole) || strings.HasPrefix(text, "x509: ") || strings.HasPrefix(text, "tls: ")
}

// stateDropped says that the database was dropped while one connected.
const stateDropped = "57P04"

// refusedTLS is how the driver says that a server has no TLS.
const refusedTLS = "server refused TLS connection"

// plainToo reports whether a connection that failed was tried without TLS as
// well, as sslmode=prefer does.
func plainToo(err error) bool {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return false
	}
	plain := failed.Config.TLSConfig == nil
	for _, other := range failed.Config.Fallbacks {
		plain = plain || other.TLSConfig == nil
	}
	return plain
}

// Plainly leaves out of a failure that a server has no TLS, where that was no
// reason to fail: it would stand before the real one.
func Plainly(err error) error {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok || !plainToo(err) {
		return err
	}
	joined, ok := failed.Unwrap().(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var kept []error
	for _, one := range joined.Unwrap() {
		if !strings.Contains(one.Error(), refusedTLS) {
			kept = append(kept, one)
		}
	}
	if len(kept) == 0 || len(kept) == len(joined.Unwrap()) {
		return err
	}
	text := fmt.Sprintf("failed to connect to `user=%s database=%s`: %v", failed.Config.User, failed.Config.Database, errors.Join(kept...))
	return engine.Reword(text, err)
}

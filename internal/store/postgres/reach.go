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
	cfg.ConnConfig.DialFunc = g.dial(cfg.ConnConfig.DialFunc) // one connection per attempt
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return Plainly(err)
	}
	return conn.Close(ctx)
}

// ComesBack reports whether an error says that the server is away for now: it
// is down, starts or stops, is full, or its name is not found. It is false when
// an answer needs the operator (a wrong password, database name or TLS
// setting), even if another server of the URL is away.
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

// leaves returns the errors that an error wraps and that wrap none themselves.
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

// gone reports whether one error says that no server answers.
func gone(one error) bool {
	if answer, ok := one.(*pgconn.PgError); ok {
		return awayState(answer.Code)
	}
	_, network := one.(net.Error)
	if _, file := one.(syscall.Errno); file { // Errno has the methods of a net.Error, but the error of a socket is inside a net.OpError
		network = false
	}
	return network || slices.ContainsFunc(passing, func(e error) bool { return errors.Is(one, e) })
}

// passing are temporary errors that are not network errors: one of several servers, which
// takes writes, may still be starting.
var passing = []error{io.EOF, io.ErrUnexpectedEOF, engine.ErrReadOnly, pgconn.ErrReadOnlyConnection}

// theirs reports whether one error, a part of whole, is an answer that will
// stay the same.
func theirs(one, whole error) bool {
	if answer, ok := one.(*pgconn.PgError); ok {
		return !awayState(answer.Code) || answer.Code == stateDropped
	}
	if op, ok := one.(*net.OpError); ok {
		return op.Op == "remote error" || op.Op == "local error" // TLS alerts
	}
	text := one.Error()
	return text == refusedTLS && !plainToo(whole) || strings.HasPrefix(text, "x509: ") || strings.HasPrefix(text, "tls: ")
}

// stateDropped says that the database was dropped during the connection.
const stateDropped = "57P04"

// refusedTLS is the driver's text for a server without TLS.
const refusedTLS = "server refused TLS connection"

// plainToo reports whether the driver also tried the failed connection without
// TLS, as sslmode=prefer does.
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

// Plainly returns an error of a connection with what the operator can do.
func Plainly(err error) error {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return err
	}
	err = withoutTLS(failed, err)
	if do := advice(failed); do != "" {
		return engine.Reword(err.Error()+": "+do, err)
	}
	return err
}

// withoutTLS removes from an error that a server has no TLS, when the driver also
// tried without. That part would stand before the real reason.
func withoutTLS(failed *pgconn.ConnectError, err error) error {
	joined, ok := failed.Unwrap().(interface{ Unwrap() []error })
	if !ok || !plainToo(err) {
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

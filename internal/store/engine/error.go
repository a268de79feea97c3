package engine

import (
	"errors"
	"time"

	"portico/internal/fault"
)

var (
	// ErrNone says that there is no database where one has to be.
	ErrNone = errors.New("there is no database")

	// ErrInUse says that another process serves this database.
	ErrInUse = errors.New("another portico serves this database already: stop it first")

	// ErrNoBackup says that the engine has its own tool for copies.
	ErrNoBackup = errors.New("a PostgreSQL database is copied by its own tools: run pg_dump --format=custom, and keep the key file as well")

	// ErrReadOnly says that a database takes no writes. A standby takes
	// none, and SQLite and some managed servers take none when their disk is full.
	ErrReadOnly = errors.New("the PostgreSQL database is read-only, as a standby is: name the server that takes writes")

	// ErrText says that a text cannot be stored. PostgreSQL refuses U+0000 and
	// invalid UTF-8. SQLite refuses them here too, so that every database can
	// move to PostgreSQL.
	ErrText = errors.New("the text holds a zero byte, or is not UTF-8: no database keeps it")
)

// CodeUnavailable says that the database does not answer in time.
const CodeUnavailable = fault.CodeUnavailable

// Unavailable returns the fault of a database that does not answer in time. The
// caller may retry after a second.
func Unavailable(cause error) error {
	return fault.New(fault.Unavailable, CodeUnavailable).WithRetryAfter(time.Second).WithCause(cause)
}

// Guarded runs fn and turns its panic into an error. One write must not end the goroutine
// that carries out the writes of other callers.
func Guarded(tx *Tx, fn func(*Tx) error) (err error) {
	defer fault.Recover(&err)
	return fn(tx)
}

// Reword returns an error that wraps err and has another text.
func Reword(text string, err error) error { return &reworded{text, err} }

type reworded struct {
	text string
	err  error
}

// Error implements error.
func (r *reworded) Error() string { return r.text }

// Unwrap returns the error with its own words.
func (r *reworded) Unwrap() error { return r.err }

package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckURL says what is wrong with the address of a database, without asking a server. The
// error shows only the wrong part of the address.
func CheckURL(address string) error {
	cfg, err := poolConfig(address)
	if cause := errors.Unwrap(err); cause != nil {
		return cause // the caller names the setting
	}
	if err != nil {
		return err
	}
	if _, err := takePatience(cfg); err != nil {
		return err
	}
	for name := range cfg.ConnConfig.RuntimeParams {
		if !strings.Contains(name, ".") && !slices.Contains(settable, name) {
			return fmt.Errorf("%q is not a connection parameter: correct it, or write options=-c%%20%s%%3D... when the server has a setting of that name", name, name)
		}
	}
	return nil
}

// settable are the session settings that a URL may pass to the server by name.
// Any other name may be a typing error, and the server would then refuse every
// connection.
var settable = []string{
	"application_name", "client_encoding", "client_min_messages", "commit_delay", "datestyle", "deadlock_timeout",
	"default_transaction_isolation", "default_transaction_read_only", "effective_cache_size", "effective_io_concurrency",
	"extra_float_digits", "fallback_application_name", "from_collapse_limit", "geqo", "idle_in_transaction_session_timeout",
	"idle_session_timeout", "intervalstyle", "jit", "join_collapse_limit", "lock_timeout", "log_duration",
	"log_min_duration_statement", "log_statement", "maintenance_work_mem", "options", "plan_cache_mode", "random_page_cost",
	"replication", "role", "search_path", "seq_page_cost", "session_authorization", "statement_timeout",
	"standard_conforming_strings", "synchronous_commit", "tcp_keepalives_count", "tcp_keepalives_idle",
	"tcp_keepalives_interval", "tcp_user_timeout", "temp_buffers", "timezone", "TimeZone", "DateStyle", "IntervalStyle",
	"transaction_timeout", "work_mem",
}

// Speaks reports whether an address names a PostgreSQL server.
func Speaks(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return scheme == "postgres" || scheme == "postgresql"
}

// withoutURL returns the driver's message about an address without the address.
// The driver hides only what it recognizes as a password.
func withoutURL(err error) error {
	bad, ok := errors.AsType[*pgconn.ParseConfigError](err)
	if !ok {
		return err
	}
	text := bad.Error()
	return errors.New(text[strings.LastIndex(text, "`: ")+len("`: "):])
}

// takePatience removes answer_within from what is sent to the server.
func takePatience(cfg *pgxpool.Config) (time.Duration, error) {
	given, ok := cfg.ConnConfig.RuntimeParams[patience]
	if !ok {
		return answerIn, nil
	}
	delete(cfg.ConnConfig.RuntimeParams, patience)
	within, err := time.ParseDuration(given)
	if err != nil || within <= 0 {
		return 0, fmt.Errorf("%s is %q: write a time such as 1.4s", patience, given)
	}
	return within, nil
}

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

// CheckURL says what is wrong with the address of a database, as far as nobody
// need be asked. The error shows nothing of the address but the part at fault.
func CheckURL(address string) error {
	cfg, err := poolConfig(address)
	if err != nil {
		return withoutURL(err)
	}
	if _, err := takePatience(cfg); err != nil {
		return err
	}
	for name := range cfg.ConnConfig.RuntimeParams {
		if !strings.Contains(name, ".") && !slices.Contains(settable, name) {
			return fmt.Errorf("%q is no parameter of a connection: correct it, or write options=-c%%20%s%%3D... when the server has a setting of that name", name, name)
		}
	}
	return nil
}

// settable are the settings of a session that a URL gives the server by their
// names. What is not among them may be a slip, and the server then refuses every
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

// Speaks reports whether an address is that of a database server.
func Speaks(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return scheme == "postgres" || scheme == "postgresql"
}

// withoutURL returns what the driver says of an address without the address,
// of which it hides no more than it recognises as a password.
func withoutURL(err error) error {
	bad, ok := errors.AsType[*pgconn.ParseConfigError](err)
	if !ok {
		return err
	}
	text := bad.Error()
	return errors.New(text[strings.LastIndex(text, "`: ")+len("`: "):])
}

// takePatience takes answer_within out of what is sent to the server.
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

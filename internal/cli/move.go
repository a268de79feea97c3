package cli

import (
	"errors"
	"fmt"
	"time"

	"portico/internal/config"
	"portico/internal/store/move"
)

type moveCmd struct {
	To     string `required:"" help:"The PostgreSQL database. It must be empty. The password can come from PGPASSWORD or PGPASSFILE." placeholder:"postgres://USER@HOST/NAME"`
	DryRun bool   `help:"Check both databases without changing anything."`
	JSON   bool   `name:"json" help:"Print as JSON."`
}

func (moveCmd) Help() string {
	return `Example:
  portico move --to 'postgres://portico@db.example.com/portico?sslmode=verify-full'

Moves the SQLite database in PORTICO_DATABASE_URL. The server keeps running while all data is copied and compared. During the switch, writes wait for a few seconds until the last changes are copied and compared too. Then the server stops and no longer starts on the SQLite database. Set PORTICO_DATABASE_URL to the PostgreSQL database, keep the same key file (PORTICO_SECRET_FILE), and start the server again. Sessions, codes and emails stay valid.

If it is interrupted, run it again. See docs/operating/move.md.`
}

func (c moveCmd) Run(s *session) error {
	outliveReaders()
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	to, err := config.ParseDatabaseURL("--to", c.To)
	if err != nil {
		return err
	}
	done, err := move.Run(s, cfg.DatabaseURL, to, move.Options{DryRun: c.DryRun, Report: s.progress()})
	if errors.Is(err, move.ErrNotMovable) {
		err = fmt.Errorf("%w: %w", errUsage, err)
	}
	if err != nil {
		return err
	}
	return s.print(c.JSON, map[string]any{
		"moved": !c.DryRun, "completed": done.Completed, "tables": done.Tables, "writes_refused_seconds": done.Refused.Seconds(),
	}, c.lines(done, cfg)...)
}

// lines returns the result and the next step for the operator.
func (c moveCmd) lines(done move.Result, cfg config.Config) []string {
	var lines []string
	rows := int64(0)
	for _, t := range done.Tables {
		lines = append(lines, fmt.Sprintf("%s\t%d", t.Name, t.Rows))
		rows += t.Rows
	}
	switch {
	case c.DryRun && done.Completed:
		return append(lines, fmt.Sprintf("dry run\teverything is copied; %d rows would be compared again and the switch completed", rows))
	case c.DryRun:
		return append(lines, fmt.Sprintf("dry run\tthe PostgreSQL database can take the %d rows", rows))
	}
	moved := fmt.Sprintf("moved\t%d rows, compared one by one; writes were refused for %v", rows, done.Refused.Round(time.Millisecond))
	if done.Completed {
		moved = fmt.Sprintf("completed\tthe move that was interrupted; %d rows, compared one by one", rows)
	}
	return append(lines, moved,
		"next\tset PORTICO_DATABASE_URL to the PostgreSQL database, keep the key file "+cfg.SecretFile+", and start the server")
}

// progress returns a function that prints the beginning of each step to
// standard error, and its progress every two seconds.
func (s *session) progress() func(step, table string, rows int64) {
	var said time.Time
	var last string
	return func(step, table string, rows int64) {
		if now := step + table; now == last && time.Since(said) < 2*time.Second {
			return
		}
		said, last = time.Now(), step+table
		switch {
		case table == "":
			fmt.Fprintln(s.Stderr, step)
		case rows == 0:
			fmt.Fprintf(s.Stderr, "%s: %s\n", step, table)
		default:
			fmt.Fprintf(s.Stderr, "%s: %s, %d rows\n", step, table, rows)
		}
	}
}

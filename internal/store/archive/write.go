package archive

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"portico/internal/secret"
	"portico/internal/store"
)

// format is raised by a change of the form of the lines.
const format = 1

// Head is the first line.
type Head struct {
	Format  int           `json:"portico_archive"`
	Version string        `json:"version"` // of the Portico that wrote it
	Schema  int64         `json:"schema"`
	Purpose store.Purpose `json:"purpose"`
	At      time.Time     `json:"at"`
	From    int64         `json:"record_from"` // the time of the oldest audit record, 0 without the record
	Rows    int64         `json:"rows"`
}

// end is the last line.
type end struct {
	Rows int64  `json:"rows"`
	Hash string `json:"sha256"` // of all lines before
}

// Options are what a caller of Write chooses.
type Options struct {
	Version string
	Record  bool          // with the audit records
	Former  func() []byte // what the master key's password hashes need, sealed, as in former_master_key
	Now     time.Time
	Report  func(rows, all int64)
}

// Result says what was written or read.
type Result struct {
	Tables   []TableRows `json:"tables"`
	Unopened int64       `json:"unopened"` // sealed values that no key opens, which are left out
}

// TableRows is one table and its rows.
type TableRows struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Write writes the archive of a database, which may be served meanwhile.
func Write(ctx context.Context, s *store.Store, key *secret.Key, out io.Writer, o Options) (r Result, err error) {
	facts, err := s.Facts(ctx)
	if err != nil {
		return r, err
	}
	w := &writer{key: key, options: o, head: Head{Format: format, Version: o.Version, Schema: facts.Schema, At: o.Now.UTC()}, hash: sha256.New()}
	if w.head.Purpose, err = s.Purpose(ctx); err != nil {
		return r, err
	}
	w.out = io.MultiWriter(out, w.hash)
	err = s.Snapshot(ctx, func(conn *sql.Conn) error { return w.all(ctx, conn) })
	return w.result, err
}

type writer struct {
	key     *secret.Key
	options Options
	head    Head
	out     io.Writer
	hash    hash.Hash
	rows    int64
	result  Result
}

func (w *writer) all(ctx context.Context, conn *sql.Conn) error {
	tables := tablesOf(w.options.Record)
	counts := make([]string, 0, len(tables))
	for _, name := range tables {
		counts = append(counts, `(SELECT COUNT(*) FROM `+quote(name)+`)`)
	}
	if err := conn.QueryRowContext(ctx, `SELECT 1 + `+strings.Join(counts, " + ")).Scan(&w.head.Rows); err != nil { // and the key
		return err
	}
	if w.options.Record {
		if err := conn.QueryRowContext(ctx, `SELECT COALESCE(MIN(at), 0) FROM audit`).Scan(&w.head.From); err != nil {
			return err
		}
	}
	if err := w.line(w.head); err != nil {
		return err
	}
	for _, name := range tables {
		before := w.rows
		if err := w.table(ctx, conn, name); err != nil {
			return fmt.Errorf("read the table %s: %w", name, err)
		}
		w.result.Tables = append(w.result.Tables, TableRows{name, w.rows - before})
	}
	return w.line(map[string]end{"end": {Rows: w.rows, Hash: hex.EncodeToString(w.hash.Sum(nil))}})
}

func (w *writer) line(value any) error {
	b, err := json.Marshal(value)
	if err == nil {
		_, err = w.out.Write(append(b, '\n'))
	}
	return err
}

func (w *writer) table(ctx context.Context, conn *sql.Conn, name string) error {
	t, err := describe(ctx, conn, name)
	if err != nil {
		return err
	}
	box := w.key.Box(t.box)
	rows, err := conn.QueryContext(ctx, `SELECT `+strings.Join(t.quoted, ", ")+` FROM `+quote(name))
	if err != nil {
		return err
	}
	defer rows.Close()
	row, into, b := make([]any, len(t.columns)), make([]any, len(t.columns)), []byte(nil)
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if b, err = w.row(t, box, row, b[:0]); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if name == "former_master_key" {
		_, err = w.row(t, box, w.former(t), nil)
	}
	return err
}

func (w *writer) row(t *table, box *secret.Box, row []any, b []byte) ([]byte, error) {
	if t.box != "" {
		sealed, _ := row[t.sealed].([]byte)
		value, err := box.Open(sealed, t.contextOf(row))
		if err != nil {
			w.result.Unopened++
			value = []byte{} // the row may have others that refer to it
		}
		row[t.sealed] = value
	}
	b, err := t.appendRow(b, row)
	if err != nil {
		return nil, err
	}
	if _, err := w.out.Write(b); err != nil {
		return nil, err
	}
	if w.rows++; w.rows%reportEach == 0 {
		w.options.Report(w.rows, w.head.Rows)
	}
	return b, nil
}

const reportEach = 1000

// former returns the row of the key that made the password hashes, as if it had been replaced.
func (w *writer) former(t *table) []any {
	now := w.head.At.UnixMicro()
	row := make([]any, len(t.columns))
	for name, value := range map[string]any{"id": w.key.ID(), "pepper": w.options.Former(), "changed_at": now, "done_at": now} {
		row[t.place(name)] = value
	}
	return row
}

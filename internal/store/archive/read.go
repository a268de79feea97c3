package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/engine"
)

// mostLine bounds a line. The longest ones have a picture.
const mostLine = 32 << 20

var (
	errForm = errors.New("this is not an archive of 'portico export': for the people of another system, use 'portico user import'")
	errCut  = errors.New("the archive ends early: part of it is missing, so nothing was imported")
	errHash = errors.New("the archive was changed since it was written, so nothing was imported")
)

// Archive is an archive whose first line was read.
type Archive struct {
	Head Head
	in   *bufio.Reader
	hash hash.Hash
	line int
}

// Begin reads the first line.
func Begin(in io.Reader) (*Archive, error) {
	a := &Archive{in: bufio.NewReaderSize(in, 1<<20), hash: sha256.New()}
	line, err := a.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if json.Unmarshal(line, &a.Head) != nil || a.Head.Format == 0 {
		return nil, errForm
	}
	a.hash.Write(line)
	if a.Head.Format != format {
		return nil, fmt.Errorf("the archive was written by Portico %s in a form that this version does not know: import it with that version", a.Head.Version)
	}
	return a, nil
}

// Fits refuses an archive that this database cannot take.
func (a *Archive) Fits(ctx context.Context, s *store.Store) error {
	facts, err := s.Facts(ctx)
	if err != nil {
		return err
	}
	if a.Head.Schema != facts.Schema {
		return fmt.Errorf("the archive was written by Portico %s with the schema %d, and this version has the schema %d: import it with that version, and upgrade then", a.Head.Version, a.Head.Schema, facts.Schema)
	}
	purpose, err := s.Purpose(ctx)
	if err == nil && a.Head.Purpose != purpose {
		err = errors.New("the archive is of 'portico dev', and its people have a published password: this installation does not take it")
	}
	return err
}

// next returns a line with its end. It is valid until the next call.
func (a *Archive) next() ([]byte, error) {
	a.line++
	line, err := a.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(long) < mostLine {
		line, err = a.in.ReadSlice('\n')
		long = append(long, line...)
	}
	if len(long) >= mostLine {
		return nil, fmt.Errorf("line %d has more than %d MiB: no archive has that", a.line, mostLine>>20)
	}
	return long, err
}

// Into says how Fill does it.
type Into struct {
	Key    *secret.Key // seals
	Now    time.Time
	Report func(rows int64)
	Finish func(*store.Tx) error // the last step, in the transaction
}

// Fill puts all rows into an empty database.
func (a *Archive) Fill(ctx context.Context, s *store.Store, o Into) (r Result, err error) {
	if from := time.UnixMicro(a.Head.From); a.Head.From > 0 {
		if oldest := o.Now.AddDate(-10, 0, 0); from.Before(oldest) { // audit.keep is no longer
			from = oldest
		}
		if err := s.MakeMonths(ctx, from, o.Now); err != nil {
			return r, err
		}
	}
	f := &filler{archive: a, into: o}
	err = s.Fill(ctx, func(conn *sql.Conn, tx *store.Tx) error {
		f.conn = conn
		if err := f.checkEmpty(ctx, s.Shared()); err != nil {
			return err
		}
		if err := f.all(ctx); err != nil {
			return err
		}
		return o.Finish(tx)
	})
	return f.result, err
}

// filler is one run of Fill.
type filler struct {
	archive *Archive
	into    Into
	conn    *sql.Conn
	table   *inserter   // nil before the first row
	box     *secret.Box // of the table
	order   int         // the place of the table in the list
	rows    int64
	result  Result
}

// checkEmpty refuses a database that has rows. On a shared one it keeps others from writing any.
func (f *filler) checkEmpty(ctx context.Context, shared bool) error {
	if shared {
		var tables []string
		for _, name := range archived() {
			tables = append(tables, quote(name))
		}
		if _, err := f.conn.ExecContext(ctx, `LOCK TABLE `+strings.Join(tables, ", ")+` IN EXCLUSIVE MODE`); err != nil {
			return err
		}
	}
	for _, name := range archived() {
		var found bool
		if err := f.conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+quote(name)+`)`).Scan(&found); err != nil {
			return err
		}
		if found {
			return engine.Reword(fmt.Sprintf("the database is not empty, its table %s has rows: name a new one in database_url, since an import replaces nothing", name), fs.ErrExist)
		}
	}
	return nil
}

func (f *filler) all(ctx context.Context) error {
	for {
		line, err := f.archive.next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errCut
		}
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		var named map[string]json.RawMessage
		if json.Unmarshal(line, &named) != nil || len(named) != 1 {
			return fmt.Errorf("line %d is not a row: %w", f.archive.line, errHash)
		}
		for name, value := range named {
			if name == "end" {
				return f.end(ctx, value)
			}
			if err := f.add(ctx, name, value); err != nil {
				return fmt.Errorf("line %d: %w", f.archive.line, err)
			}
		}
		f.archive.hash.Write(line)
	}
}

// end compares what was read with the last line.
func (f *filler) end(ctx context.Context, value json.RawMessage) error {
	var last end
	if json.Unmarshal(value, &last) != nil || last.Rows != f.rows || last.Hash != hex.EncodeToString(f.archive.hash.Sum(nil)) {
		return errHash
	}
	if _, err := f.archive.in.ReadByte(); !errors.Is(err, io.EOF) {
		return errHash
	}
	return f.closeTable(ctx)
}

func (f *filler) add(ctx context.Context, name string, value json.RawMessage) error {
	if f.table == nil || f.table.name != name {
		if err := f.begin(ctx, name); err != nil {
			return err
		}
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil {
		return errHash
	}
	row, err := f.table.rowOf(fields)
	if err != nil {
		return err
	}
	if f.rows++; f.rows%reportEach == 0 {
		f.into.Report(f.rows)
	}
	if name == "former_master_key" && slices.Contains(f.into.Key.IDs(), fmt.Sprint(row[f.table.place("id")])) {
		return nil // this installation has the key itself
	}
	if t := f.table; t.box != "" {
		clear, _ := row[t.sealed].([]byte)
		row[t.sealed] = f.box.Seal(clear, t.contextOf(row))
	}
	return f.table.add(ctx, row)
}

// begin ends the table before, and begins with another one further down the list.
func (f *filler) begin(ctx context.Context, name string) error {
	at := slices.Index(archived(), name)
	if at < 0 || f.table != nil && at <= f.order {
		return fmt.Errorf("the table %q is not expected here: %w", name, errHash)
	}
	if err := f.closeTable(ctx); err != nil {
		return err
	}
	t, err := describe(ctx, f.conn, name)
	if err != nil {
		return err
	}
	f.table, f.box, f.order = &inserter{table: t, conn: f.conn}, f.into.Key.Box(t.box), at
	return nil
}

func (f *filler) closeTable(ctx context.Context) error {
	if f.table == nil {
		return nil
	}
	err := f.table.close(ctx)
	f.result.Tables = append(f.result.Tables, TableRows{f.table.name, f.table.rows})
	return err
}

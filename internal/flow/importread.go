package flow

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/job"
	"portico/internal/people"
	"portico/internal/secret"
)

const (
	// MostFile is the largest file that an admin or a key can send.
	MostFile = 32 << 20
	// mostWhole is the largest file of a system whose file is read whole.
	mostWhole = 2 << 20
	// partBytes is how much of a file makes a part, unless it has so many people first.
	partBytes = 256 << 10
	// mostHead is the longest first line of CSV. Each part has it.
	mostHead = 64 << 10
	// mostKept is how much is kept of a file. Without it, short lines and a long first line would grow to many times the file.
	mostKept = 4 * MostFile
	// entryBytes is what an entry takes beside its line.
	entryBytes = 500
	// readAtOnce is how many files a node reads at the same time. What a reader holds of a file is up to 50 MB.
	readAtOnce = 3
	// readPause is after how long a file without a turn may be sent again.
	readPause = 10 * time.Second
)

// reading reads the file of a draft.
type reading struct {
	*Operator
	by     Actor
	job    job.Job
	how    Import
	place  importPlace
	number int // of the part
	part   part
	size   int // of the part
	kept   int // of the parts before it
	known  Known
}

// ReadImport reads the file of a draft as it comes, judges each line as the import would, and keeps the lines. A file that
// is read again replaces the former one. The memory that it needs does not grow with the file.
//
// Faults: the fields file, issuer, known_email and known_password, ImportBusy, job.Begun, job.Replaced, job.Missing, and as acts.
func (f *Operator) ReadImport(ctx context.Context, by Actor, id string, file io.Reader) (ImportJob, error) {
	if err := f.mayBegin(ctx, by); err != nil {
		return ImportJob{}, err
	}
	j, _, o, err := f.importOf(ctx, by, id)
	if err == nil && j.State != job.Draft {
		err = job.Begun
	}
	if err == nil {
		o.ImportSecrets, err = f.importSecrets(ctx, id)
	}
	if err != nil {
		return ImportJob{}, err
	}
	leave, ok := f.imports.enter(by.name)
	if !ok {
		return ImportJob{}, ImportBusy
	}
	defer leave()
	r := &reading{Operator: f, by: by, job: j, how: f.importing(o), place: importPlace{Plan: NewImportSum(), Did: NewImportSum()}}
	r.how.DryRun, r.how.Seen = true, NewSeen()
	for more := true; more; {
		budget.Of(ctx).Renew()
		err := r.save(ctx, func(tx Tx) (err error) { more, err = tx.DeleteParts(ctx, j.ID, j.ID); return err })
		if err != nil {
			return ImportJob{}, err
		}
	}
	from, err := r.open(file, o)
	if err == nil {
		err = r.all(ctx, from)
	}
	if err != nil {
		return ImportJob{}, err
	}
	return f.ImportJob(ctx, by, id)
}

// importing returns how the people of an order are taken.
func (f *Operator) importing(o ImportOrder) Import {
	return Import{Update: o.Update, KeepSubject: o.KeepSubject, Hash: func(text string) (string, error) {
		stored, _, err := f.passwords.Adopt(text)
		return stored, err
	}}
}

// importSecrets returns the secrets of a draft.
func (f *Operator) importSecrets(ctx context.Context, id string) (s ImportSecrets, err error) {
	var stored job.Part
	err = f.store.Read(ctx, func(tx Tx) (err error) {
		stored, _, err = tx.NextPart(ctx, id, "", false)
		return err
	})
	if err != nil {
		return s, err
	}
	text, err := f.parts.Open(stored.Sealed, id)
	if errors.Is(err, secret.ErrOpen) {
		return s, job.Missing
	}
	return s, json.Unmarshal(text, &s)
}

func (r *reading) open(file io.Reader, o ImportOrder) (people.Reader, error) {
	r.known = o.Known
	in := bufio.NewReaderSize(file, people.HeadBytes)
	head, err := in.Peek(people.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, inFile("file", err)
	}
	source, err := people.Find(o.From, head)
	if err != nil {
		return nil, BadImport("file", err)
	}
	if o.KeepSubject && o.Issuer == "" && !source.NamesIssuer {
		return nil, BadImport("issuer", fmt.Errorf("an export of %s does not name the issuer of its ids: name it, too", source.Name))
	}
	var all io.Reader = in
	if source.Whole {
		if all, err = whole(in, source.Name); err != nil {
			return nil, err
		}
	}
	from, err := source.Open(all, people.Options{Issuer: o.Issuer, Parameters: o.Parameters})
	if err != nil {
		return nil, BadImport("file", err)
	}
	return from, nil
}

// whole reads a file that takes several times its size in memory.
func whole(in io.Reader, name string) (io.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostWhole+1))
	switch {
	case err != nil:
		return nil, inFile("file", err)
	case len(text) > mostWhole:
		return nil, BadImport("file", fmt.Errorf("a file of %s can have up to %d bytes here: import it with 'portico user import'", name, mostWhole))
	}
	return bytes.NewReader(text), nil
}

// all reads everybody.
func (r *reading) all(ctx context.Context, from people.Reader) error {
	for {
		p, at, err := from.Next()
		bad, entryAlone := errors.AsType[*people.Problem](err)
		switch {
		case errors.Is(err, io.EOF) && r.known.Email != "":
			return BadImport("known_email", ErrKnownMissing)
		case errors.Is(err, io.EOF):
			r.place.Read = true
			if r.place.Plan.Total() > 0 {
				r.place.Plan.Missing = people.Missing(from)
			}
			return r.flush(ctx)
		case err != nil && !entryAlone:
			return inFile("file", fmt.Errorf("%v: %w", at, err))
		}
		if err := r.checkKnown(ctx, p, bad); err != nil {
			return err
		}
		if err := r.take(p, at, bad); err != nil {
			return err
		}
		if len(r.part.Entries) == r.MostImported(r.how) || r.size >= partBytes {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
}

func (r *reading) take(p people.Person, at people.Place, bad *people.Problem) error {
	if len(at.Head) > mostHead {
		return BadImport("file", fmt.Errorf("the first line, with the names of the columns, can have up to %d bytes: leave out columns", mostHead))
	}
	r.place.Plan.Ignore(at.Ignored)
	e := fileEntry{Where: at.String(), Raw: bytes.Clone(at.Raw), Problem: bad}
	if bad == nil {
		e.Person, e.Problem = &p, r.how.Seen.Problem(p)
	}
	e.Final = e.Problem != nil
	r.part.Entries = append(r.part.Entries, e)
	if r.part.Head == nil {
		r.part.Head = bytes.Clone(at.Head)
		r.size += len(at.Head)
	}
	r.size += len(at.Raw) + entryBytes
	if r.kept+r.size > mostKept {
		return BadImport("file", errors.New("the file has too many lines: split it, or import it with 'portico user import'"))
	}
	return nil
}

// flush judges a part and keeps it. A request has more parts than waits fit into the time of one, and its sender sees that
// the file goes on, so each part has the time of a request.
func (r *reading) flush(ctx context.Context) error {
	budget.Of(ctx).Renew()
	all, at := r.part.candidates()
	done, err := r.Import(ctx, r.by, all, r.how)
	if err != nil {
		return err
	}
	r.part.settled(r.place.Plan, done, at)
	id := partID(r.job.ID, r.number)
	stored, err := r.sealed(id, r.job.ID, r.part)
	if err != nil {
		return err
	}
	r.number, r.kept, r.part, r.size = r.number+1, r.kept+r.size, part{}, 0
	return r.save(ctx, func(tx Tx) error { return tx.InsertPart(ctx, stored) })
}

// save counts what was read, in one transaction with do.
func (r *reading) save(ctx context.Context, do func(tx Tx) error) error {
	to := r.job.Progress
	to.Place = r.place.String()
	err := r.store.Write(ctx, func(tx Tx) error {
		if err := r.stillAdmin(ctx, tx, r.by); err != nil {
			return err
		}
		if ok, err := tx.AdvanceJob(ctx, r.job.ID, r.job.Progress, to); err != nil || !ok {
			return cmp.Or[error](err, job.Replaced)
		}
		return do(tx)
	})
	r.job.Progress = to
	r.job.Step++
	return err
}

// candidates returns the people of a part who may be taken, and their places in it.
func (p part) candidates() (all []people.Person, at []int) {
	for i, e := range p.Entries {
		if !e.Final {
			all, at = append(all, *e.Person), append(at, i)
		}
	}
	return all, at
}

// settled counts what became of the candidates, and notes their problems.
func (p part) settled(sum *ImportSum, done []Imported, at []int) {
	for i, d := range done {
		sum.Add(d)
		p.Entries[at[i]].Problem = d.Problem
	}
	for _, e := range p.Entries {
		if e.Problem != nil {
			sum.Refused++
		}
	}
}

// BadImport says what is wrong with an import as a whole.
func BadImport(field string, err error) error {
	return fault.InvalidFields(fault.Field{Name: field, Code: CodeImportFile, Params: map[string]string{"why": err.Error()}})
}

// inFile is BadImport for an error that may be a fault already, such as one of the connection.
func inFile(field string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return BadImport(field, err)
}

package flow

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"portico/internal/job"
	"portico/internal/people"
)

// MostProblems is how many problems an ImportJob names.
const MostProblems = 100

// part is a part of a file, as it is stored: compressed, and sealed because it has hashes and the keys of
// authenticator apps.
type part struct {
	Head    []byte      `json:"head,omitempty"` // the line that comes before the rejected ones
	Entries []fileEntry `json:"entries"`
}

// fileEntry is a person of a file, or why there is none.
type fileEntry struct {
	Where   string          `json:"where"`
	Raw     []byte          `json:"raw,omitempty"`
	Person  *people.Person  `json:"person,omitempty"`
	Problem *people.Problem `json:"problem,omitempty"`
	Final   bool            `json:"final,omitempty"` // the problem is one of the file, which no other look mends
}

func partID(jobID string, number int) string { return fmt.Sprintf("%s-%06d", jobID, number) }

// sealed returns a part for the database.
func (f *Operator) sealed(id, jobID string, p part) (job.Part, error) {
	made := job.Part{ID: id, JobID: jobID}
	for _, e := range p.Entries {
		if e.Problem != nil {
			made.Problems++
		}
	}
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return made, err
	}
	if err := w.Close(); err != nil {
		return made, err
	}
	made.Sealed = f.parts.Seal(text.Bytes(), id)
	return made, nil
}

func (f *Operator) opened(stored job.Part) (p part, err error) {
	text, err := f.parts.Open(stored.Sealed, stored.ID)
	if err != nil {
		return p, stoppedFile
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return p, err
	}
	return p, json.NewDecoder(r).Decode(&p)
}

// ImportJob returns an import with its first problems, for whoever has begun it.
//
// Faults: job.Missing, and those of an actor who is no longer an admin.
func (f *Operator) ImportJob(ctx context.Context, by Actor, id string) (shown ImportJob, err error) {
	j, place, o, err := f.importOf(ctx, by, id)
	if err != nil {
		return shown, err
	}
	shown = ImportJob{ImportOrder: o, Read: place.Read, Plan: place.Plan, Did: place.Did}
	if err := f.store.Read(ctx, func(tx Tx) error { shown.Task, err = f.task(ctx, tx, j); return err }); err != nil {
		return shown, err
	}
	err = f.rejected(ctx, by, j, func(_ []byte, e fileEntry) (more bool, err error) {
		shown.Problems = append(shown.Problems, ImportProblem{e.Where, *e.Problem})
		return len(shown.Problems) < MostProblems, nil
	})
	return shown, err
}

// Rejected writes the lines of an import that have a problem, in a form that can be corrected and imported again, for
// whoever has begun it. flush follows each part.
//
// Faults: job.Missing, and those of an actor who is no longer an admin.
func (f *Operator) Rejected(ctx context.Context, by Actor, id string, to io.Writer, flush func() error) error {
	j, _, _, err := f.importOf(ctx, by, id)
	if err != nil {
		return err
	}
	began := false
	err = f.rejected(ctx, by, j, func(head []byte, e fileEntry) (bool, error) {
		line := e.Raw
		if line == nil && e.Person == nil {
			return true, nil // a line that is too long to be held
		}
		if line == nil {
			if line, err = json.Marshal(e.Person); err != nil {
				return false, err
			}
		}
		if !began && head != nil {
			line = append(append(bytes.Clone(head), '\n'), line...)
		}
		began = true
		if _, err := to.Write(append(bytes.Clone(line), '\n')); err != nil {
			return false, err
		}
		return true, flush()
	})
	return err
}

// rejected calls do with each entry that has a problem, while it wants more.
func (f *Operator) rejected(ctx context.Context, by Actor, j job.Job, do func(head []byte, e fileEntry) (more bool, err error)) error {
	for after := ""; ; {
		var stored job.Part
		var ok bool
		err := f.store.Read(ctx, func(tx Tx) error {
			if err := f.stillAdmin(ctx, tx, by); err != nil {
				return err
			}
			var err error
			stored, ok, err = tx.NextPart(ctx, j.ID, after, true)
			return err
		})
		if err != nil || !ok {
			return err
		}
		p, err := f.opened(stored)
		if err != nil {
			return err
		}
		for _, e := range p.Entries {
			if e.Problem == nil {
				continue
			}
			if more, err := do(p.Head, e); err != nil || !more {
				return err
			}
		}
		after = stored.ID
	}
}

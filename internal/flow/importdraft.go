package flow

import (
	"context"
	"encoding/json"

	"portico/internal/budget"
	"portico/internal/ids"
	"portico/internal/job"
	"portico/internal/people"
)

// JobImport is the kind of a job that imports a file of people. It begins as a draft: OpenImport makes it, ReadImport
// reads the file and judges its lines, and StartImport starts it.
const JobImport job.Kind = "import"

// ImportOrder says how the people of a file are imported.
type ImportOrder struct {
	From        string `json:"from"`   // what has written the file, "" if its content tells
	Issuer      string `json:"issuer"` // of the ids, where the file does not name it
	Update      bool   `json:"update"`
	KeepSubject bool   `json:"keep_subject"`

	ImportSecrets `json:"-"`
}

// ImportSecrets are what an ImportOrder keeps sealed. They are the first part of the draft, whose id is that of the job, and go
// when the import begins.
type ImportSecrets struct {
	Parameters map[string]string `json:"parameters"` // of the source, such as the key of Firebase's hashes
	Known      Known             `json:"known"`
}

// ImportJob is an import of a file.
type ImportJob struct {
	Task
	ImportOrder
	Read     bool       // the file was read to its end
	Plan     *ImportSum // what the dry run has found
	Did      *ImportSum // what was done so far
	Problems []ImportProblem
}

// ImportProblem is why a line cannot be taken.
type ImportProblem struct {
	Where string // such as "line 5"
	people.Problem
}

// importPlace is the place of the job.
type importPlace struct {
	Part string     `json:"part"` // the last one that was taken
	Kept int        `json:"kept"` // entries at the beginning of the next one that were refused, and are not taken again
	Read bool       `json:"read"`
	Plan *ImportSum `json:"plan"`
	Did  *ImportSum `json:"did"`
}

func (p importPlace) String() string {
	text, _ := json.Marshal(p) // numbers and texts always marshal
	return string(text)
}

// OpenImport makes the draft of an import. It replaces the one of the same admin or key. It needs the proof of a
// change, so that nobody sends a file in vain.
//
// Faults: the field from, and as acts.
func (f *Operator) OpenImport(ctx context.Context, by Actor, o ImportOrder) (ImportJob, error) {
	if by.AccountID() == "" {
		return ImportJob{}, ErrNotAdmin
	}
	if o.From != "" {
		if _, err := people.Find(o.From, nil); err != nil {
			return ImportJob{}, BadImport("from", err)
		}
	}
	now := f.clock.Now()
	made := job.Job{
		ID: ids.New(), AccountID: by.AccountID(), KeyID: by.keyID(), Peer: by.from.Peer, UserAgent: by.from.Agent, RequestID: by.from.RequestID,
		Kind: JobImport, CreatedAt: now, Progress: job.Progress{State: job.Draft, Place: importPlace{Plan: NewImportSum(), Did: NewImportSum()}.String()},
	}
	secrets, err := json.Marshal(o.ImportSecrets)
	if err != nil {
		return ImportJob{}, err
	}
	input, err := json.Marshal(o)
	if err != nil {
		return ImportJob{}, err
	}
	made.Input = string(input)
	for more := true; more; {
		budget.Of(ctx).Renew()
		err := f.acts(ctx, by, func(tx Tx) (err error) {
			if more, err = tx.DeleteDrafts(ctx, made.AccountID, made.KeyID, made.Place); err != nil || more {
				return err
			}
			if _, err = tx.InsertJob(ctx, made); err != nil {
				return err
			}
			return tx.InsertPart(ctx, job.Part{ID: made.ID, JobID: made.ID, Sealed: f.parts.Seal(secrets, made.ID)})
		})
		if err != nil {
			return ImportJob{}, err
		}
	}
	return f.ImportJob(ctx, by, made.ID)
}

// StartImport starts the job of a draft. Without skipBad it takes only a file without a problem.
//
// Faults: ImportUnread, ImportBad, job.Begun, job.Busy, job.Replaced, job.Missing, and as acts.
func (f *Operator) StartImport(ctx context.Context, by Actor, id string, skipBad bool) (ImportJob, error) {
	if err := f.mayBegin(ctx, by); err != nil {
		return ImportJob{}, err
	}
	draft, place, _, err := f.importOf(ctx, by, id)
	switch {
	case err != nil:
		return ImportJob{}, err
	case draft.State != job.Draft:
		return ImportJob{}, job.Begun
	case !place.Read:
		return ImportJob{}, ImportUnread
	case place.Plan.Refused > 0 && !skipBad:
		return ImportJob{}, ImportBad
	}
	draft.Total, draft.Peer, draft.UserAgent, draft.RequestID = place.Plan.Total(), by.from.Peer, by.from.Agent, by.from.RequestID
	err = f.acts(ctx, by, func(tx Tx) error {
		admin, _, err := tx.AccountByID(ctx, draft.AccountID)
		if err != nil {
			return err
		}
		draft.Version = admin.FlowVersion()
		ok, err := tx.StartJob(ctx, draft)
		if err == nil && !ok {
			err = unstarted(ctx, tx, draft)
		}
		if err != nil {
			return err
		}
		return tx.DeletePart(ctx, id) // the ImportSecrets
	})
	if err != nil {
		return ImportJob{}, err
	}
	return f.ImportJob(ctx, by, id)
}

// unstarted returns why a draft has not started.
func unstarted(ctx context.Context, tx Tx, draft job.Job) error {
	switch now, ok, err := tx.JobByID(ctx, draft.ID); {
	case err != nil:
		return err
	case !ok || now.State == job.Draft && now.Step != draft.Step:
		return job.Replaced
	case now.State != job.Draft:
		return job.Begun
	}
	return job.Busy
}

// mayBegin judges an Actor as a change does, before a long request.
func (f *Operator) mayBegin(ctx context.Context, by Actor) error {
	return f.store.Read(ctx, func(tx Tx) error { return f.mayAct(ctx, tx, by) })
}

// importOf returns an import of the admin or the key who asks. That of another one is missing, and so is a draft of which the
// purge may have deleted parts.
func (f *Operator) importOf(ctx context.Context, by Actor, id string) (j job.Job, place importPlace, o ImportOrder, err error) {
	if !ids.Valid(id) {
		return j, place, o, job.Missing
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		found, ok, err := tx.JobByID(ctx, id)
		if err != nil {
			return err
		}
		tooOld := found.State == job.Draft && f.clock.Now().Sub(found.CreatedAt) > job.KeepDraft
		if !ok || tooOld || found.Kind != JobImport || found.AccountID != by.AccountID() || found.KeyID != by.keyID() {
			return job.Missing
		}
		j = found
		return nil
	})
	if err != nil {
		return j, place, o, err
	}
	place, o, err = importInput(j)
	return j, place, o, err
}

func importInput(j job.Job) (place importPlace, o ImportOrder, err error) {
	if err = json.Unmarshal([]byte(j.Place), &place); err == nil {
		err = json.Unmarshal([]byte(j.Input), &o)
	}
	return place, o, err
}

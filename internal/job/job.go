// Package job owns the rows of jobs: long pieces of work that an admin begins and the
// background work carries out, step by step.
//
// It does not know what the work is. Package flow reads the input of each kind and does
// the steps.
//
// Invariants:
//   - A step and the progress that counts it are one transaction. AdvanceJob changes a row
//     only if its progress is still the one that the step began from, so a step happens
//     once: after a kill, on a second node, and in a transaction that is run again.
//   - An admin has one running job at most. The database has an index for it.
package job

import (
	"context"
	"time"
)

// Kind is what a job does. It says how to read the input.
type Kind string

// State is how far a job is.
type State string

// The states. A job that is not running has ended.
const (
	Draft   State = "draft" // its material is read and checked; StartJob begins it
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed" // stopped before its end; Why says the reason
)

// Keep is how long a job can be read after its end.
const Keep = 7 * 24 * time.Hour

// KeepDraft is how long a job can be a draft. It then is not there anymore, and its parts go a little later.
const KeepDraft = 24 * time.Hour

// keptSkips is how many skipped items a job names. Progress.Skips counts all of them.
const keptSkips = 50

// Job is a row. Only its Progress changes.
type Job struct {
	ID        string
	AccountID string // of the admin who began it, or who answers for the key
	KeyID     string // of the key that began it, "" for an admin
	Version   int64  // flow version of the account at that time
	Peer      string // Peer, UserAgent and RequestID are of the request that began it
	UserAgent string
	RequestID string
	Kind      Kind
	Input     string // JSON
	Total     int64  // how many items there were at the beginning; an estimate for the progress
	CreatedAt time.Time
	Progress
}

// Progress is how far a job has come.
type Progress struct {
	State   State
	Why     string    // a stable word: why it failed, else ""
	Step    int64     // raised by each change of the row
	Place   string    // where the next step begins, in the form of the kind
	Done    int64     // items, including the skipped ones
	Skips   int64     // skipped items
	Skipped []Skip    // the first ones
	EndedAt time.Time // zero while it runs
}

// Skip is an item that was skipped.
type Skip struct {
	ID  string `json:"id"`
	Why string `json:"why"` // a stable word
}

// Skip counts an item that is skipped, and names it if there is room.
func (p *Progress) Skip(s Skip) {
	p.Skips++
	if len(p.Skipped) < keptSkips {
		p.Skipped = append(p.Skipped[:len(p.Skipped):len(p.Skipped)], s) // never into the list of another Progress
	}
}

// Part is a part of the material of a job.
type Part struct {
	ID       string // begins with the id of the job, in the order of the work
	JobID    string
	Problems int64 // items that have one
	Sealed   []byte
}

// Store is what jobs need of the database.
type Store interface {
	// InsertJob adds a draft, or a running job unless its account has one. It reports whether it did.
	InsertJob(ctx context.Context, j Job) (bool, error)
	JobByID(ctx context.Context, id string) (Job, bool, error)
	// RunningJobs returns all running jobs, the oldest first.
	RunningJobs(ctx context.Context) ([]Job, error)
	// LastJobs returns the jobs that ended last, the newest first.
	LastJobs(ctx context.Context, limit int) ([]Job, error)
	// StartJob makes a draft a running job of another total, request and version, unless its account has one that runs or
	// its Step is another one. It reports whether it did.
	StartJob(ctx context.Context, j Job) (bool, error)
	// DeleteDrafts deletes the drafts of an account and a key, "" for none, or a batch of their parts if there are more. Those that
	// stay get another step and the place.
	DeleteDrafts(ctx context.Context, accountID, keyID, place string) (more bool, err error)
	InsertPart(ctx context.Context, p Part) error
	// NextPart returns the part of a job that follows the one with an id, of all or of those with problems.
	NextPart(ctx context.Context, jobID, after string, problems bool) (Part, bool, error)
	UpdatePart(ctx context.Context, p Part) error
	DeletePart(ctx context.Context, id string) error
	// DeleteParts deletes a batch of the parts of a job whose ids come after one, and reports whether more may be left.
	DeleteParts(ctx context.Context, jobID, after string) (more bool, err error)
	// AdvanceJob replaces the progress of a job that has not ended and raises its Step, if that is
	// still from.Step. It reports whether it did.
	AdvanceJob(ctx context.Context, id string, from, to Progress) (bool, error)
}

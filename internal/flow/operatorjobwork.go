package flow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/job"
	"portico/internal/session"
)

// stepsAtOnce bounds what WorkJobs does of one job, so that others have their turn.
const stepsAtOnce = 50

// stopped is the error of a job whose admin may not go on. Its text is the reason.
type stopped string

func (s stopped) Error() string { return string(s) }

const (
	stoppedAccount stopped = "account" // the admin's account is closed
	stoppedRole    stopped = "role"    // the admin has lost the role
	stoppedWays    stopped = "changed" // how the admin signs in has changed, or an alarm was raised
	stoppedKey     stopped = "key"     // the key that began it has ended
	stoppedByHand  stopped = "stopped" // an admin or a key has stopped it
	stoppedFile    stopped = "file"    // nothing opens the lines of a file: the master key is another one
)

// errAhead means that another process has done the step.
var errAhead = errors.New("another process has advanced the job")

// step is the change of a row that a transaction of its job makes.
type step struct {
	job job.Job
	to  job.Progress
}

// HasJobs reports whether a job runs.
func (f *Operator) HasJobs(ctx context.Context) (bool, error) {
	running, err := f.running(ctx)
	return len(running) > 0, err
}

// WorkJobs does some steps of each running job. A step that fails by an error of Portico is
// tried again at the next call. Two processes at once do no step twice.
func (f *Operator) WorkJobs(ctx context.Context) error {
	running, err := f.running(ctx)
	for _, j := range running {
		err = errors.Join(err, f.work(ctx, j))
	}
	return err
}

func (f *Operator) running(ctx context.Context) ([]job.Job, error) {
	return read(ctx, f.store, func(tx Tx) ([]job.Job, error) { return tx.RunningJobs(ctx) })
}

// work does some steps of a job.
func (f *Operator) work(ctx context.Context, j job.Job) error {
	if j.Kind == JobImport {
		return f.workImport(ctx, j)
	}
	b := Bulk{Kind: j.Kind}
	if err := json.Unmarshal([]byte(j.Input), &b); err != nil {
		return err
	}
	people, next, err := f.pick(ctx, b, j.Place, stepsAtOnce)
	if err != nil {
		return err
	}
	if len(people) == 0 {
		return f.passes(ctx, j, f.ends(j.Progress, next))
	}
	for i, p := range people {
		to := j.Progress
		to.Done++
		to.Place = p.place
		if i == len(people)-1 {
			to = f.ends(to, next)
		}
		s := &step{j, to}
		if err := f.person(ctx, b, s, p); err != nil {
			return f.halts(ctx, j, err)
		}
		j.Progress = s.to
		j.Step++
	}
	return nil
}

// halts says what an error of a step means: another process goes on with the job, or the job ends.
func (f *Operator) halts(ctx context.Context, j job.Job, err error) error {
	if errors.Is(err, errAhead) {
		return nil
	}
	why, ok := errors.AsType[stopped](err)
	if !ok {
		return err
	}
	return f.passes(ctx, j, f.fails(j.Progress, why))
}

// fails returns the progress of a job that is stopped.
func (f *core) fails(p job.Progress, why stopped) job.Progress {
	p.State, p.Why, p.EndedAt = job.Failed, string(why), f.clock.Now()
	return p
}

// ends returns the progress at the end of a page: the next page, or the end of the job.
func (f *Operator) ends(p job.Progress, next string) job.Progress {
	if p.Place = next; next == "" {
		p.State, p.EndedAt = job.Done, f.clock.Now()
	}
	return p
}

// passes changes only the row of a job.
func (f *Operator) passes(ctx context.Context, j job.Job, to job.Progress) error {
	return f.store.Write(ctx, func(tx Tx) error {
		_, err := tx.AdvanceJob(ctx, j.ID, j.Progress, to)
		return err
	})
}

// person changes or skips one person.
func (f *Operator) person(ctx context.Context, b Bulk, s *step, p picked) error {
	by := byJob(s)
	why := b.skips(by, p, f.clock.Now())
	if why == "" {
		err := f.bulk(ctx, by, b, p.id)
		if err == nil {
			return nil
		}
		if why, err = whySkipped(err); err != nil {
			return err
		}
	}
	s.to.Skip(job.Skip{ID: p.id, Why: why})
	return f.acts(ctx, by, func(Tx) error { return nil })
}

// whySkipped returns why a person is skipped whose change was refused. It returns an error of
// Portico itself, and one that ends the job.
func whySkipped(err error) (string, error) {
	refused := fault.From(err)
	switch {
	case errors.Is(err, AdminSelf):
		return skipSelf, nil
	case errors.Is(err, errLeaves):
		return skipLeaving, nil
	case errors.Is(err, account.Missing):
		return skipMissing, nil
	case refused.Kind == fault.Limited:
		return skipLimited, nil
	case refused.Kind == fault.Internal || refused.Kind == fault.Unavailable:
		return "", err
	}
	return skipRefused, nil
}

// byJob is the admin or the key that began a job. The audit records name the request that began it.
func byJob(s *step) Actor {
	j := s.job
	by := Actor{from: Caller{Peer: j.Peer, Agent: j.UserAgent, RequestID: j.RequestID}, step: s}
	if j.KeyID != "" {
		by.name, by.key = audit.ByKey(j.KeyID), &apikey.Held{Key: apikey.Key{ID: j.KeyID}, AccountID: j.AccountID}
	} else {
		by.name, by.admin = audit.ByAdmin(j.AccountID), &session.Found{User: session.User{ID: j.AccountID}}
	}
	by.caller = managing(by.name)
	return by
}

// goesOn judges the admin of a job again, in the transaction of a step. The proof
// that the job began with is enough until its end, if how the admin signs in stays as it was. The job of a
// key goes on until the key ends.
func (f *Operator) goesOn(ctx context.Context, tx Tx, s *step) error {
	admin, err := f.opens(ctx, tx, s.job.AccountID)
	switch {
	case errors.Is(err, account.Disabled), errors.Is(err, account.Missing):
		return stoppedAccount
	case err != nil:
		return err
	case !slices.Contains(admin.Roles, RoleAdmin):
		return stoppedRole
	case s.job.KeyID == "" && admin.FlowVersion() != s.job.Version, f.alarmed(admin.Account):
		return stoppedWays
	}
	if s.job.KeyID != "" {
		k, ok, err := tx.APIKeyByID(ctx, s.job.KeyID)
		if err != nil {
			return err
		}
		if !ok || !f.clock.Now().Before(k.EndsAt) {
			return stoppedKey
		}
	}
	return nil
}

// counted counts a step, at the end of its transaction.
func counted(ctx context.Context, tx Tx, s *step) error {
	if s == nil {
		return nil
	}
	if ok, err := tx.AdvanceJob(ctx, s.job.ID, s.job.Progress, s.to); err != nil || ok {
		return err
	}
	return errAhead
}

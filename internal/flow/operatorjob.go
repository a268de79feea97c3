package flow

import (
	"context"
	"encoding/json"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/budget"
	"portico/internal/ids"
	"portico/internal/job"
)

// lastJobs is how many ended jobs a list has.
const lastJobs = 5

// Task is a job with what its ids stand for.
type Task struct {
	job.Job
	Role      string
	By        string // the address of the admin who began it, or the name of the key
	Addresses map[string]string
	More      bool // there may be more people than its total
}

// TryBulk returns the job that BeginBulk would make, as it would end, and changes nothing. It counts up to
// MostCounted people, and fewer if they are rare: no filter makes one request read all accounts.
//
// Faults: the fields action, role and people, and as People.
func (f *Operator) TryBulk(ctx context.Context, by Actor, b Bulk) (t Task, err error) {
	if b, err = b.checked(); err != nil {
		return t, err
	}
	if err := by.mayChange([]string{b.Role}); err != nil {
		return t, err
	}
	t.Kind, t.Role, t.Addresses = b.Kind, b.Role, map[string]string{}
	place := ""
	for range MostCounted / account.MostPeople {
		budget.Of(ctx).Renew() // with a database on another machine, all pages would exceed the time of a request
		people, next, err := f.pick(ctx, b, place, account.MostPeople)
		if err != nil {
			return t, err
		}
		for _, p := range people {
			t.Total++
			why := b.skips(by, p, f.clock.Now())
			if why != "" {
				t.Skip(job.Skip{ID: p.id, Why: why})
			}
			if why != "" && p.known != nil {
				t.Addresses[p.id] = p.known.Address.Mail
			}
		}
		if place = next; place == "" {
			break
		}
	}
	t.More = place != ""
	return t, nil
}

// BeginBulk begins a job that changes each person as the admin or the key could, one after the other.
// WorkJobs does it, also if the session of the admin ends. People who sign up from now on are
// not in it.
//
// Faults: job.Busy, and as TryBulk and acts.
func (f *Operator) BeginBulk(ctx context.Context, by Actor, b Bulk) (Task, error) {
	if by.AccountID() == "" {
		return Task{}, ErrNotAdmin
	}
	t, err := f.TryBulk(ctx, by, b)
	if err != nil {
		return t, err
	}
	b, err = b.checked()
	if err != nil {
		return t, err
	}
	b.More = t.More
	now := f.clock.Now()
	if end := now.Add(time.Microsecond); b.Query.CreatedTo.IsZero() || end.Before(b.Query.CreatedTo) {
		b.Query.CreatedTo = end
	}
	input, err := json.Marshal(b)
	if err != nil {
		return t, err
	}
	made := job.Job{
		ID: ids.New(), AccountID: by.AccountID(), Peer: by.from.Peer, UserAgent: by.from.Agent, RequestID: by.from.RequestID,
		KeyID: by.keyID(), Kind: b.Kind, Input: string(input), Total: t.Total, CreatedAt: now, Progress: job.Progress{State: job.Running},
	}
	err = f.acts(ctx, by, func(tx Tx) error {
		admin, _, err := tx.AccountByID(ctx, made.AccountID)
		if err != nil {
			return err
		}
		made.Version = admin.FlowVersion()
		if ok, err := tx.InsertJob(ctx, made); err != nil || ok {
			return err
		}
		return job.Busy
	})
	if err != nil {
		return t, err
	}
	return f.Job(ctx, made.ID)
}

// StopJob ends a job before its end. What it has changed stays. A job that has ended stays as it is, and a key stops only its own.
//
// Faults: job.Missing, and as acts.
func (f *Operator) StopJob(ctx context.Context, by Actor, id string) (Task, error) {
	if !ids.Valid(id) {
		return Task{}, job.Missing
	}
	err := f.acts(ctx, by, func(tx Tx) error {
		for {
			j, ok, err := tx.JobByID(ctx, id)
			switch {
			case err != nil:
				return err
			case !ok, j.State == job.Draft, by.key != nil && j.KeyID != by.keyID():
				return job.Missing
			case j.State != job.Running:
				return nil
			}
			// A step that another transaction has ended meanwhile counts, and then the next look finds it.
			switch ok, err = tx.AdvanceJob(ctx, id, j.Progress, f.fails(j.Progress, stoppedByHand)); {
			case err != nil:
				return err
			case ok:
				return f.record.Add(ctx, tx, by.fact(audit.JobStopped, "", string(j.Kind)+","+id))
			}
		}
	})
	if err != nil {
		return Task{}, err
	}
	return f.Job(ctx, id)
}

// Job returns a job, or job.Missing.
func (f *Operator) Job(ctx context.Context, id string) (t Task, err error) {
	if !ids.Valid(id) {
		return t, job.Missing
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		j, ok, err := tx.JobByID(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return job.Missing
		}
		t, err = f.task(ctx, tx, j)
		return err
	})
	return t, err
}

// Jobs returns the running jobs of all admins, the oldest first, and then some that have ended, the newest first.
func (f *Operator) Jobs(ctx context.Context) (list []Task, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		running, err := tx.RunningJobs(ctx)
		if err != nil {
			return err
		}
		ended, err := tx.LastJobs(ctx, lastJobs)
		if err != nil {
			return err
		}
		list, err = f.tasks(ctx, tx, append(running, ended...)...)
		return err
	})
	return list, err
}

func (f *Operator) task(ctx context.Context, tx Tx, j job.Job) (Task, error) {
	list, err := f.tasks(ctx, tx, j)
	if err != nil {
		return Task{}, err
	}
	return list[0], nil
}

// tasks reads what the ids of jobs stand for.
func (f *Operator) tasks(ctx context.Context, tx Tx, jobs ...job.Job) (list []Task, err error) {
	begun := func(j job.Job) audit.Fact { return audit.Fact{Actor: byJob(&step{job: j}).name} }
	var facts []audit.Fact
	for _, j := range jobs {
		facts = append(facts, begun(j))
		for _, s := range j.Skipped {
			facts = append(facts, audit.Fact{AccountID: s.ID})
		}
	}
	known, err := f.namesIn(ctx, tx, facts)
	if err != nil {
		return nil, err
	}
	addresses := map[string]string{}
	for id, a := range known.Accounts {
		addresses[id] = a.Address.Mail
	}
	for _, j := range jobs {
		var b Bulk
		if err := json.Unmarshal([]byte(j.Input), &b); err != nil {
			return nil, err
		}
		list = append(list, Task{Job: j, Role: b.Role, By: known.MadeBy(begun(j)), Addresses: addresses, More: b.More && j.State != job.Done})
	}
	return list, nil
}

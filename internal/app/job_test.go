package app

import (
	"slices"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/job"
	"portico/internal/store"
)

// begun stores a job of an admin that gives people a role, as a node that was killed has left it.
func (a *App) begun(t *testing.T, people ...string) string {
	t.Helper()
	admin, err := a.Operator.CreateUser(t.Context(), flow.ByOperator, "admin@example.org", "", "", flow.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	input := `{"role":"given","people":["` + people[0] + `","` + people[1] + `"],"query":{}}`
	j := job.Job{
		ID: ids.New(), AccountID: admin.ID, Version: admin.FlowVersion(), Kind: flow.BulkGiveRole, Input: input, Total: 2, CreatedAt: time.Now(),
		Progress: job.Progress{State: job.Running},
	}
	if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertJob(t.Context(), j)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func (a *App) jobIs(t *testing.T, id string, state job.State, done int64) {
	t.Helper()
	now, err := a.Operator.Job(t.Context(), id)
	if err != nil || now.State != state || now.Done != done {
		t.Errorf("the job is %+v (%v), want %s after %d people", now.Progress, err, state, done)
	}
}

// A job goes on after a restart.
func TestWorkJobs_AfterRestart(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	before := open(t, cfg, Options{Dist: dist()})
	users := []string{before.create(t, "a@example.org").ID, before.create(t, "b@example.org").ID}
	id := before.begun(t, users...)
	before.end(t)
	a := open(t, cfg, Options{Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	a.mount(t)
	a.jobIs(t, id, job.Running, 0)
	if err := a.workJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.jobIs(t, id, job.Done, 2)
	for _, user := range users {
		if p, err := a.Operator.Person(t.Context(), user); err != nil || !slices.Equal(p.Account.Roles, []string{"given"}) {
			t.Errorf("the roles are %v (%v)", p.Account.Roles, err)
		}
	}
}

// Of two nodes, the holder of the lease works on jobs, and the other one when it has gone.
func TestWorkJobs_OneNode(t *testing.T) {
	t.Parallel()
	cfg := settingsOnPostgres(t)
	holder, other := open(t, cfg, Options{Dist: dist()}), open(t, cfg, Options{Dist: dist()})
	t.Cleanup(func() { holder.end(t); other.end(t) })
	holder.mount(t)
	other.mount(t)
	if err := holder.alone(t.Context(), func(*store.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	id := holder.begun(t, holder.create(t, "a@example.org").ID, holder.create(t, "b@example.org").ID)
	if err := other.workJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	other.jobIs(t, id, job.Running, 0)
	if err := holder.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.workJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	other.jobIs(t, id, job.Done, 2)
}

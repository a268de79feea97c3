package storetest

import (
	"time"

	"portico/internal/job"
	"portico/internal/store"
)

type jobs struct{ *bundle }

// begun adds a running job of a person.
func (b jobs) begun(number int) job.Job {
	b.Helper()
	j := full[job.Job](number)
	j.AccountID, j.State, j.EndedAt = b.person(number).ID, job.Running, time.Time{}
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertJob(b.Context(), j) }) {
		b.Fatal("the job was not added")
	}
	return j
}

func (b jobs) advance(j job.Job, to job.Progress) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.AdvanceJob(b.Context(), j.ID, j.Progress, to) })
}

func (b jobs) now(id string) job.Job {
	b.Helper()
	j, ok := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), id) })
	if !ok {
		b.Fatal("there is no such job")
	}
	return j
}

func (b jobs) InsertJob_OneRunningOfEachAdmin() {
	a := b.person(1)
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		j := full[job.Job](worker)
		j.AccountID, j.State, j.EndedAt = a.ID, job.Running, time.Time{}
		return tx.InsertJob(b.Context(), j)
	})
	first := list(b.bundle, func(tx *store.Tx) ([]job.Job, error) { return tx.RunningJobs(b.Context()) })[0]
	b.advance(first, job.Progress{State: job.Done, EndedAt: moment()})
	next := full[job.Job](30)
	next.AccountID, next.State, next.EndedAt = a.ID, job.Running, time.Time{}
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertJob(b.Context(), next) }) {
		b.Error("after the end of one there is no other")
	}
}

func (b jobs) JobByID_EveryField() {
	j := b.begun(1)
	b.begun(2)
	b.equal("the job", b.now(j.ID), j)
	if _, ok := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), "no") }); ok {
		b.Error("there is a job that nobody has begun")
	}
}

func (b jobs) RunningJobs_WithoutTheEnded() {
	second, first := b.begun(2), b.begun(1)
	b.advance(b.begun(3), job.Progress{State: job.Failed, EndedAt: moment()})
	b.equal("the running ones", list(b.bundle, func(tx *store.Tx) ([]job.Job, error) { return tx.RunningJobs(b.Context()) }), []job.Job{first, second})
}

func (b jobs) LastJobs_NewestFirst() {
	b.begun(1)
	for number := 2; number < 5; number++ {
		b.advance(b.begun(number), job.Progress{State: job.Done, EndedAt: moment().Add(time.Duration(number) * time.Minute)})
	}
	last := list(b.bundle, func(tx *store.Tx) ([]job.Job, error) { return tx.LastJobs(b.Context(), 2) })
	if len(last) != 2 || last[0].ID != full[job.Job](4).ID || last[1].ID != full[job.Job](3).ID {
		b.Errorf("the last ones are %+v", last)
	}
}

func (b jobs) AdvanceJob_EveryFieldOnce() {
	j := b.begun(1)
	to := full[job.Progress](2)
	to.State, to.EndedAt = job.Running, time.Time{}
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return tx.AdvanceJob(b.Context(), j.ID, j.Progress, to) })
	to.Step = j.Step + 1
	now := b.now(j.ID)
	b.equal("the progress", now.Progress, to)
	if !b.advance(now, job.Progress{State: job.Failed, Why: "role", EndedAt: moment()}) {
		b.Error("the next step is refused")
	}
	if ended := b.now(j.ID); ended.State != job.Failed || b.advance(ended, to) {
		b.Errorf("a job that has ended goes on: %+v", ended)
	}
}

package storetest

import (
	"fmt"
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

// drafted adds a draft of a person.
func (b jobs) drafted(number int, accountID string) job.Job {
	b.Helper()
	j := full[job.Job](number)
	j.AccountID, j.State, j.EndedAt = accountID, job.Draft, time.Time{}
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertJob(b.Context(), j) }) {
		b.Fatal("the draft was not added")
	}
	return j
}

func (b jobs) StartJob_OneOfEachAdmin() {
	a := b.person(1)
	first, second := b.drafted(1, a.ID), b.drafted(2, a.ID)
	second.Version, second.Peer, second.UserAgent, second.RequestID, second.Total = 77, "10.0.0.9", "another", "r9", 9
	late := first
	late.Step++
	if b.did(func(tx *store.Tx) (bool, error) { return tx.StartJob(b.Context(), late) }) {
		b.Error("a draft of another step has begun")
	}
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) { return tx.StartJob(b.Context(), second) })
	if b.did(func(tx *store.Tx) (bool, error) { return tx.StartJob(b.Context(), first) }) {
		b.Error("two jobs of an admin run")
	}
	second.State, second.Step = job.Running, second.Step+1
	b.equal("the running job", b.now(second.ID), second)
	b.equal("the draft", b.now(first.ID), first)
}

func (b jobs) DeleteDrafts_OfTheKeyAlone() {
	a := b.person(1)
	gone, other := b.drafted(1, a.ID), b.drafted(2, a.ID)
	runs := b.begun(3)
	b.write(func(tx *store.Tx) error {
		for _, j := range []job.Job{gone, runs} {
			if more, err := tx.DeleteDrafts(b.Context(), j.AccountID, j.KeyID, ""); err != nil || more {
				return fmt.Errorf("more is left: %t, %w", more, err)
			}
		}
		return nil
	})
	if _, ok := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), gone.ID) }); ok {
		b.Error("the draft is there")
	}
	b.now(other.ID)
	b.now(runs.ID)
}

// Each call of what deletes parts deletes a batch, and a draft goes with its last parts.
func (b jobs) DeleteDrafts_InBatches() {
	j := b.drafted(1, b.person(1).ID)
	for name, deletes := range map[string]func(tx *store.Tx) (more bool, err error){
		"parts":  func(tx *store.Tx) (bool, error) { return tx.DeleteParts(b.Context(), j.ID, "") },
		"drafts": func(tx *store.Tx) (bool, error) { return tx.DeleteDrafts(b.Context(), j.AccountID, j.KeyID, "unread") },
	} {
		if _, ok := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), j.ID) }); !ok {
			j = b.drafted(1, j.AccountID)
		}
		b.manyParts(j.ID)
		for _, more := range []bool{true, false} {
			if b.did(deletes) != more {
				b.Errorf("%s: more is left, want %t", name, more)
			}
			if _, ok := b.next(j.ID, "", false); ok != more {
				b.Errorf("%s: a part is there: %t", name, ok)
			}
			if more && name == "drafts" {
				if now := b.now(j.ID); now.Step != j.Step+1 || now.Place != "unread" {
					b.Errorf("the draft is at step %d with the place %q", now.Step, now.Place)
				}
			}
		}
	}
}

// manyParts adds more parts than are deleted at once.
func (b jobs) manyParts(jobID string) {
	b.Helper()
	b.write(func(tx *store.Tx) error {
		for n := range 101 {
			if err := tx.InsertPart(b.Context(), job.Part{ID: fmt.Sprint(n), JobID: jobID}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b jobs) next(jobID, after string, problems bool) (job.Part, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (job.Part, bool, error) { return tx.NextPart(b.Context(), jobID, after, problems) })
}

func (b jobs) NextPart_InOrder() {
	j, other := b.begun(1), b.begun(2)
	var all []job.Part
	for n, p := range []job.Part{{ID: "b", JobID: j.ID}, {ID: "a", JobID: j.ID, Problems: 2}, {ID: "aa", JobID: other.ID}} {
		p.Sealed = []byte{byte(n)}
		all = append(all, p)
		b.write(func(tx *store.Tx) error { return tx.InsertPart(b.Context(), p) })
	}
	for after, want := range map[string]job.Part{"": all[1], "a": all[0]} {
		if got, ok := b.next(j.ID, after, false); !ok {
			b.Errorf("there is no part after %q", after)
		} else {
			b.equal("the part after "+after, got, want)
		}
	}
	if _, ok := b.next(j.ID, "a", true); ok {
		b.Error("a part without a problem has one")
	}
	got, _ := b.next(j.ID, "", true)
	b.equal("the part with problems", got, all[1])
}

// halves adds two parts of a job.
func (b jobs) halves() (j job.Job, one, two job.Part) {
	b.Helper()
	j, one, two = b.begun(1), full[job.Part](1), full[job.Part](2)
	for _, p := range []*job.Part{&one, &two} {
		p.JobID = j.ID
		b.write(func(tx *store.Tx) error { return tx.InsertPart(b.Context(), *p) })
	}
	return j, one, two
}

func (b jobs) InsertPart_EveryField() {
	j, one, two := b.halves()
	got, _ := b.next(j.ID, "", false)
	b.equal("the first part", got, one)
	got, _ = b.next(j.ID, one.ID, false)
	b.equal("the second part", got, two)
}

func (b jobs) UpdatePart_OfOne() {
	j, one, two := b.halves()
	one.Problems, one.Sealed = 5, []byte("less")
	b.write(func(tx *store.Tx) error { return tx.UpdatePart(b.Context(), one) })
	got, _ := b.next(j.ID, "", false)
	b.equal("the part", got, one)
	got, _ = b.next(j.ID, one.ID, false)
	b.equal("the other part", got, two)
}

func (b jobs) DeletePart_OfOne() {
	j, one, two := b.halves()
	b.write(func(tx *store.Tx) error { return tx.DeletePart(b.Context(), one.ID) })
	got, _ := b.next(j.ID, "", false)
	b.equal("the part that is left", got, two)
}

func (b jobs) DeleteParts_OfOneJobBehindOne() {
	j, one, _ := b.halves()
	other := full[job.Part](3)
	other.JobID = b.begun(2).ID
	b.write(func(tx *store.Tx) error {
		if err := tx.InsertPart(b.Context(), other); err != nil {
			return err
		}
		_, err := tx.DeleteParts(b.Context(), j.ID, one.ID)
		return err
	})
	if _, ok := b.next(j.ID, one.ID, false); ok {
		b.Error("the part behind the first one is there")
	}
	if _, ok := b.next(j.ID, "", false); !ok {
		b.Error("the first part is gone")
	}
	if _, ok := b.next(other.JobID, "", false); !ok {
		b.Error("the parts of another job are gone")
	}
}

package storetest

import (
	"context"
	"fmt"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/job"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/throttle"
)

type purges struct{ *bundle }

const keepAudit = 400 * 24 * time.Hour

func (b purges) Purge_FlowsADayAfterTheirEnd() {
	gone, kept := full[flow.Pending](1), full[flow.Pending](2)
	gone.ExpiresAt, kept.ExpiresAt = moment().Add(-25*time.Hour), moment().Add(-23*time.Hour)
	b.code(b.flow(gone).ID, 1)
	secret := b.code(b.flow(kept).ID, 2)
	b.purge()
	if _, ok := b.flowByID(gone.ID); ok {
		b.Error("a flow is kept that ended a day ago")
	}
	if _, ok := b.flowByID(kept.ID); !ok {
		b.Error("a flow is gone that ended today")
	}
	b.equal("the secrets of the one", b.codes(gone.ID), []code.Secret(nil))
	b.equal("the secrets of the other", b.codes(kept.ID), []code.Secret{secret})
}

func (b purges) Purge_DraftsADayAfterTheirBeginning() {
	a, runs := b.person(1), jobs(b).begun(2)
	gone, kept := jobs(b).drafted(3, a.ID), jobs(b).drafted(4, a.ID)
	b.purgeAt(kept.CreatedAt.Add(job.KeepDraft + clock.MaxSkew)) // the other one is some microseconds older
	for id, want := range map[string]bool{gone.ID: false, kept.ID: true, runs.ID: true} {
		if _, ok := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), id) }); ok != want {
			b.Errorf("the job %s is there: %t", id, ok)
		}
	}
}

// A job with more parts than a batch stays until they are gone.
func (b purges) Purge_PartsBeforeTheirJob() {
	a, runs := b.person(1), jobs(b).begun(2)
	gone := jobs(b).drafted(3, a.ID)
	jobs(b).manyParts(gone.ID)
	b.write(func(tx *store.Tx) error { return tx.InsertPart(b.Context(), job.Part{ID: "kept", JobID: runs.ID}) })
	for _, more := range []bool{true, false} {
		if b.purgeAt(gone.CreatedAt.Add(job.KeepDraft+clock.MaxSkew+time.Microsecond)) != more {
			b.Errorf("there is more to purge, want %v", more)
		}
		_, there := find(b.bundle, func(tx *store.Tx) (job.Job, bool, error) { return tx.JobByID(b.Context(), gone.ID) })
		if _, part := jobs(b).next(gone.ID, "", false); there != more || part != more {
			b.Errorf("the job is there: %t, a part of it: %t, want %t", there, part, more)
		}
	}
	if _, ok := jobs(b).next(runs.ID, "", false); !ok {
		b.Error("the part of a job that runs is gone")
	}
}

// Of an import that was stopped, only what somebody may correct stays.
func (b purges) Purge_UnreadPartsAtTheEndOfTheirJob() {
	j := jobs(b).begun(1)
	b.write(func(tx *store.Tx) error {
		if err := tx.InsertPart(b.Context(), job.Part{ID: "unread", JobID: j.ID}); err != nil {
			return err
		}
		return tx.InsertPart(b.Context(), job.Part{ID: "bad", JobID: j.ID, Problems: 1})
	})
	left := func() (ids []string) {
		b.purge()
		for p, ok := jobs(b).next(j.ID, "", false); ok; p, ok = jobs(b).next(j.ID, p.ID, false) {
			ids = append(ids, p.ID)
		}
		return ids
	}
	b.equal("the parts while it runs", left(), []string{"bad", "unread"})
	jobs(b).advance(j, job.Progress{State: job.Failed, EndedAt: moment()})
	b.equal("the parts after its end", left(), []string{"bad"})
}

// What has ended all invitations of a sender stays as long as the last of them.
func (b purges) Purge_EndedSendersAfterTheirInvitations() {
	many := invitations(b).sent(1)
	many.EndsAt = many.CreatedAt.Add(invitation.MostLife)
	again := func(number int) invitation.State {
		i := many
		i.ID, i.Link, i.Key = full[invitation.Invitation](number).ID, full[invitation.Invitation](number).Link, full[invitation.Invitation](number).Key
		invitations(b).insert(i)
		return invitations(b).now(i.ID).State
	}
	b.did(func(tx *store.Tx) (bool, error) { return tx.EndInvitationsBy(b.Context(), many.By, time.Time{}) })
	gone := many.EndsAt.Add(invitation.Keep)
	if b.purgeAt(gone); again(2) != invitation.Ended {
		b.Error("an invitation is open again")
	}
	if b.purgeAt(gone.Add(time.Microsecond)); again(3) != invitation.Open {
		b.Error("the row is left without its invitations")
	}
}

func (b purges) Purge_SessionsADayAfterTheirEnd() {
	a := b.person(1)
	insert := func(id string, end time.Time) session.Session {
		s := session.Session{ID: id, AccountID: a.ID, Version: a.Version, ExpiresAt: end}
		b.insertSession(s)
		return s
	}
	dayAgo := moment().Add(-session.Remembered)
	gone, kept := insert("gone", dayAgo.Add(-time.Microsecond)), insert("kept", dayAgo.Add(time.Microsecond))
	b.purge()
	if b.held(gone) || !b.held(kept) {
		b.Error("not the session that ended a day ago, and that alone, is gone")
	}
	b.equal("the account", b.account(a.ID), a)
	b.write(func(tx *store.Tx) error {
		_, err := tx.DeleteSessions(b.Context(), a.ID, "", session.Elsewhere)
		return err
	})
	if _, ok := b.sessionEnd(kept.ID); !ok || b.purge() {
		b.Error("why the session ended is not known")
	}
	b.purgeAt(moment().Add(time.Second))
	if _, ok := b.sessionEnd(kept.ID); ok {
		b.Error("why the session ended is kept for longer than the session would be")
	}
}

func (b purges) Purge_FormerAddressesThatAreFree() {
	a := b.person(1)
	for n, until := range []time.Time{moment().Add(-time.Microsecond), moment().Add(time.Microsecond)} {
		f := full[account.Other](n)
		f.AccountID, f.Until = a.ID, until
		accounts(b).keep(f)
	}
	b.purge()
	if left := accounts(b).others(a.ID, moment().Add(-time.Hour)); len(left) != 1 || !left[0].Until.After(moment()) {
		b.Errorf("left: %v", left)
	}
}

func (b purges) Purge_ThrottlesThatMayBeForgotten() {
	b.save("gone", throttle.State{Count: 1, Until: moment().Add(-time.Microsecond)})
	kept := b.save("kept", throttle.State{Count: 1, Until: moment().Add(time.Microsecond)})
	b.purge()
	b.equal("the one", b.state("gone"), throttle.State{})
	b.equal("the other", b.state("kept"), kept)
}

// A full batch means that more rows may be left. The test counts deleted facts
// this way.
func (b purges) Purge_OldFactsInBatches() {
	const batch = 100
	fact := func(at time.Time) {
		b.write(func(tx *store.Tx) error {
			for n := range batch {
				f := audit.Fact{ID: fmt.Sprint(at.UnixMicro(), n), At: at, AccountID: "id"}
				if err := tx.InsertFact(b.Context(), f); err != nil {
					return err
				}
			}
			return nil
		})
	}
	fact(moment().Add(-keepAudit - time.Microsecond))
	fact(moment().Add(-keepAudit + time.Microsecond))
	for _, want := range []bool{true, false} {
		if b.purge() != want {
			b.Errorf("there is more to purge, want %v", want)
		}
	}
	b.insertAccount(account.Account{ID: "id"})
	if later := moment().Add(time.Hour); !b.purgeAt(later) || b.purgeAt(later) {
		b.Error("the young facts were not there, or not gone when they were old")
	}
}

func (b *bundle) purge() (more bool) {
	b.Helper()
	return b.purgeAt(moment())
}

func (b *bundle) purgeAt(now time.Time) (more bool) {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return Purge(b.Context(), tx, now, now.Add(-keepAudit)) })
}

// Purge deletes a batch of each kind, all in one transaction.
func Purge(ctx context.Context, tx *store.Tx, now, records time.Time) (more bool, err error) {
	for _, k := range store.Purgeable(now, records) {
		some, err := tx.Purge(ctx, k)
		if err != nil {
			return false, err
		}
		more = more || some
	}
	return more, nil
}

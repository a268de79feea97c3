package storetest

import (
	"time"

	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/job"
	"portico/internal/outbox"
	"portico/internal/session"
	"portico/internal/store"
)

type rewinds struct{ *bundle }

func (b rewinds) rewind(endSessions bool) (mails int64) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		mails, err = tx.Rewind(b.Context(), moment(), "rewound", endSessions)
		return err
	})
	return mails
}

func (b rewinds) Rewind_EndsWhatIsPending() {
	past, now := moment().Add(-time.Hour), moment()
	over, pending := full[flow.Pending](1), full[flow.Pending](2)
	over.ExpiresAt, pending.ExpiresAt = past, now.Add(time.Hour)
	b.flow(over)
	secret := b.code(b.flow(pending).ID, 1)
	b.rewind(false)
	if got, _ := b.flowByID(over.ID); !got.ExpiresAt.Equal(past) {
		b.Errorf("a flow that was over ends at %v, want %v", got.ExpiresAt, past)
	}
	pending.ExpiresAt, secret.ExpiresAt = now, now
	got, _ := b.flowByID(pending.ID)
	b.equal("the pending flow", got, pending)
	b.equal("its code", b.codes(pending.ID)[0].ExpiresAt, secret.ExpiresAt)
}

func (b rewinds) Rewind_HoldsMailThatWaits() {
	dead := b.message(full[outbox.Record](1))
	waits := b.message(waiting("m", moment()))
	if n := b.rewind(false); n != 1 {
		b.Errorf("%d mails were held, want 1", n)
	}
	b.equal("what is claimed", b.claim(moment().Add(time.Hour), moment(), 9), []outbox.Record(nil))
	waits.DeadAt, waits.Reason = moment(), "rewound"
	b.equal("the dead messages", b.dead(9), []outbox.Record{dead, waits})
}

func (b rewinds) Rewind_StopsJobs() {
	runs, draft := jobs(b).begun(1), jobs(b).drafted(2, b.person(2).ID)
	b.rewind(false)
	runs.State, runs.Why, runs.Step, runs.EndedAt = job.Failed, "restored", runs.Step+1, moment()
	b.equal("the job that ran", jobs(b).now(runs.ID), runs)
	b.equal("the draft", jobs(b).now(draft.ID), draft)
}

func (b rewinds) Rewind_StopsWelcomes() {
	w := welcomes(b)
	w.set(w.bare(1), flow.Welcome{QueuedAt: moment(), Pace: time.Minute})
	b.rewind(false)
	if id, waits := w.next(); waits {
		b.Errorf("%s waits for an email", id)
	}
}

func (b rewinds) Rewind_GivesUpWhatIsToldOfTheMail() {
	waits, sent := full[outbox.Outcome](1), full[outbox.Outcome](2)
	waits.ID, waits.State = b.message(waiting("m", moment())).ID, outbox.Waiting
	b.outcome(waits)
	b.outcome(sent)
	b.rewind(false)
	waits.State, waits.At, waits.Answer = outbox.GivenUp, moment(), "rewound"
	b.equal("the email that waited", b.outcomesOf(waits.Mailbox, 9), []outbox.Outcome{waits})
	b.equal("the email that was sent", b.outcomesOf(sent.Mailbox, 9), []outbox.Outcome{sent})
}

func (b rewinds) Rewind_SessionsWhenAsked() {
	a := b.person(1)
	s := session.Session{ID: "s", AccountID: a.ID, Version: a.Version, ExpiresAt: moment().Add(time.Hour)}
	b.insertSession(s)
	b.rewind(false)
	if !b.held(s) {
		b.Error("a session has ended unasked")
	}
	b.rewind(true)
	if b.held(s) {
		b.Error("a session holds")
	}
	b.equal("the account", b.account(a.ID), a)
}

func (b rewinds) Rewind_WhatAThiefMayHaveLeft() {
	_, s := apiKeys(b).key(1)
	i := invitations(b).sent(1)
	t := b.trust(s.AccountID, 1)
	for _, all := range []bool{false, true} {
		b.rewind(all)
		_, works := apiKeys(b).held(s.Hash)
		if open := invitations(b).now(i.ID).State == invitation.Open; works == all || open == all || len(b.trusts(t.AccountID)) == 1 == all {
			b.Errorf("sessions end: %v. The key works: %v, the invitation is open: %v, and the browsers are %v", all, works, open, b.trusts(t.AccountID))
		}
	}
}

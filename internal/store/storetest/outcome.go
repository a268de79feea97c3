package storetest

import (
	"time"

	"portico/internal/outbox"
	"portico/internal/store"
)

func (b outboxes) InsertOutcome_EveryField() {
	o := full[outbox.Outcome](1)
	b.outcome(o)
	b.equal("the outcomes", b.outcomesOf(o.Mailbox, 9), []outbox.Outcome{o})
}

func (b outboxes) OutcomesOf_NewestFirst() {
	var all [3]outbox.Outcome
	for n := range all {
		all[n] = full[outbox.Outcome](n + 1)
		all[n].Mailbox, all[n].AskedAt = []byte{1}, moment().Add(time.Duration(n)*time.Second)
		b.outcome(all[n])
	}
	other := full[outbox.Outcome](4)
	other.Mailbox = []byte{2}
	b.outcome(other)
	b.equal("the outcomes", b.outcomesOf([]byte{1}, 2), []outbox.Outcome{all[2], all[1]})
}

func (b outboxes) UpdateOutcome_ThatOneOnly() {
	kept, o := full[outbox.Outcome](1), full[outbox.Outcome](2)
	b.outcome(kept)
	b.outcome(o)
	o.At, o.State, o.Answer = moment().Add(time.Minute), outbox.GivenUp, "550 no"
	changed := outbox.Outcome{ID: o.ID, At: o.At, State: o.State, Answer: o.Answer}
	b.write(func(tx *store.Tx) error { return tx.UpdateOutcome(b.Context(), changed) })
	b.write(func(tx *store.Tx) error { return tx.UpdateOutcome(b.Context(), outbox.Outcome{ID: "none"}) })
	b.equal("the changed one", b.outcomesOf(o.Mailbox, 9), []outbox.Outcome{o})
	b.equal("the other one", b.outcomesOf(kept.Mailbox, 9), []outbox.Outcome{kept})
}

func (b outboxes) Purge_OldOutcomes() {
	old, young := full[outbox.Outcome](1), full[outbox.Outcome](2)
	young.AskedAt, old.AskedAt = moment().Add(-outbox.KeepDead), moment().Add(-outbox.KeepDead-time.Microsecond)
	b.outcome(old)
	b.outcome(young)
	b.purge()
	b.equal("the old one", b.outcomesOf(old.Mailbox, 9), []outbox.Outcome(nil))
	b.equal("the young one", b.outcomesOf(young.Mailbox, 9), []outbox.Outcome{young})
}

func (b outboxes) Purge_NoOutcomeBeforeItsMessage() {
	o := full[outbox.Outcome](1)
	o.AskedAt = moment().Add(-outbox.KeepDead - time.Hour)
	dead := waiting(o.ID, o.AskedAt)
	dead.DeadAt = moment().Add(-outbox.KeepDead)
	b.outcome(o)
	b.message(dead)
	b.purge()
	b.equal("the outcome while an operator can send the message again", b.outcomesOf(o.Mailbox, 9), []outbox.Outcome{o})
}

func (b *bundle) outcome(o outbox.Outcome) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.InsertOutcome(b.Context(), o) })
}

func (b *bundle) outcomesOf(mailbox []byte, limit int) []outbox.Outcome {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]outbox.Outcome, error) { return tx.OutcomesOf(b.Context(), mailbox, limit) })
}

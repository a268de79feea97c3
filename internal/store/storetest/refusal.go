package storetest

import (
	"time"

	"portico/internal/outbox"
	"portico/internal/store"
)

func (b outboxes) InsertRefusal_TheNewestCounts() {
	old := outbox.Refusal{Mailbox: []byte{1}, AskedAt: moment(), RefusedAt: moment().Add(time.Second)}
	other := outbox.Refusal{Mailbox: []byte{2}, AskedAt: moment(), RefusedAt: moment()}
	b.refusal(old)
	b.refusal(other)
	b.equal("the refusal", b.refusalOf(1), old)
	newest := outbox.Refusal{Mailbox: []byte{1}, AskedAt: moment().Add(time.Hour), RefusedAt: moment().Add(time.Hour)}
	b.refusal(newest)
	b.equal("the refusal", b.refusalOf(1), newest)
	b.equal("the other mailbox", b.refusalOf(2), other)
	b.equal("no mailbox", b.refusalOf(3), outbox.Refusal{})
}

func (b outboxes) RefusalOf_NoneOfAnAcceptedMailbox() {
	if _, ok := find(b.bundle, func(tx *store.Tx) (outbox.Refusal, bool, error) { return tx.RefusalOf(b.Context(), []byte{1}) }); ok {
		b.Error("a mailbox that was not refused has a refusal")
	}
}

func (b outboxes) DeleteRefusal_ThatOneOnly() {
	kept := outbox.Refusal{Mailbox: []byte{1}, AskedAt: moment(), RefusedAt: moment()}
	b.refusal(kept)
	b.refusal(outbox.Refusal{Mailbox: []byte{2}, AskedAt: moment(), RefusedAt: moment()})
	for range 2 { // the second time there is nothing to delete
		b.write(func(tx *store.Tx) error { return tx.DeleteRefusal(b.Context(), []byte{2}) })
	}
	b.equal("the deleted refusal", b.refusalOf(2), outbox.Refusal{})
	b.equal("the other mailbox", b.refusalOf(1), kept)
}

func (b outboxes) Purge_OldRefusals() {
	limit := moment().Add(-outbox.KeepRefusal)
	young := outbox.Refusal{Mailbox: []byte{1}, AskedAt: limit, RefusedAt: limit}
	b.refusal(young)
	b.refusal(outbox.Refusal{Mailbox: []byte{2}, AskedAt: limit, RefusedAt: limit.Add(-time.Microsecond)})
	b.purge()
	b.equal("the old one", b.refusalOf(2), outbox.Refusal{})
	b.equal("the young one", b.refusalOf(1), young)
}

func (b *bundle) refusal(r outbox.Refusal) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.InsertRefusal(b.Context(), r) })
}

func (b *bundle) refusalOf(mailbox byte) outbox.Refusal {
	b.Helper()
	r, _ := find(b, func(tx *store.Tx) (outbox.Refusal, bool, error) { return tx.RefusalOf(b.Context(), []byte{mailbox}) })
	return r
}

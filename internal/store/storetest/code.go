package storetest

import (
	"time"

	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/store"
)

type codes struct{ *bundle }

func (b codes) InsertCode_EveryField() {
	p := b.flow(full[flow.Pending](1))
	s := full[code.Secret](1)
	s.FlowID = p.ID
	b.write(func(tx *store.Tx) error { return tx.InsertCode(b.Context(), s) })
	b.equal("the secrets of the flow", b.codes(p.ID), []code.Secret{s})
	byLink, _ := b.codeByLink(s.Link)
	b.equal("the secret by its link", byLink, s)
}

func (b codes) InsertCode_Refused() {
	s := b.code(b.flow(full[flow.Pending](1)).ID, 1)
	other := full[code.Secret](2)
	b.fails("a secret without a flow", func(tx *store.Tx) error { return tx.InsertCode(b.Context(), other) })
	other.FlowID, other.Link = s.FlowID, s.Link
	b.fails("a link that is taken", func(tx *store.Tx) error { return tx.InsertCode(b.Context(), other) })
}

func (b codes) CodesOf_NewestFirst() {
	p, other := b.flow(full[flow.Pending](1)), b.flow(full[flow.Pending](2))
	second, third, first := b.code(p.ID, 2), b.code(p.ID, 3), b.code(p.ID, 1)
	b.code(other.ID, 4)
	b.equal("the secrets", b.codes(p.ID), []code.Secret{third, second, first})
}

func (b codes) CodeByLink_Unknown() {
	s := b.code(b.flow(full[flow.Pending](1)).ID, 1)
	for _, link := range [][]byte{nil, s.Digits, s.Link[:len(s.Link)-1]} {
		if _, ok := b.codeByLink(link); ok {
			b.Errorf("a secret was found by %x", link)
		}
	}
}

func (b codes) UseCode_Once() {
	flowID := b.flow(full[flow.Pending](1)).ID
	s, other := b.code(flowID, 1), b.code(flowID, 2)
	now := s.ExpiresAt.Add(-time.Microsecond)
	for _, want := range []bool{true, false} {
		if b.useCode(s.ID, now) != want {
			b.Errorf("used, want %v", want)
		}
	}
	s.UsedAt = now
	b.equal("the secrets", b.codes(flowID), []code.Secret{other, s})
	if b.useCode("no", now) {
		b.Error("a secret that does not exist was used")
	}
}

func (b codes) UseCode_NotAtItsEnd() {
	s := b.code(b.flow(full[flow.Pending](1)).ID, 1)
	if b.useCode(s.ID, s.ExpiresAt) {
		b.Error("a secret was used that has expired")
	}
	b.equal("the secret", b.codes(s.FlowID), []code.Secret{s})
}

func (b codes) UseCode_OneOfMany() {
	s := b.code(b.flow(full[flow.Pending](1)).ID, 1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return tx.UseCode(b.Context(), s.ID, s.SentAt) })
}

func (b codes) EndCodes_UnusedOnesOfTheFlow() {
	p, other := b.flow(full[flow.Pending](1)), b.flow(full[flow.Pending](2))
	used, open, theirs := b.code(p.ID, 1), b.code(p.ID, 2), b.code(other.ID, 3)
	before, now := used.SentAt, used.SentAt.Add(time.Second)
	b.useCode(used.ID, before)
	b.write(func(tx *store.Tx) error { return tx.EndCodes(b.Context(), p.ID, now) })
	used.UsedAt, open.UsedAt = before, now
	b.equal("the secrets of the flow", b.codes(p.ID), []code.Secret{open, used})
	b.equal("those of another flow", b.codes(other.ID), []code.Secret{theirs})
}

func (b *bundle) codes(flowID string) []code.Secret {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]code.Secret, error) { return tx.CodesOf(b.Context(), flowID) })
}

func (b *bundle) codeByLink(link []byte) (code.Secret, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (code.Secret, bool, error) { return tx.CodeByLink(b.Context(), link) })
}

func (b *bundle) useCode(id string, now time.Time) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.UseCode(b.Context(), id, now) })
}

// code stores an unused secret of the flow that is valid for a minute.
func (b *bundle) code(flowID string, number int) code.Secret {
	b.Helper()
	s := full[code.Secret](number)
	s.FlowID, s.ExpiresAt, s.UsedAt = flowID, s.SentAt.Add(time.Minute), time.Time{}
	b.write(func(tx *store.Tx) error { return tx.InsertCode(b.Context(), s) })
	return s
}

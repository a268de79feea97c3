package storetest

import (
	"time"

	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/store"
)

type flows struct{ *bundle }

func (b flows) InsertFlow_EveryField() {
	p := b.flow(full[flow.Pending](1))
	b.flow(full[flow.Pending](2))
	got, _ := b.flowByID(p.ID)
	b.equal("the flow", got, p)
	b.fails("an id that is taken", func(tx *store.Tx) error { return tx.InsertFlow(b.Context(), p) })
}

func (b flows) FlowByID_Unknown() {
	b.flow(full[flow.Pending](1))
	if _, ok := b.flowByID("no"); ok {
		b.Error("a flow was found")
	}
}

// A flow stays as a step has read it until the step ends. Here the step reads
// that no email was sent yet.
func (b flows) FlowByID_HeldUntilTheEnd() {
	p := b.flow(pending(1))
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		if _, _, err := tx.FlowByID(b.Context(), p.ID); err != nil {
			return false, err
		}
		sent, err := tx.CodesOf(b.Context(), p.ID)
		if err != nil || len(sent) > 0 {
			return false, err
		}
		s := full[code.Secret](worker)
		s.FlowID = p.ID
		return true, tx.InsertCode(b.Context(), s)
	})
}

func (b flows) InsertFlow_NothingSet() {
	b.write(func(tx *store.Tx) error { return tx.InsertFlow(b.Context(), flow.Pending{ID: "id"}) })
	got, ok := b.flowByID("id")
	if !ok || got.BrowserHash == nil || got.Sealed == nil {
		b.Errorf("bytes that are not set are %v, %v: want none, not NULL", got.BrowserHash, got.Sealed)
	}
	b.equal("the flow", got, flow.Pending{ID: "id"})
}

func (b flows) NewestFlow_OfTheSameBrowserAndPurpose() {
	wanted := b.flow(pending(2))
	b.flow(pending(1))
	for number, change := range []func(*flow.Pending){
		func(p *flow.Pending) { p.Kind = flow.Recovery },
		func(p *flow.Pending) { p.Step = flow.Done },
		func(p *flow.Pending) { p.AddressKey = "V@x.test" },
		func(p *flow.Pending) { p.BrowserHash = []byte("browsers") },
		func(p *flow.Pending) { p.ExpiresAt = moment() },
	} {
		p := pending(3 + number)
		change(&p)
		b.flow(p)
	}
	got, _ := find(b.bundle, func(tx *store.Tx) (flow.Pending, bool, error) {
		return tx.NewestFlow(b.Context(), wanted.Kind, wanted.Step, wanted.AddressKey, wanted.BrowserHash, moment())
	})
	b.equal("the newest flow", got, wanted)
}

func (b flows) NewestFlow_None() {
	p := b.flow(pending(1))
	if _, ok := find(b.bundle, func(tx *store.Tx) (flow.Pending, bool, error) {
		return tx.NewestFlow(b.Context(), p.Kind, p.Step, p.AddressKey, p.BrowserHash, p.ExpiresAt)
	}); ok {
		b.Error("a flow was found that has expired")
	}
}

func (b flows) AdvanceFlow_Once() {
	p, other := b.flow(pending(1)), b.flow(pending(2))
	if b.advance(p.ID, flow.Reset, flow.Done, moment()) {
		b.Error("the flow moved from a step that it is not at")
	}
	for _, want := range []bool{true, false} {
		if b.advance(p.ID, flow.Verify, flow.Done, moment()) != want {
			b.Errorf("moved, want %v", want)
		}
	}
	p.Step = flow.Done
	got, _ := b.flowByID(p.ID)
	b.equal("the flow", got, p)
	got, _ = b.flowByID(other.ID)
	b.equal("another flow", got, other)
}

func (b flows) AdvanceFlow_NotAtItsEnd() {
	p := b.flow(pending(1))
	if b.advance(p.ID, flow.Verify, flow.Done, p.ExpiresAt) {
		b.Error("a flow moved that has expired")
	}
	if !b.advance(p.ID, flow.Verify, flow.Done, p.ExpiresAt.Add(-time.Microsecond)) {
		b.Error("a flow did not move that holds")
	}
}

func (b flows) AdvanceFlow_OneOfMany() {
	p := b.flow(pending(1))
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.AdvanceFlow(b.Context(), p.ID, flow.Verify, flow.Done, moment())
	})
}

func (b flows) RenewFlow_AtItsStep() {
	p, other := b.flow(pending(1)), b.flow(pending(2))
	renewed := p
	renewed.Sealed, renewed.ReturnTo, renewed.ExpiresAt = []byte("other"), "/other", p.ExpiresAt.Add(time.Hour)
	renew := func(p flow.Pending, now time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.RenewFlow(b.Context(), p, now) })
	}
	if renew(renewed, p.ExpiresAt) {
		b.Error("a flow that has expired lives again")
	}
	if !renew(renewed, moment()) {
		b.Error("a flow was not renewed")
	}
	got, _ := b.flowByID(p.ID)
	b.equal("the flow", got, renewed)
	got, _ = b.flowByID(other.ID)
	b.equal("another flow", got, other)
	b.advance(p.ID, flow.Verify, flow.Done, moment())
	if renew(p, moment()) {
		b.Error("a flow was renewed after its step")
	}
}

func (b flows) OwnFlow_ThatOneOnly() {
	p, other := b.flow(pending(1)), b.flow(pending(2))
	b.write(func(tx *store.Tx) error { return tx.OwnFlow(b.Context(), p.ID, "owner") })
	p.AccountID = "owner"
	got, _ := b.flowByID(p.ID)
	b.equal("the flow", got, p)
	got, _ = b.flowByID(other.ID)
	b.equal("another flow", got, other)
}

// pending is a registration that waits for its code for another hour, always
// with the same browser and address.
func pending(number int) flow.Pending {
	p := full[flow.Pending](number)
	p.Kind, p.Step, p.AddressKey, p.BrowserHash = flow.SignUp, flow.Verify, "v@x.test", []byte("browser")
	p.ExpiresAt = moment().Add(time.Hour)
	return p
}

func (b *bundle) flow(p flow.Pending) flow.Pending {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.InsertFlow(b.Context(), p) })
	return p
}

func (b *bundle) flowByID(id string) (flow.Pending, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (flow.Pending, bool, error) { return tx.FlowByID(b.Context(), id) })
}

func (b *bundle) advance(id string, from, to flow.Step, now time.Time) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.AdvanceFlow(b.Context(), id, from, to, now) })
}

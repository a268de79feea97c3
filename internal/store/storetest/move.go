package storetest

import (
	"time"

	"portico/internal/store"
)

type moves struct{ *bundle }

func (b moves) state() store.MoveState {
	b.Helper()
	state, _ := find(b.bundle, func(tx *store.Tx) (store.MoveState, bool, error) {
		state, err := tx.MoveState(b.Context())
		return state, true, err
	})
	return state
}

func (b moves) keep(state store.MoveState, until time.Time) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.KeepMoveState(b.Context(), state, until) })
}

func (b moves) MoveState_NoneAtFirst() { b.equal("the state", b.state(), store.MoveState("")) }

func (b moves) KeepMoveState_Replaces() {
	b.keep(store.MoveLeaving, moment())
	b.equal("the state", b.state(), store.MoveLeaving)
	b.keep(store.MoveComing, time.Time{})
	b.equal("the state", b.state(), store.MoveComing)
}

// A move waits until no email is being sent. No email is claimed meanwhile, and
// a move that gave up holds email for a short time only.
func (b moves) KeepMoveState_HoldsMail() {
	now := moment()
	b.message(waiting("m", now))
	b.keep(store.MoveLeaving, now.Add(time.Minute))
	if got := b.claim(now, now.Add(time.Minute), 9); len(got) != 0 {
		b.Errorf("%d messages were claimed", len(got))
	}
	if got := b.claim(now.Add(time.Minute), now.Add(2*time.Minute), 9); len(got) != 1 {
		b.Errorf("%d messages were claimed afterwards, want 1", len(got))
	}
}

func (b moves) ForgetMoveState_AsAtFirst() {
	b.keep(store.MoveComing, time.Time{})
	b.write(func(tx *store.Tx) error { return tx.ForgetMoveState(b.Context()) })
	b.equal("the state", b.state(), store.MoveState(""))
}

func (b moves) MailUnderWay_Claimed() {
	now := moment()
	b.message(waiting("claimed", now))
	b.claim(now, now.Add(40*time.Second), 9)
	b.message(waiting("waits", now))
	for _, c := range []struct {
		at, horizon time.Duration
		want        int64
	}{{0, 40 * time.Second, 1}, {0, 39 * time.Second, 0}, {40 * time.Second, time.Minute, 0}} {
		got := result(b.bundle, func(tx *store.Tx) (int64, error) {
			return tx.MailUnderWay(b.Context(), now.Add(c.at), now.Add(c.horizon))
		})
		b.equal("mails under way", got, c.want)
	}
}

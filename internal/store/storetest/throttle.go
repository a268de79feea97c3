package storetest

import (
	"portico/internal/store"
	"portico/internal/throttle"
)

type throttles struct{ *bundle }

func (b throttles) LockThrottle_NeverSeen() {
	b.equal("the state", b.lock("k"), throttle.State{})
	b.equal("the state after the lock", b.state("k"), throttle.State{})
}

func (b throttles) SaveThrottle_EveryField() {
	s := b.save("k", full[throttle.State](1))
	other := b.save("other", full[throttle.State](2))
	b.equal("the state", b.state("k"), s)
	b.equal("the state under a lock", b.lock("k"), s)
	b.equal("another's state", b.state("other"), other)
	s = b.save("k", throttle.State{})
	b.equal("the state that was reset", b.state("k"), s)
}

// Count first, then check. No parallel attempt may read a count that another
// attempt is about to change (SEC-018).
func (b throttles) LockThrottle_CountsEveryParallelTry() {
	b.race(func(tx *store.Tx, _ int) (bool, error) {
		s, err := tx.LockThrottle(b.Context(), "k")
		if err != nil {
			return false, err
		}
		s.Count++
		return true, tx.SaveThrottle(b.Context(), "k", s)
	})
	b.equal("the state", b.state("k"), throttle.State{Count: workers})
}

func (b throttles) ThrottleState_NeverSeen() {
	b.save("other", full[throttle.State](1))
	b.equal("the state", b.state("k"), throttle.State{})
}

func (b throttles) DeleteThrottle_ThatOneOnly() {
	b.save("k", full[throttle.State](1))
	other := b.save("other", full[throttle.State](2))
	for range 2 { // the second time there is nothing to delete
		b.write(func(tx *store.Tx) error { return tx.DeleteThrottle(b.Context(), "k") })
		b.equal("the state", b.state("k"), throttle.State{})
	}
	b.equal("another's state", b.state("other"), other)
}

func (b *bundle) lock(key string) throttle.State {
	b.Helper()
	return result(b, func(tx *store.Tx) (throttle.State, error) { return tx.LockThrottle(b.Context(), key) })
}

func (b *bundle) state(key string) throttle.State {
	b.Helper()
	s, _ := find(b, func(tx *store.Tx) (throttle.State, bool, error) {
		s, err := tx.ThrottleState(b.Context(), key)
		return s, true, err
	})
	return s
}

func (b *bundle) save(key string, s throttle.State) throttle.State {
	b.Helper()
	b.write(func(tx *store.Tx) error {
		if _, err := tx.LockThrottle(b.Context(), key); err != nil {
			return err
		}
		return tx.SaveThrottle(b.Context(), key, s)
	})
	return s
}

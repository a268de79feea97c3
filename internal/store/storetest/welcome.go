package storetest

import (
	"time"

	"portico/internal/flow"
	"portico/internal/store"
)

type welcomes struct{ *bundle }

// bare makes an imported account without a password.
func (b welcomes) bare(number int) string {
	n := newcomer(number)
	n.Account.Password = ""
	newcomers(b).make(n)
	return n.Account.ID
}

func (b welcomes) has(id string) (flow.Welcome, bool) {
	return find(b.bundle, func(tx *store.Tx) (flow.Welcome, bool, error) { return tx.WelcomeOf(b.Context(), id) })
}

func (b welcomes) set(id string, w flow.Welcome) {
	b.write(func(tx *store.Tx) error { return tx.UpdateWelcome(b.Context(), id, w) })
}

func (b welcomes) next() (string, bool) {
	return find(b.bundle, func(tx *store.Tx) (string, bool, error) { return tx.NextWelcome(b.Context()) })
}

func (b welcomes) WelcomeOf_WithoutPasswordAlone() {
	n := newcomer(2)
	newcomers(b).make(n)
	if w, ok := b.has(b.bare(1)); !ok || w != (flow.Welcome{}) {
		b.Errorf("a new one has %+v: %v", w, ok)
	}
	if _, ok := b.has(n.Account.ID); ok {
		b.Error("an account with a password has one")
	}
}

func (b welcomes) UpdateWelcome_OfOneAccount() {
	id, other := b.bare(1), b.bare(2)
	want := full[flow.Welcome](7)
	want.Pace = 36 * time.Second
	b.set(id, want)
	got, _ := b.has(id)
	b.equal("the row", got, want)
	if w, _ := b.has(other); w != (flow.Welcome{}) {
		b.Errorf("the other one has %+v", w)
	}
}

func (b welcomes) DeleteWelcome_OfOneAccount() {
	id, other := b.bare(1), b.bare(2)
	b.write(func(tx *store.Tx) error { return tx.DeleteWelcome(b.Context(), id) })
	if _, ok := b.has(id); ok {
		b.Error("the row is there")
	}
	if _, ok := b.has(other); !ok {
		b.Error("the row of another account is gone")
	}
}

func (b welcomes) NextWelcome_TheLongestWait() {
	if _, ok := b.next(); ok {
		b.Error("an empty queue has one")
	}
	later, first, mailed := b.bare(1), b.bare(2), b.bare(3)
	b.set(later, flow.Welcome{QueuedAt: moment().Add(time.Second)})
	b.set(first, flow.Welcome{QueuedAt: moment()})
	b.set(mailed, flow.Welcome{MailedAt: moment()})
	for _, want := range []string{first, later} {
		id, _ := b.next()
		b.equal("the next", id, want)
		b.set(id, flow.Welcome{})
	}
}

func (b welcomes) StopWelcomes_KeepsWhatWasMailed() {
	one, two, mailed := b.bare(1), b.bare(2), b.bare(3)
	b.set(one, flow.Welcome{QueuedAt: moment()})
	b.set(two, flow.Welcome{QueuedAt: moment()})
	b.set(mailed, flow.Welcome{MailedAt: moment()})
	stop := func() int64 {
		return result(b.bundle, func(tx *store.Tx) (int64, error) { return tx.StopWelcomes(b.Context(), 1) })
	}
	b.equal("how many", []int64{stop(), stop(), stop()}, []int64{1, 1, 0})
	if w, _ := b.has(mailed); w.MailedAt.IsZero() {
		b.Errorf("the mailed one has %+v", w)
	}
	if _, ok := b.next(); ok {
		b.Error("one waits")
	}
}

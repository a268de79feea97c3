package storetest

import (
	"time"

	"portico/internal/account"
	"portico/internal/outbox"
	"portico/internal/store"
)

type departures struct{ *bundle }

func (b departures) InsertDeparture_EveryField() {
	d := b.departure(b.person(1).ID, moment())
	b.departure(b.person(2).ID, moment())
	got, ok := find(b.bundle, func(tx *store.Tx) (account.Departure, bool, error) { return tx.DepartureOf(b.Context(), d.AccountID) })
	if !ok {
		b.Fatal("there is none")
	}
	b.equal("the departure", got, d)
	b.fails("a second one of the account", func(tx *store.Tx) error { return tx.InsertDeparture(b.Context(), d) })
	b.fails("one without an account", func(tx *store.Tx) error {
		return tx.InsertDeparture(b.Context(), account.Departure{AccountID: "no"})
	})
}

func (b departures) DepartureOf_None() {
	a := b.person(1)
	if _, ok := find(b.bundle, func(tx *store.Tx) (account.Departure, bool, error) { return tx.DepartureOf(b.Context(), a.ID) }); ok {
		b.Error("an account that stays has one")
	}
}

func (b departures) DueDepartures_InTheirOrder() {
	now := moment()
	later := b.departure(b.person(1).ID, now.Add(time.Microsecond))
	due, first := b.departure(b.person(2).ID, now), b.departure(b.person(3).ID, now.Add(-time.Hour))
	of := func(at time.Time, limit int) []string {
		return list(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.DueDepartures(b.Context(), at, limit) })
	}
	b.equal("the due ones", of(now, 9), []string{first.AccountID, due.AccountID})
	b.equal("one of them", of(now, 1), []string{first.AccountID})
	b.equal("all, later", of(now.Add(time.Hour), 9), []string{first.AccountID, due.AccountID, later.AccountID})
}

func (b departures) DeleteDeparture_OfOneAccount() {
	d, other := b.departure(b.person(1).ID, moment()), b.departure(b.person(2).ID, moment())
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteDeparture(b.Context(), d.AccountID) }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	b.equal("what is left", list(b.bundle, func(tx *store.Tx) ([]string, error) {
		return tx.DueDepartures(b.Context(), moment(), 9)
	}), []string{other.AccountID})
}

// A deleted account leaves only its audit records, what tells other nodes and clients about
// its end, and emails that wait.
func (b departures) DeleteAccount_WithEveryRow() {
	a, other := b.person(1), b.person(2)
	b.named(a, 1)
	b.named(other, 2)
	b.departure(a.ID, moment())
	b.write(func(tx *store.Tx) error { return tx.RefusePasskeys(b.Context(), a.ID, moment()) })
	waiting := full[outbox.Record](3)
	waiting.AccountID, waiting.DeadAt = a.ID, time.Time{}
	b.message(waiting)
	before := b.left(other)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) })
	b.equal("the rows that are left", b.left(a), map[string]int{"audit": 1, "revocation": 1, "outbox": 1, "webhook_delivery": 1})
	b.equal("the rows of the other account", b.left(other), before)
}

// left returns how many rows of each table name an account.
func (b *bundle) left(a account.Account) map[string]int {
	b.Helper()
	counts := map[string]int{}
	for _, t := range list(b, func(tx *store.Tx) ([]account.Rows, error) { return tx.AccountData(b.Context(), a, moment()) }) {
		if len(t.Rows) > 0 {
			counts[t.Table] = len(t.Rows)
		}
	}
	return counts
}

func (b *bundle) departure(accountID string, erase time.Time) account.Departure {
	b.Helper()
	d := account.Departure{AccountID: accountID, LeftAt: erase.Add(-account.Grace), EraseAt: erase}
	b.write(func(tx *store.Tx) error { return tx.InsertDeparture(b.Context(), d) })
	return d
}

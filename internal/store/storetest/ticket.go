package storetest

import (
	"time"

	"portico/internal/clock"
	"portico/internal/store"
)

type tickets struct{ *bundle }

func (b tickets) SpendTicket_OnceForAll() {
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.SpendTicket(b.Context(), []byte("ticket"), moment())
	})
	if !b.spend("another", moment()) {
		b.Error("one ticket spends another")
	}
}

func (b tickets) Purge_TicketsThatHaveExpired() {
	b.spend("gone", moment().Add(-clock.MaxSkew-time.Microsecond))
	b.spend("kept", moment().Add(-clock.MaxSkew+time.Microsecond))
	b.purge()
	if !b.spend("gone", moment()) || b.spend("kept", moment()) {
		b.Error("not the ticket that has expired, and that alone, is gone")
	}
}

func (b *bundle) spend(hash string, until time.Time) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.SpendTicket(b.Context(), []byte(hash), until) })
}

func (b tickets) TicketSpent_AfterTheFirst() {
	spent := func(hash string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.TicketSpent(b.Context(), []byte(hash)) })
	}
	if spent("one") {
		b.Error("a ticket is spent that was never presented")
	}
	b.spend("one", moment())
	if !spent("one") || spent("another") {
		b.Error("not the spent ticket, and that alone, is spent")
	}
}

package storetest

import (
	"time"

	"portico/internal/openid"
	"portico/internal/store"
)

type watches struct{ *bundle }

func (b watches) watch(sessionID string, at time.Time) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.Watch(b.Context(), sessionID, at) })
}

// due returns the sessions to look at, at most two.
func (b watches) due(now time.Time) []openid.Watched {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]openid.Watched, error) { return tx.DueWatches(b.Context(), now, 2) })
}

func (b watches) Watch_OnceEach() {
	b.watch("one", moment())
	b.watch("one", moment().Add(time.Hour))
	b.equal("due too early", len(b.due(moment())), 0)
	b.equal("due", b.due(moment().Add(time.Hour)), []openid.Watched{{SessionID: "one"}})
}

func (b watches) DueWatches_OldestFirst() {
	s := b.session(b.person(1), 1)
	b.watch("third", moment().Add(2*time.Microsecond))
	b.watch("second", moment().Add(time.Microsecond))
	b.watch(s.ID, moment())
	b.equal("due", b.due(moment().Add(time.Second)), []openid.Watched{
		{SessionID: s.ID, AccountID: s.AccountID, Seen: s.LastSeenAt, Ends: s.ExpiresAt}, {SessionID: "second"},
	})
}

func (b watches) Unwatch_One() {
	b.watch("one", moment())
	b.watch("two", moment())
	b.write(func(tx *store.Tx) error { return tx.Unwatch(b.Context(), "one") })
	b.equal("due", b.due(moment()), []openid.Watched{{SessionID: "two"}})
}

func (b watches) MoveGrants_MovesTheWatch() {
	b.watch("one", moment())
	b.write(func(tx *store.Tx) error { return tx.MoveGrants(b.Context(), "one", "two", moment()) })
	b.equal("due", b.due(moment()), []openid.Watched{{SessionID: "two"}})
}

package storetest

import (
	"slices"
	"time"

	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/store"
)

func (b grants) EndGrantsOf_OneSession() {
	a, other := b.person(1), b.person(2)
	for number, id := range []string{"s1", "s2"} {
		b.insertSession(session.Session{ID: id, AccountID: a.ID, Version: a.Version, CreatedAt: moment().Add(time.Duration(number)), LastSeenAt: moment(), ExpiresAt: moment().Add(time.Hour)})
	}
	online := b.at(1, a, "s1", nil)
	offline := b.at(2, a, "s1", func(g *openid.Grant) { g.Scopes = []string{"openid", "offline_access"} })
	unused := b.at(3, a, "s1", func(g *openid.Grant) { g.RedeemedAt, g.Scopes = time.Time{}, offline.Scopes })
	ended := b.at(4, a, "s1", func(g *openid.Grant) { g.EndedAt = moment().Add(-time.Minute) })
	second := b.at(5, a, "s2", nil)
	gone := b.at(6, a, "a session that is gone", nil)
	foreign := b.at(7, other, "s1", nil)
	end := func(do func(tx *store.Tx) ([]openid.Ended, error)) (clients []string) {
		for _, e := range result(b.bundle, do) {
			clients = append(clients, e.ClientID+" "+e.SID)
		}
		slices.Sort(clients)
		return clients
	}
	names := func(list ...openid.Grant) (clients []string) {
		for _, g := range list {
			clients = append(clients, g.ClientID+" "+g.SID)
		}
		slices.Sort(clients)
		return clients
	}
	at := moment().Add(time.Second)
	b.equal("of one session", end(func(tx *store.Tx) ([]openid.Ended, error) { return tx.EndGrantsOf(b.Context(), a.ID, "s1", false, at) }), names(online, offline, ended))
	ends := func(g openid.Grant) time.Time {
		l, _ := b.liveGrant(g.ID)
		return l.Grant.EndedAt
	}
	for name, tt := range map[string]struct {
		g    openid.Grant
		want time.Time
	}{
		"online": {online, at}, "offline": {offline, time.Time{}}, "unused": {unused, at}, "ended before": {ended, ended.EndedAt},
		"of another session": {second, time.Time{}}, "of a session that is gone": {gone, time.Time{}}, "of another account": {foreign, time.Time{}},
	} {
		if got := ends(tt.g); !got.Equal(tt.want) {
			b.Errorf("%s: ended at %v, want %v", name, got, tt.want)
		}
	}
}

// With offline, what outlives a session ends with it.
func (b grants) EndGrantsOf_WithOffline() {
	a, at := b.person(1), moment().Add(time.Second)
	offline := b.at(1, a, "s1", func(g *openid.Grant) { g.Scopes = []string{"openid", "offline_access"} })
	ended := b.at(2, a, "s1", func(g *openid.Grant) { g.Scopes, g.EndedAt = offline.Scopes, moment() })
	told := result(b.bundle, func(tx *store.Tx) ([]openid.Ended, error) {
		return tx.EndGrantsOf(b.Context(), a.ID, "s1", true, at)
	})
	b.equal("how many are told", len(told), 2)
	for id, want := range map[string]time.Time{offline.ID: at, ended.ID: ended.EndedAt} {
		if l, _ := b.liveGrant(id); !l.Grant.EndedAt.Equal(want) {
			b.Errorf("the grant %.10s ended at %v, want %v", id, l.Grant.EndedAt, want)
		}
	}
}

func (b grants) EndGrantsBeside_OneSession() {
	a, offline, before := b.person(1), []string{"openid", "offline_access"}, moment().Add(-time.Minute)
	for _, id := range []string{"s1", "s2"} {
		b.insertSession(session.Session{ID: id, AccountID: a.ID, Version: a.Version, LastSeenAt: moment(), ExpiresAt: moment().Add(time.Hour)})
	}
	kept := b.at(1, a, "s1", func(g *openid.Grant) { g.Scopes = offline })
	second := b.at(2, a, "s2", func(g *openid.Grant) { g.MayTell, g.Scopes = false, offline })
	revoked := b.at(3, a, "s2", func(g *openid.Grant) { g.EndedAt = before })
	outlived := b.at(4, a, "a session that is gone", func(g *openid.Grant) { g.Scopes = offline })
	gone := b.at(5, a, "a session that is gone", func(g *openid.Grant) { g.Scopes, g.EndedAt = offline, before })
	unused := b.at(6, a, "a session that is gone", func(g *openid.Grant) { g.Scopes, g.RedeemedAt = offline, time.Time{} })
	foreign := b.at(7, b.person(2), "s2", nil)
	sessions := result(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.OfflineSessions(b.Context(), a.ID, moment()) })
	slices.Sort(sessions)
	b.equal("OfflineSessions", sessions, []string{"a session that is gone", "s1", "s2"})
	told := result(b.bundle, func(tx *store.Tx) ([]openid.Ended, error) {
		return tx.EndGrantsBeside(b.Context(), a.ID, "s1", moment())
	})
	var clients []string
	for _, e := range told {
		clients = append(clients, e.ClientID)
	}
	slices.Sort(clients)
	b.equal("who is told", clients, []string{second.ClientID, revoked.ClientID, outlived.ClientID})
	for id, want := range map[string]time.Time{
		kept.ID: {}, foreign.ID: {}, second.ID: moment(), outlived.ID: moment(), unused.ID: moment(), revoked.ID: before, gone.ID: before,
	} {
		if l, _ := b.liveGrant(id); !l.Grant.EndedAt.Equal(want) {
			b.Errorf("the grant %.10s ended at %v, want %v", id, l.Grant.EndedAt, want)
		}
	}
}

// What has ended or expired, or is of a former password, was outlived by nothing.
func (b grants) OfflineSessions_InUse() {
	a := b.person(1)
	for number, change := range []func(*openid.Grant){
		func(g *openid.Grant) { g.Scopes = []string{"openid"} }, func(g *openid.Grant) { g.RedeemedAt = time.Time{} }, func(g *openid.Grant) { g.EndedAt = moment() },
		func(g *openid.Grant) { g.ExpiresAt = moment() }, func(g *openid.Grant) { g.Version-- },
	} {
		b.at(number+1, a, "s1", func(g *openid.Grant) { g.Scopes = []string{"offline_access"}; change(g) })
	}
	b.equal("the sessions", result(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.OfflineSessions(b.Context(), a.ID, moment()) }), []string(nil))
}

package storetest

import (
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/store"
)

type grants struct{ *bundle }

// grant stores a grant of a new person. Its code was not redeemed.
func (b *bundle) grant(number int, change func(*openid.Grant)) openid.Grant {
	b.Helper()
	a := b.person(number)
	g := full[openid.Grant](number)
	g.AccountID, g.Version = a.ID, a.Version
	g.ExpiresAt = moment().Add(time.Hour)
	g.RedeemedAt, g.EndedAt = time.Time{}, time.Time{}
	if change != nil {
		change(&g)
	}
	b.write(func(tx *store.Tx) error { return tx.InsertGrant(b.Context(), g) })
	return g
}

func (b *bundle) liveGrant(id string) (openid.Live, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (openid.Live, bool, error) { return tx.LiveGrant(b.Context(), id) })
}

func (b grants) InsertGrant_EveryField() {
	g := b.grant(1, func(g *openid.Grant) {
		g.RedeemedAt, g.EndedAt = moment(), moment().Add(time.Second)
	})
	a, p := b.account(g.AccountID), b.portrait(g.AccountID, 1)
	l, ok := b.liveGrant(g.ID)
	if !ok {
		b.Fatal("the grant is not found")
	}
	b.equal("the grant", l, openid.Live{Grant: g, User: openid.User{ID: a.ID, Address: a.Address.Mail, Name: a.Name, Roles: a.Roles, Portrait: p.ID, Claims: a.Claims}, AccountEnds: a.EndsAt})
}

func (b grants) LiveGrant_WithItsSession() {
	g := b.grant(1, nil)
	insert := func(id, accountID string, version int64) {
		b.insertSession(session.Session{ID: id, AccountID: accountID, Version: version, LastSeenAt: moment(), ExpiresAt: moment().Add(time.Hour)})
	}
	other := b.grant(2, func(g *openid.Grant) { g.SessionID = "older" })
	insert(g.SessionID, g.AccountID, g.Version)
	insert(other.SessionID, other.AccountID, other.Version-1)
	if l, _ := b.liveGrant(g.ID); !l.SessionSeen.Equal(moment()) || !l.SessionEnds.Equal(moment().Add(time.Hour)) {
		b.Errorf("the session was seen at %v and ends at %v", l.SessionSeen, l.SessionEnds)
	}
	if l, _ := b.liveGrant(other.ID); !l.SessionEnds.IsZero() {
		b.Error("a session of an older version counts")
	}
}

// A step that waits for a new sign-in sees the session to which that has moved the grant.
func (b grants) LiveGrant_HeldUntilTheEnd() {
	a := b.person(1)
	for _, id := range []string{"old", "new"} {
		b.insertSession(session.Session{ID: id, AccountID: a.ID, Version: a.Version, LastSeenAt: moment(), ExpiresAt: moment().Add(time.Hour)})
	}
	for n := range 20 {
		g := b.at(n, a, "old", nil)
		b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
			l, ok, err := tx.LiveGrant(b.Context(), g.ID)
			if err == nil && (!ok || l.SessionEnds.IsZero()) {
				b.Errorf("the grant (%v) is of the session %q, which is not there", ok, l.Grant.SessionID)
			}
			if err != nil || l.Grant.SessionID != "old" {
				return false, err
			}
			return true, tx.MoveGrants(b.Context(), "old", "new", moment().Add(time.Hour))
		})
	}
}

func (b grants) LiveGrant_NotOfAChangedAccount() {
	g, disabled := b.grant(1, nil), b.grant(2, nil)
	b.write(func(tx *store.Tx) error {
		return tx.UpdatePassword(b.Context(), g.AccountID, "another")
	})
	b.write(func(tx *store.Tx) error {
		return tx.UpdateState(b.Context(), disabled.AccountID, account.DisabledByOperator)
	})
	for _, id := range []string{g.ID, disabled.ID, "none"} {
		if _, ok := b.liveGrant(id); ok {
			b.Errorf("the grant %.10s lives", id)
		}
	}
}

func (b grants) RedeemGrant_Once() {
	g := b.grant(1, nil)
	until := moment().Add(24 * time.Hour)
	redeem := func(tx *store.Tx, id string) (bool, error) {
		return tx.RedeemGrant(b.Context(), id, "key", moment(), until)
	}
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return redeem(tx, g.ID) })
	l, _ := b.liveGrant(g.ID)
	g.RedeemedAt, g.ExpiresAt, g.Key = moment(), until, "key"
	b.equal("the grant", l.Grant, g)
	expired := b.grant(2, func(g *openid.Grant) { g.ExpiresAt = moment() })
	ended := b.grant(3, func(g *openid.Grant) { g.EndedAt = moment() })
	for _, id := range []string{expired.ID, ended.ID, "none"} {
		if b.did(func(tx *store.Tx) (bool, error) { return redeem(tx, id) }) {
			b.Errorf("the code of %.10s is redeemed", id)
		}
	}
}

func (b grants) RotateGrant_OncePerGeneration() {
	g := b.grant(1, func(g *openid.Grant) { g.RedeemedAt = moment() })
	rotate := func(tx *store.Tx, id string, generation int64, at time.Time) (bool, error) {
		return tx.RotateGrant(b.Context(), id, generation, "other key", at)
	}
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return rotate(tx, g.ID, g.Generation, moment()) })
	l, _ := b.liveGrant(g.ID)
	g.Generation, g.RotatedAt, g.Key = g.Generation+1, moment(), "other key"
	b.equal("the grant", l.Grant, g)
	fresh := b.grant(2, nil)
	expired := b.grant(3, func(g *openid.Grant) { g.RedeemedAt, g.ExpiresAt = moment(), moment() })
	ended := b.grant(4, func(g *openid.Grant) { g.RedeemedAt, g.EndedAt = moment(), moment() })
	for _, other := range []openid.Grant{fresh, expired, ended, {ID: "none"}} {
		if b.did(func(tx *store.Tx) (bool, error) { return rotate(tx, other.ID, other.Generation, moment()) }) {
			b.Errorf("the grant %.10s is rotated", other.ID)
		}
	}
}

func (b grants) EndGrant_Once() {
	g, other := b.grant(1, nil), b.grant(2, nil)
	end := func(at time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.EndGrant(b.Context(), g.ID, at) })
	}
	if !end(moment()) || end(moment().Add(time.Second)) {
		b.Error("the grant was not ended once")
	}
	l, _ := b.liveGrant(g.ID)
	g.EndedAt = moment()
	b.equal("the grant", l.Grant, g)
	l, _ = b.liveGrant(other.ID)
	b.equal("the other", l.Grant, other)
}

func (b grants) RevokeAccess_NeverBack() {
	g := b.grant(1, nil)
	for _, generation := range []int64{g.AccessFrom + 4, g.AccessFrom + 2} {
		b.write(func(tx *store.Tx) error { return tx.RevokeAccess(b.Context(), g.ID, generation) })
	}
	l, _ := b.liveGrant(g.ID)
	g.AccessFrom += 5
	b.equal("the grant", l.Grant, g)
}

func (b grants) MoveGrants_OfOneSession() {
	a, until := b.person(1), moment().Add(24*time.Hour)
	online, other := b.at(1, a, "old", nil), b.at(2, a, "another", nil)
	code := b.at(3, a, "old", func(g *openid.Grant) { g.RedeemedAt = time.Time{} })
	offline := b.at(4, a, "old", func(g *openid.Grant) { g.Scopes = []string{"openid", "offline_access"} })
	longer := b.at(5, a, "old", func(g *openid.Grant) { g.Scopes, g.ExpiresAt = offline.Scopes, until.Add(time.Hour) })
	ended := b.at(6, a, "old", func(g *openid.Grant) { g.EndedAt = moment() }) // its client is told of the sign-out, too
	b.write(func(tx *store.Tx) error { return tx.MoveGrants(b.Context(), "old", "new", until) })
	online.SessionID, code.SessionID, offline.SessionID, longer.SessionID, ended.SessionID = "new", "new", "new", "new", "new"
	online.ExpiresAt, offline.ExpiresAt = until, until
	for name, want := range map[string]openid.Grant{"online": online, "of another session": other, "a code": code, "offline": offline, "offline for longer": longer, "ended": ended} {
		l, _ := b.liveGrant(want.ID)
		b.equal(name, l.Grant, want)
	}
}

// at stores a grant of an account in a session.
func (b grants) at(number int, a account.Account, sessionID string, change func(*openid.Grant)) openid.Grant {
	b.Helper()
	g := full[openid.Grant](number)
	g.AccountID, g.Version, g.SessionID, g.ExpiresAt = a.ID, a.Version, sessionID, moment().Add(time.Hour)
	g.RedeemedAt, g.EndedAt, g.Scopes = moment(), time.Time{}, []string{"openid"}
	if change != nil {
		change(&g)
	}
	b.write(func(tx *store.Tx) error { return tx.InsertGrant(b.Context(), g) })
	return g
}

func (b grants) Purge_GrantsThatHaveExpired() {
	edge := moment().Add(-clock.MaxSkew)
	gone := b.grant(1, func(g *openid.Grant) { g.ExpiresAt = edge.Add(-time.Microsecond) })
	kept := b.grant(2, func(g *openid.Grant) { g.ExpiresAt = edge.Add(time.Microsecond) })
	b.purge()
	_, goneThere := b.liveGrant(gone.ID)
	_, keptThere := b.liveGrant(kept.ID)
	if goneThere || !keptThere {
		b.Error("not the grant that has expired, and that alone, is gone")
	}
}

func (b grants) Rewind_Grants() {
	g := b.grant(1, nil)
	rewinds(b).rewind(false)
	if _, ok := b.liveGrant(g.ID); ok {
		b.Error("a grant of a restored database lives")
	}
}

func (b grants) DeleteAccount_Grants() {
	g := b.grant(1, nil)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), g.AccountID) })
	if _, ok := b.liveGrant(g.ID); ok {
		b.Error("a grant of a deleted account lives")
	}
}

func (b grants) SaveConsent_AddsAndReplaces() {
	a, other := b.person(1), b.person(2)
	save := func(c openid.Consent) openid.Consent {
		b.write(func(tx *store.Tx) error { return tx.SaveConsent(b.Context(), c) })
		return c
	}
	of := func(accountID, clientID string) (openid.Consent, bool) {
		return find(b.bundle, func(tx *store.Tx) (openid.Consent, bool, error) {
			return tx.ConsentOf(b.Context(), accountID, clientID)
		})
	}
	save(openid.Consent{AccountID: a.ID, ClientID: "rp", Scopes: []string{"openid"}, GivenAt: moment()})
	again := save(openid.Consent{AccountID: a.ID, ClientID: "rp", Scopes: []string{"openid", "email"}, GivenAt: moment().Add(time.Hour)})
	second := save(openid.Consent{AccountID: a.ID, ClientID: "another", Scopes: []string{}, GivenAt: moment()})
	save(openid.Consent{AccountID: other.ID, ClientID: "rp", Scopes: []string{}, GivenAt: moment()})
	if got, ok := of(a.ID, "rp"); !ok {
		b.Error("the consent is not found")
	} else {
		b.equal("the consent", got, again)
	}
	b.equal("ConsentsOf", result(b.bundle, func(tx *store.Tx) ([]openid.Consent, error) { return tx.ConsentsOf(b.Context(), a.ID) }), []openid.Consent{second, again})
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteConsent(b.Context(), a.ID, "rp") }) || b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteConsent(b.Context(), a.ID, "rp") }) {
		b.Error("DeleteConsent: not deleted once")
	}
	if _, ok := of(a.ID, "rp"); ok {
		b.Error("the deleted consent is found")
	}
	if _, ok := of(other.ID, "rp"); !ok {
		b.Error("the consent of another account is gone")
	}
}

func (b grants) ConsentOf_ADeletedAccount() {
	a := b.person(1)
	b.write(func(tx *store.Tx) error {
		return tx.SaveConsent(b.Context(), openid.Consent{AccountID: a.ID, ClientID: "rp", Scopes: []string{}, GivenAt: moment()})
	})
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) })
	if _, ok := find(b.bundle, func(tx *store.Tx) (openid.Consent, bool, error) { return tx.ConsentOf(b.Context(), a.ID, "rp") }); ok {
		b.Error("the consent of a deleted account is found")
	}
}

func (b grants) DeleteConsent_None() {
	if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteConsent(b.Context(), "none", "rp") }) {
		b.Error("a consent is deleted that was never given")
	}
}

func (b grants) ConsentsOf_None() {
	b.equal("the consents", result(b.bundle, func(tx *store.Tx) ([]openid.Consent, error) { return tx.ConsentsOf(b.Context(), "none") }), []openid.Consent(nil))
}

func (b grants) ClientsOf_WithGrantsInUse() {
	a, other := b.person(1), b.person(2)
	of := func(clientID string, change func(*openid.Grant)) func(*openid.Grant) {
		return func(g *openid.Grant) {
			g.ClientID, g.CreatedAt = clientID, moment()
			if change != nil {
				change(g)
			}
		}
	}
	b.at(1, a, "s", of("rp", func(g *openid.Grant) { g.CreatedAt = moment().Add(-time.Hour) }))
	b.at(2, a, "s", of("rp", nil))
	b.at(3, a, "s", of("unused", func(g *openid.Grant) { g.RedeemedAt = time.Time{} }))
	b.at(4, a, "s", of("ended", func(g *openid.Grant) { g.EndedAt = moment() }))
	b.at(5, a, "s", of("expired", func(g *openid.Grant) { g.ExpiresAt = moment() }))
	b.at(6, other, "s", of("foreign", nil))
	b.at(7, a, "s", of("of another password", func(g *openid.Grant) { g.Version-- }))
	got := result(b.bundle, func(tx *store.Tx) ([]openid.Consent, error) { return tx.ClientsOf(b.Context(), a.ID, moment()) })
	b.equal("the clients", got, []openid.Consent{{AccountID: a.ID, ClientID: "rp", Scopes: []string{}, GivenAt: moment().Add(-time.Hour)}})
}

func (b grants) EndGrantsFor_OneClient() {
	a, other := b.person(1), b.person(2)
	client := func(id string) func(*openid.Grant) {
		return func(g *openid.Grant) { g.ClientID, g.Scopes = id, []string{"openid", "offline_access"} }
	}
	g, second, foreign := b.at(1, a, "s", client("rp")), b.at(2, a, "s", client("another")), b.at(3, other, "s", client("rp"))
	told := result(b.bundle, func(tx *store.Tx) ([]openid.Ended, error) { return tx.EndGrantsFor(b.Context(), a.ID, "rp", moment()) })
	b.equal("what is told", told, []openid.Ended{{ClientID: "rp", SID: g.SID, Subject: g.Subject, MayTell: true}})
	for id, want := range map[string]bool{g.ID: true, second.ID: false, foreign.ID: false} {
		if l, _ := b.liveGrant(id); l.Grant.EndedAt.IsZero() == want {
			b.Errorf("the grant %.10s ended at %v", id, l.Grant.EndedAt)
		}
	}
}

func (b grants) HoldersOf_ByConsentOrGrant() {
	people := []string{}
	for number := 1; number <= 6; number++ {
		people = append(people, b.person(number).ID)
	}
	slices.Sort(people)
	of := func(number int, id string, change func(*openid.Grant)) {
		b.grant(number, func(g *openid.Grant) {
			g.AccountID, g.ClientID, g.EndedAt, g.ExpiresAt = id, "rp", time.Time{}, moment().Add(time.Hour)
			if change != nil {
				change(g)
			}
		})
	}
	consents := func(id, clientID string) {
		b.write(func(tx *store.Tx) error {
			return tx.SaveConsent(b.Context(), openid.Consent{AccountID: id, ClientID: clientID, Scopes: []string{"openid"}, GivenAt: moment()})
		})
	}
	of(11, people[0], nil)
	of(12, people[0], nil)
	consents(people[1], "rp")
	of(13, people[2], func(g *openid.Grant) { g.EndedAt = moment() })
	of(14, people[3], func(g *openid.Grant) { g.ExpiresAt = moment() })
	of(15, people[4], func(g *openid.Grant) { g.ClientID = "another" })
	consents(people[4], "another")
	of(16, people[5], nil)
	for _, limit := range []int{1, 2, 100} {
		var all []string
		steps := 0
		for last := ""; ; steps++ {
			var some []string
			b.write(func(tx *store.Tx) (err error) {
				some, last, err = tx.HoldersOf(b.Context(), "rp", last, moment(), limit)
				return err
			})
			if last == "" {
				break
			}
			all = append(all, some...)
		}
		b.equal("the accounts", all, []string{people[0], people[1], people[5]})
		if (steps > 1) != (limit < 100) {
			b.Errorf("with the limit %d all accounts were walked in %d steps", limit, steps)
		}
	}
}

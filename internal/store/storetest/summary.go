package storetest

import (
	"fmt"
	"time"

	"portico/internal/account"
	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/store"
)

type summaries struct{ *bundle }

// summary returns what is counted an hour after moment. Sessions count if they were used
// after moment.
func (b summaries) summary(accountID string) account.Summary {
	b.Helper()
	s, _ := find(b.bundle, func(tx *store.Tx) (account.Summary, bool, error) {
		s, err := tx.SummaryOf(b.Context(), accountID, moment().Add(time.Hour), moment())
		return s, true, err
	})
	return s
}

func (b summaries) SummaryOf_CountsWhatCounts() {
	a, none := b.person(1), b.person(2)
	b.write(func(tx *store.Tx) error {
		return tx.RehashPassword(b.Context(), none.ID, "")
	})
	b.addresses(a.ID)
	for n := range 2 {
		b.passkey(a.ID, 20+n)
	}
	b.factor(a.ID, 30)
	b.signsIn(a)
	for n := range 5 {
		b.identity(a, 50+n)
	}
	twice := full[account.Identity](60)
	twice.AccountID, twice.Provider = a.ID, full[account.Identity](50).Provider
	b.did(func(tx *store.Tx) (bool, error) { return tx.InsertIdentity(b.Context(), twice) })
	b.clients(a)
	b.equal("the summary", b.summary(a.ID), account.Summary{Password: true, Addresses: 3, Passkeys: 2, Apps: 1, Sessions: 4, Clients: 6})
	b.equal("the summary of an account that has nothing", b.summary(none.ID), account.Summary{Addresses: 1})
}

// addresses gives an account two more addresses. It also stores two that do not count: a
// former one, and one that was removed.
func (b summaries) addresses(accountID string) {
	b.Helper()
	for n, o := range []account.Other{
		{Use: account.Recovery, Until: account.Forever},
		{Use: account.Spare, Until: account.Forever},
		{Use: account.Former, Until: moment().Add(2 * time.Hour)},
		{Use: account.Removed, Until: moment()},
	} {
		o.AccountID, o.Address = accountID, account.Address{Mail: fmt.Sprint(n), Key: fmt.Sprint(n)}
		b.write(func(tx *store.Tx) error { return tx.KeepAddress(b.Context(), o) })
	}
}

// signsIn starts four sessions of an account, and three that have ended by themselves.
func (b summaries) signsIn(a account.Account) {
	b.Helper()
	for n := range 7 {
		s := full[session.Session](40 + n)
		s.AccountID, s.Version = a.ID, a.Version
		s.LastSeenAt, s.ExpiresAt = moment().Add(time.Second), moment().Add(2*time.Hour)
		switch n {
		case 0:
			s.Version--
		case 1:
			s.ExpiresAt = moment()
		case 2:
			s.LastSeenAt = moment()
		}
		b.insertSession(s)
	}
}

// clients lets six OpenID clients know an account, one of them in two ways. Three others
// have obtained nothing that still counts.
func (b summaries) clients(a account.Account) {
	b.Helper()
	for n := range 5 {
		b.write(func(tx *store.Tx) error {
			return tx.SaveConsent(b.Context(), openid.Consent{AccountID: a.ID, ClientID: fmt.Sprint(n), Scopes: []string{}, GivenAt: moment()})
		})
	}
	for n := 4; n < 9; n++ {
		b.grant(70+n, func(g *openid.Grant) {
			g.AccountID, g.Version, g.ClientID = a.ID, a.Version, fmt.Sprint(n)
			g.RedeemedAt, g.ExpiresAt = moment(), moment().Add(2*time.Hour)
			switch n {
			case 6:
				g.RedeemedAt = time.Time{}
			case 7:
				g.EndedAt = moment()
			case 8:
				g.ExpiresAt = moment()
			}
		})
	}
}

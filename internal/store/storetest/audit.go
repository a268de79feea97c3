package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/store"
)

type audits struct{ *bundle }

// Facts are only added: none replaces another.
func (b audits) InsertFact_NeverReplaced() {
	f := full[audit.Fact](1)
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	b.fails("an id that is taken", func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
}

// A fact is written together with the change it reports, or not at all.
func (b audits) InsertFact_WithItsChange() {
	f := full[audit.Fact](1)
	b.fails("a change that failed", func(tx *store.Tx) error {
		_, err := tx.InsertAccount(b.Context(), account.Account{ID: "id"})
		return errors.Join(err, tx.InsertFact(b.Context(), f), errors.New("the step fails"))
	})
	b.equal("the account", b.account("id"), account.Account{})
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) }) // its id is free
}

// The newest records come first, and none of another account.
func (b audits) FactsOf_NewestFirst() {
	var want []audit.Fact
	for n := range 3 {
		f := full[audit.Fact](n + 1)
		f.AccountID = "mine"
		f.At = f.At.Add(time.Duration(n) * time.Hour)
		want = append([]audit.Fact{f}, want...)
		other := full[audit.Fact](n + 10)
		other.AccountID = "other"
		b.write(func(tx *store.Tx) error {
			return errors.Join(tx.InsertFact(b.Context(), f), tx.InsertFact(b.Context(), other))
		})
	}
	b.equal("the records", b.factsOf("mine", "", 10), want)
	b.equal("the newest records", b.factsOf("mine", "", 2), want[:2])
}

func (b audits) factsOf(accountID, before string, limit int, names ...audit.Name) []audit.Fact {
	return list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) {
		return tx.FactsOf(b.Context(), accountID, before, limit, names...)
	})
}

// A list of some names has no other record, also before a record of another name.
func (b audits) FactsOf_Names() {
	var all []audit.Fact
	for n, name := range []audit.Name{audit.SignedIn, audit.NameChanged, audit.SignInFailed, audit.SignedIn} {
		f := full[audit.Fact](n + 1)
		f.AccountID, f.Name, f.At = "mine", name, moment().Add(time.Duration(n)*time.Hour)
		all = append(all, f)
		b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	}
	b.equal("the attempts", b.factsOf("mine", "", 10, audit.SignedIn, audit.SignInFailed), []audit.Fact{all[3], all[2], all[0]})
	b.equal("the newest of them", b.factsOf("mine", "", 1, audit.SignedIn, audit.SignInFailed), all[3:])
	b.equal("older ones", b.factsOf("mine", all[1].ID, 10, audit.SignedIn), all[:1])
}

// A list that goes on before a record has each older record once, also of the same time.
func (b audits) FactsOf_Older() {
	var all []audit.Fact
	for n := range 5 {
		f := full[audit.Fact](n + 1)
		f.AccountID, f.At = "mine", moment().Add(time.Duration(n/3)*time.Microsecond)
		all = append(all, f)
		b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	}
	other := full[audit.Fact](10)
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), other) })
	want := b.factsOf("mine", "", 10)
	b.equal("how many", len(want), len(all))
	for at, f := range want {
		b.equal("the older records", b.factsOf("mine", f.ID, 10), append([]audit.Fact(nil), want[at+1:]...))
	}
	b.equal("some of them", b.factsOf("mine", want[0].ID, 2), want[1:3])
	b.equal("before a record of another account", len(b.factsOf("mine", other.ID, 10)), 0)
	b.equal("before no record", len(b.factsOf("mine", "gone", 10)), 0)
}

// Any combination of conditions finds each record that matches once, the newest first.
func (b audits) Facts_EachOnce() {
	d := dice(3)
	pick := func(from ...string) string { return from[d.IntN(len(from))] }
	var all []audit.Fact
	for n := range 40 {
		f := full[audit.Fact](n + 1)
		f.AccountID, f.Actor, f.Peer = pick("a", "b", ""), pick("self", "operator"), pick("192.0.2.0/24", "2001:db8::/56")
		f.Name, f.At = audit.Name(pick("signed_in", "signed_out", "roles_changed")), moment().Add(time.Duration(d.IntN(10))*time.Hour)
		all = append(all, f)
		b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	}
	slices.SortFunc(all, func(x, y audit.Fact) int { return cmp.Or(y.At.Compare(x.At), strings.Compare(y.ID, x.ID)) })
	maybe := func() bool { return d.IntN(2) == 0 }
	for range 60 {
		q := audit.Query{Limit: 1 + d.IntN(5)}
		if maybe() {
			q.AccountID = pick("a", "b", "none")
		}
		if maybe() {
			q.Actor = pick("self", "operator")
		}
		if maybe() {
			q.Peer = "192.0.2.0/24"
		}
		if maybe() {
			q.Names = []audit.Name{"signed_in", "roles_changed"}[:1+d.IntN(2)]
		}
		if maybe() {
			q.From = moment().Add(2 * time.Hour)
		}
		if maybe() {
			q.To = moment().Add(7 * time.Hour)
		}
		var want []string
		for _, f := range all {
			if (q.AccountID == "" || f.AccountID == q.AccountID) && (q.Actor == "" || f.Actor == q.Actor) && (q.Peer == "" || f.Peer == q.Peer) &&
				(len(q.Names) == 0 || slices.Contains(q.Names, f.Name)) && !f.At.Before(q.From) && (q.To.IsZero() || f.At.Before(q.To)) {
				want = append(want, f.ID)
			}
		}
		b.equal(fmt.Sprintf("the records of %+v", q), b.pages(q), want)
	}
}

// pages returns the ids of all pages of a query.
func (b audits) pages(q audit.Query) (ids []string) {
	for {
		page, _ := find(b.bundle, func(tx *store.Tx) (audit.Page, bool, error) {
			p, err := tx.Facts(b.Context(), q)
			return p, true, err
		})
		for _, f := range page.Facts {
			ids = append(ids, f.ID)
		}
		if q.After = page.Next; q.After == "" {
			return ids
		}
	}
}

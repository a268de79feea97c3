package storetest

import (
	"time"

	"portico/internal/account"
	"portico/internal/store"
)

// A kept address is for its account until the moment, and then for any.
func (b accounts) KeepAddress_ForOneAccount() {
	a, other := b.person(1), b.person(2)
	kept := account.Address{Mail: "Old@x.test", Key: "old@x.test"}
	until := moment().Add(time.Hour)
	for _, owner := range []account.Account{other, a} { // the newest counts
		b.keep(account.Former{AccountID: owner.ID, Address: kept, At: moment(), Until: until})
	}
	set := func(id string, now time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateAddress(b.Context(), id, kept, now) })
	}
	fresh := full[account.Account](3)
	fresh.Address, fresh.CreatedAt = kept, until.Add(-time.Microsecond)
	if b.insertAccount(fresh) || set(other.ID, until.Add(-time.Microsecond)) {
		b.Error("another account has the kept address")
	}
	if !set(a.ID, moment()) {
		b.Error("the account does not get its former address back")
	}
	kept.Mail, kept.Key = "new@x.test", "new@x.test"
	set(a.ID, moment())
	kept.Mail, kept.Key = "Old@x.test", "old@x.test"
	if !set(other.ID, until) {
		b.Error("the address is kept for too long")
	}
}

func (b accounts) FormersOf_NewestFirst() {
	a, other := b.person(1), b.person(2)
	var want []account.Former
	for n := range 3 {
		f := full[account.Former](n)
		f.AccountID = a.ID
		b.keep(f)
		want = append([]account.Former{f}, want...)
	}
	elsewhere := full[account.Former](4)
	elsewhere.AccountID = other.ID
	b.keep(elsewhere)
	b.equal("the former addresses", b.formers(a.ID, moment()), want)
	b.equal("those that are still kept", b.formers(a.ID, want[1].Until), want[:1])
}

func (b accounts) DropFormers_FromAMoment() {
	a, other := b.person(1), b.person(2)
	var all []account.Former
	for n, owner := range []string{a.ID, a.ID, a.ID, other.ID} {
		f := full[account.Former](n)
		f.AccountID = owner
		b.keep(f)
		all = append(all, f)
	}
	b.write(func(tx *store.Tx) error { return tx.DropFormers(b.Context(), a.ID, all[1].At) })
	b.equal("the former addresses", b.formers(a.ID, moment()), all[:1])
	b.equal("those of another account", b.formers(other.ID, moment()), all[3:])
}

func (b accounts) UpdateAlarm_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, alarm := range []account.Alarm{{Since: moment(), RaisedAt: moment().Add(time.Hour)}, {}} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateAlarm(b.Context(), a.ID, alarm) }) {
			b.Fatal("the account was not found")
		}
		a.Alarm = alarm
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateAlarm(b.Context(), "no", account.Alarm{}) }) {
		b.Error("an account that does not exist has an alarm")
	}
}

func (b accounts) keep(f account.Former) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.KeepAddress(b.Context(), f) })
}

func (b accounts) formers(id string, now time.Time) []account.Former {
	return list(b.bundle, func(tx *store.Tx) ([]account.Former, error) { return tx.FormersOf(b.Context(), id, now) })
}

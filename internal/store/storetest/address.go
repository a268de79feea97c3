package storetest

import (
	"errors"
	"strconv"
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
		b.keep(account.Other{AccountID: owner.ID, Address: kept, PrimaryUntil: moment(), Until: until})
	}
	set := func(id string, now time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateAddress(b.Context(), id, kept, now, now) })
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

func (b accounts) AddressesOf_OldestFirst() {
	a, other := b.person(1), b.person(2)
	var want []account.Other
	for n := range 3 {
		f := full[account.Other](n)
		f.AccountID = a.ID
		b.keep(f)
		want = append(want, f)
	}
	elsewhere := full[account.Other](4)
	elsewhere.AccountID = other.ID
	b.keep(elsewhere)
	b.equal("the addresses", b.others(a.ID, moment()), want)
	b.equal("those that are still kept", b.others(a.ID, want[1].Until), want[2:])
}

func (b accounts) UpdateAlarm_LeavesTheVersion() {
	alarm := account.Alarm{Since: moment(), RaisedAt: moment().Add(time.Hour), AddedAt: moment().Add(-time.Hour)}
	sets(b, (*store.Tx).UpdateAlarm, func(a *account.Account, to account.Alarm) { a.Alarm = to }, alarm, account.Alarm{})
}

func (b accounts) keep(f account.Other) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.KeepAddress(b.Context(), f) })
}

func (b accounts) others(id string, now time.Time) []account.Other {
	return list(b.bundle, func(tx *store.Tx) ([]account.Other, error) { return tx.AddressesOf(b.Context(), id, now) })
}

func (b accounts) add(o account.Other, now time.Time) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.AddAddress(b.Context(), o, now) })
}

// An address belongs to one account, for whatever it is.
func (b accounts) AddAddress_ToOneAccount() {
	a, other := b.person(1), b.person(2)
	o := full[account.Other](11)
	o.AccountID = a.ID
	if !b.add(o, moment()) {
		b.Fatal("a new address is refused")
	}
	again := o
	again.Use, again.PrimaryUntil, again.AddedAt = "again", time.Time{}, o.AddedAt.Add(time.Second)
	if !b.add(again, moment()) {
		b.Error("the account does not add its own address again")
	}
	again.PrimaryUntil = o.PrimaryUntil
	b.equal("the address", b.others(a.ID, moment()), []account.Other{again})
	theirs := full[account.Other](12)
	theirs.AccountID, theirs.Address = other.ID, o.Address
	if b.add(theirs, again.Until.Add(-time.Microsecond)) {
		b.Error("two accounts have the address")
	}
	if !b.add(theirs, again.Until) {
		b.Error("the address is kept for too long")
	}
	b.equal("the address of the other account", b.others(other.ID, moment()), []account.Other{theirs})
	theirs.Address = a.Address
	if b.add(theirs, moment()) {
		b.Error("the primary address of an account is added to another one")
	}
}

// Of those who prove a mailbox at the same moment, one gets it, as the primary address of an account or as another one.
func (b accounts) AddAddress_OrAnAccount() {
	var kept []account.Account
	for n := range workers {
		kept = append(kept, b.person(n))
	}
	for round := range 5 {
		made, o := full[account.Account](workers+round), full[account.Other](workers+round)
		made.Address.Key, o.Until = o.Address.Key, account.Forever
		b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
			has, now := kept[worker], moment()
			switch worker % 3 {
			case 0:
				made := made
				made.ID += strconv.Itoa(worker)
				return tx.InsertAccount(b.Context(), made)
			case 1:
				return tx.UpdateAddress(b.Context(), has.ID, made.Address, now, now)
			}
			o := o
			o.AccountID = has.ID
			return tx.AddAddress(b.Context(), o, now)
		})
	}
}

// Nobody signs up with an address at the moment at which an account leaves it and keeps it.
func (b accounts) UpdateAddress_BesideASignUp() {
	for round := range 10 {
		has, now := b.person(round), moment()
		b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
			if worker > 0 {
				made := full[account.Account](100 + round)
				made.ID += strconv.Itoa(worker)
				made.Address = has.Address
				return tx.InsertAccount(b.Context(), made)
			}
			moved, err := tx.UpdateAddress(b.Context(), has.ID, full[account.Account](200+round).Address, now, now)
			former := full[account.Other](round)
			former.AccountID, former.Address, former.Until = has.ID, has.Address, account.Forever
			return moved, errors.Join(err, tx.KeepAddress(b.Context(), former))
		})
	}
}

func (b accounts) AddressByKey_WhileItIsKept() {
	a := b.person(1)
	o := full[account.Other](11)
	o.AccountID = a.ID
	b.add(o, moment())
	byKey := func(key string, now time.Time) (account.Other, bool) {
		return find(b.bundle, func(tx *store.Tx) (account.Other, bool, error) { return tx.AddressByKey(b.Context(), key, now) })
	}
	if found, ok := byKey(o.Address.Key, moment()); !ok || found != o {
		b.Errorf("%+v, %v", found, ok)
	}
	for _, key := range []string{a.Address.Key, "no"} {
		if _, ok := byKey(key, moment()); ok {
			b.Errorf("%s is found", key)
		}
	}
	if _, ok := byKey(o.Address.Key, o.Until); ok {
		b.Error("the address is found when it is free")
	}
}

func (b accounts) DropAddress_OfTheAccount() {
	a, other := b.person(1), b.person(2)
	var all []account.Other
	for n := range 3 {
		o := full[account.Other](n + 11)
		o.AccountID = a.ID
		b.add(o, moment())
		all = append(all, o)
	}
	b.write(func(tx *store.Tx) error { return tx.DropAddress(b.Context(), other.ID, all[2].Address.Key) })
	b.write(func(tx *store.Tx) error { return tx.DropAddress(b.Context(), a.ID, all[1].Address.Key) })
	b.equal("two are left", b.others(a.ID, moment()), []account.Other{all[0], all[2]})
}

func (b accounts) UseAddress_OfTheAccount() {
	a, other := b.person(1), b.person(2)
	o := full[account.Other](11)
	o.AccountID = a.ID
	b.add(o, moment())
	theirs := o
	theirs.AccountID, theirs.Use = other.ID, account.Removed
	b.write(func(tx *store.Tx) error { return tx.UseAddress(b.Context(), theirs) })
	b.equal("the address", b.others(a.ID, moment()), []account.Other{o})
	o.Use, o.Until = account.Recovery, account.Forever
	b.write(func(tx *store.Tx) error { return tx.UseAddress(b.Context(), o) })
	b.equal("the address", b.others(a.ID, moment()), []account.Other{o})
}

func (b accounts) DropAddresses_OfTheAccount() {
	a, other := b.person(1), b.person(2)
	var all []account.Other
	for n := range 2 {
		o := full[account.Other](n + 11)
		o.AccountID = a.ID
		b.add(o, moment())
		all = append(all, o)
	}
	b.write(func(tx *store.Tx) error { return tx.DropAddresses(b.Context(), other.ID) })
	b.equal("the addresses", b.others(a.ID, moment()), all)
	b.write(func(tx *store.Tx) error { return tx.DropAddresses(b.Context(), a.ID) })
	b.equal("none is left", b.others(a.ID, moment()), []account.Other{})
}

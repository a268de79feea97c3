package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
)

// maxAddresses bounds the addresses of an account other than its primary one.
const maxAddresses = 9

// Addresses returns the addresses of an account other than its primary one. Addresses
// that are only kept come last. After an alarm, a former primary address may be a
// thief's, and the owner can do nothing with it: it is left out.
func (f *Owner) Addresses(ctx context.Context, accountID string) (list []account.Other, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		owner, _, err := tx.AccountByID(ctx, accountID)
		if err != nil {
			return err
		}
		if list, err = tx.AddressesOf(ctx, accountID, f.clock.Now()); err == nil && f.alarmed(owner) {
			list = slices.DeleteFunc(list, func(o account.Other) bool { return o.Use == account.Former })
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b account.Other) int {
		switch {
		case a.Own() == b.Own():
			return 0
		case a.Own():
			return -1
		}
		return 1
	})
	return list, err
}

// mayAdd checks that an account may have one more address.
//
// Faults: AddressesFull.
func (f *core) mayAdd(ctx context.Context, tx Tx, id string, address account.Address) error {
	all, err := tx.AddressesOf(ctx, id, f.clock.Now())
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o account.Other) bool { return !o.Own() || o.Address.Key == address.Key })
	if len(all) >= maxAddresses {
		return AddressesFull
	}
	return nil
}

// addRecovery adds an address that was just proven as the one for recovery. The former
// address for recovery becomes a spare one.
//
// Faults: account.Exists, AddressesFull.
func (f *Flows) addRecovery(ctx context.Context, tx Tx, c Caller, owner cleared, here session.Session, address account.Address) (Result, error) {
	if err := f.mayAdd(ctx, tx, owner.ID, address); err != nil {
		return Result{}, err
	}
	now := f.clock.Now()
	others, err := tx.AddressesOf(ctx, owner.ID, now)
	if err != nil {
		return Result{}, err
	}
	since := sinceOf(owner.Account, others, address.Key, now)
	o := account.Other{AccountID: owner.ID, Address: address, Use: account.Spare, AddedAt: since, Until: account.Forever}
	if ok, err := tx.AddAddress(ctx, o, now); err != nil {
		return Result{}, err
	} else if !ok {
		return Result{}, account.Exists
	}
	return f.setRecovery(ctx, tx, c, owner, here, o)
}

// setRecovery lets one of the addresses recover the account. It ends every session
// and every recovery that has begun, and tells the address before it, too.
func (f *core) setRecovery(ctx context.Context, tx Tx, c Caller, owner cleared, here session.Session, o account.Other) (Result, error) {
	told := email{template: mailRecovery, owner: &owner.Account, about: o.Address}
	all, err := tx.AddressesOf(ctx, owner.ID, f.clock.Now())
	if err != nil {
		return Result{}, err
	}
	for _, former := range all {
		if former.Use != account.Recovery || former.Address.Key == o.Address.Key {
			continue
		}
		former.Use = account.Spare
		if err := tx.UseAddress(ctx, former); err != nil {
			return Result{}, err
		}
		if err := f.post(ctx, tx, c, told.toOther(former)); err != nil {
			return Result{}, err
		}
	}
	o.Use, o.Until = account.Recovery, account.Forever
	if err := tx.UseAddress(ctx, o); err != nil {
		return Result{}, err
	}
	return f.readdressed(ctx, tx, c, owner, here, fact(c, audit.RecoverySet, owner.ID, ""), told)
}

// readdressed ends what began before a change of the addresses, records the change
// and notifies the owner. It starts the session of this browser again.
func (f *core) readdressed(ctx context.Context, tx Tx, c Caller, owner cleared, here session.Session, change audit.Fact, told email) (Result, error) {
	if err := tx.RaiseVersion(ctx, owner.ID); err != nil {
		return Result{}, err
	}
	if err := f.endAll(ctx, tx, owner.ID, "", session.Changed); err != nil {
		return Result{}, err
	}
	if err := f.record.Add(ctx, tx, change); err != nil {
		return Result{}, err
	}
	if err := f.post(ctx, tx, c, told); err != nil {
		return Result{}, err
	}
	owner.raised()
	return f.renewed(ctx, tx, c, owner.judged, here)
}

// changeOther runs a change of one of the owner's other addresses.
//
// Faults: NoAddress, ProofNeeded, Alarmed, session.Required.
func (f *Owner) changeOther(ctx context.Context, found session.Found, mail string, fn func(Tx, cleared, account.Other) error) error {
	address, bad := account.ParseAddress(mail, "email")
	if bad != nil {
		return NoAddress
	}
	return f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		o, ok, err := tx.AddressByKey(ctx, address.Key, f.clock.Now())
		if err != nil {
			return err
		}
		if !ok || o.AccountID != owner.ID || !o.Own() {
			return NoAddress
		}
		return fn(tx, owner, o)
	})
}

// MakePrimary lets one of the other addresses of the signed-in user sign in. The
// former primary address takes its place, and can be had back with an alarm.
//
// Faults: SignUpDomain; as changeOther.
func (f *Owner) MakePrimary(ctx context.Context, c Caller, found session.Found, mail string) (r Result, err error) {
	err = f.changeOther(ctx, found, mail, func(tx Tx, owner cleared, o account.Other) error {
		if !f.admitsDomain(o.Address.Key) {
			return SignUpDomain
		}
		r, err = f.replaceAddress(ctx, tx, c, owner, found.Session, o.Address, account.Other{Use: o.Use, Until: account.Forever})
		return err
	})
	return r, err
}

// SetRecovery lets one of the other addresses of the signed-in user recover the
// account and get its notices.
//
// Faults: as changeOther.
func (f *Owner) SetRecovery(ctx context.Context, c Caller, found session.Found, mail string) (r Result, err error) {
	err = f.changeOther(ctx, found, mail, func(tx Tx, owner cleared, o account.Other) error {
		r, err = f.setRecovery(ctx, tx, c, owner, found.Session, o)
		return err
	})
	return r, err
}

// RemoveAddress removes one of the other addresses of the signed-in user. It is
// kept for the account until no alarm can bring it back.
//
// Faults: as changeOther.
func (f *Owner) RemoveAddress(ctx context.Context, c Caller, found session.Found, mail string) (r Result, err error) {
	err = f.changeOther(ctx, found, mail, func(tx Tx, owner cleared, o account.Other) error {
		told := email{template: mailDropped, owner: &owner.Account, about: o.Address}
		now, notices := f.clock.Now(), o.Use == account.Recovery
		o.Use, o.Until = account.Removed, now.Add(alarmLife)
		if now.Before(o.PrimaryUntil.Add(alarmLife)) {
			o.Use, o.Until = account.Former, o.PrimaryUntil.Add(alarmLife)
		}
		if notices { // none anymore, but this one
			if err := f.tellRemoved(ctx, tx, c, told, o); err != nil {
				return err
			}
		}
		if err := tx.UseAddress(ctx, o); err != nil {
			return err
		}
		r, err = f.readdressed(ctx, tx, c, owner, found.Session, fact(c, audit.AddressRemoved, owner.ID, ""), told)
		return err
	})
	return r, err
}

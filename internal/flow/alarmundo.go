package flow

import (
	"cmp"
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
	"portico/internal/throttle"
)

// undo carries out an alarm and returns the account as it is then. It records each
// thing that it removes.
func (f *Flows) undo(ctx context.Context, tx Tx, c Caller, a alarm) (account.Account, error) {
	now, id := f.clock.Now(), a.owner.ID
	if a.restored != nil {
		if err := f.restoreAddress(ctx, tx, c, a); err != nil {
			return account.Account{}, err
		}
	}
	if a.owner.State == account.Leaving {
		back := taken(a).judged
		back.Address = a.address()
		if err := f.takeBack(ctx, tx, c, &back); err != nil {
			return account.Account{}, err
		}
	}
	for _, do := range []func() error{
		func() error { return f.dropPassword(ctx, tx, c, taken(a)) },
		func() error { return f.dropAdded(ctx, tx, c, taken(a)) },
		func() error { return f.undoAddresses(ctx, tx, c, a) },
		func() error { return f.endAll(ctx, tx, id, "", session.Alarm) },
		func() error { return f.dropApps(ctx, tx, c, id) },
		func() error {
			return f.endSent(ctx, tx, audit.ByAdmin(id), now.Add(-alarmLife), fact(c, audit.InvitationEnded, "", ""))
		},
		func() error { return f.endSecretsOf(ctx, tx, fact(c, audit.APIKeyEnded, id, ""), byAlarm) },
		func() error {
			return tx.UpdateAlarm(ctx, id, account.Alarm{Since: a.at, RaisedAt: now, AddedAt: a.from.AddedAt})
		},
		func() error { return f.record.Add(ctx, tx, fact(c, audit.AlarmRaised, id, "")) },
		func() error {
			return f.clear(ctx, tx, append(changeAttempts(id), throttle.Attempt{Limit: passwordLadder, Subject: a.address().Key})...)
		},
	} {
		if err := do(); err != nil {
			return account.Account{}, err
		}
	}
	owner, _, err := tx.AccountByID(ctx, id)
	return owner, err
}

// restoreAddress makes the former primary address of an alarm the primary one again.
// It keeps the present one for the account, which may be the owner's too.
func (f *Flows) restoreAddress(ctx context.Context, tx Tx, c Caller, a alarm) error {
	now, id := f.clock.Now(), a.owner.ID
	if ok, err := tx.UpdateAddress(ctx, id, a.restored.Address, a.restored.AddedAt, now); err != nil || !ok {
		return cmp.Or[error](err, account.Missing)
	}
	if err := tx.DropAddress(ctx, id, a.restored.Address.Key); err != nil {
		return err
	}
	err := tx.KeepAddress(ctx, account.Other{
		AccountID: id, Address: a.owner.Address, Use: account.Former, AddedAt: a.primary, PrimaryUntil: now, Until: now.Add(alarmLife),
	})
	if err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.AddressChanged, id, byAlarm))
}

// tellAlarm tells the addresses of an account of an alarm, except for the one with the
// key, which gets a code. The address that the alarm has replaced learns of it too,
// because it may be the owner's.
func (f *Flows) tellAlarm(ctx context.Context, tx Tx, c Caller, a alarm, owner account.Account, except string) error {
	others, err := tx.AddressesOf(ctx, owner.ID, f.clock.Now())
	if err != nil {
		return err
	}
	told := []account.Other{{Address: owner.Address}}
	for _, o := range others {
		if o.Own() || o.Address.Key == a.owner.Address.Key {
			told = append(told, o)
		}
	}
	for _, o := range told {
		if o.Address.Key == except {
			continue
		}
		if err := f.postOne(ctx, tx, c, email{template: mailAlarm, owner: &owner}.toOther(o)); err != nil {
			return err
		}
	}
	return nil
}

// undoAddresses removes the addresses that were added in the time of an alarm, and
// brings back addresses that were removed after its email. The address of the email
// recovers the account.
func (f *Flows) undoAddresses(ctx context.Context, tx Tx, c Caller, a alarm) error {
	now := f.clock.Now()
	others, err := tx.AddressesOf(ctx, a.owner.ID, now)
	if err != nil {
		return err
	}
	for _, o := range others {
		had, was := o.Own(), o.Use
		switch gone := o.Until.Add(-alarmLife); {
		case o.Use == account.Former:
		case now.Before(o.PrimaryUntil.Add(alarmLife)):
			// This address was the primary one a short time ago, so its owner may still raise an alarm.
			o.Use, o.Until = account.Former, o.PrimaryUntil.Add(alarmLife)
			err = tx.UseAddress(ctx, o)
		case recent(o.AddedAt, now):
			o.Use = account.Removed
			err = tx.DropAddress(ctx, o.AccountID, o.Address.Key)
		case a.elsewhere() && o.Address.Key == a.from.Address.Key:
			o.Use, o.Until = account.Recovery, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Removed && !gone.Before(a.at):
			o.Use, o.Until = account.Spare, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Recovery && a.elsewhere():
			o.Use = account.Spare
			err = tx.UseAddress(ctx, o)
		}
		switch {
		case err != nil:
		case had && !o.Own():
			err = f.record.Add(ctx, tx, fact(c, audit.AddressRemoved, o.AccountID, byAlarm))
		case o.Use == account.Recovery && was != account.Recovery:
			err = f.record.Add(ctx, tx, fact(c, audit.RecoverySet, o.AccountID, byAlarm))
		case o.Use != was: // the record has the alarm
			err = f.record.tell(ctx, tx, fact(c, audit.AlarmRaised, o.AccountID, ""), "account.addresses_changed")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

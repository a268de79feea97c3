package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
	"portico/internal/throttle"
)

// undo carries out an alarm and returns the account as it is then. The password
// goes even if it was not changed: the thief has probably signed in with it.
func (f *Flows) undo(ctx context.Context, tx Tx, c Caller, a alarm) (account.Account, error) {
	now, id := f.clock.Now(), a.owner.ID
	if a.former != nil {
		if err := f.restoreAddress(ctx, tx, c, a); err != nil {
			return account.Account{}, err
		}
	}
	if a.owner.State == account.Leaving {
		back := a.owner
		back.Address = a.address()
		if err := f.takeBack(ctx, tx, c, &back); err != nil {
			return account.Account{}, err
		}
	}
	if _, err := tx.UpdatePassword(ctx, id, "", true); err != nil {
		return account.Account{}, err
	}
	for _, do := range []func() error{
		func() error { return f.dropAdded(ctx, tx, id, now.Add(-alarmLife)) },
		func() error { return f.undoAddresses(ctx, tx, a) },
		func() error { return f.endAll(ctx, tx, id, "", session.Alarm) },
		func() error { return f.dropApps(ctx, tx, id) },
		func() error {
			_, err := tx.UpdateAlarm(ctx, id, account.Alarm{Since: a.at, RaisedAt: now})
			return err
		},
		func() error { return f.record.Add(ctx, tx, fact(c, audit.AlarmRaised, id, "")) },
		func() error {
			return f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: passwordLadder, Subject: a.address().Key})
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
// It keeps the present one for the account, which may be the owner's too: the holder
// of an older link has the last word.
func (f *Flows) restoreAddress(ctx context.Context, tx Tx, c Caller, a alarm) error {
	now, id := f.clock.Now(), a.owner.ID
	if ok, err := tx.UpdateAddress(ctx, id, a.former.Address, now); err != nil || !ok {
		return missing(err)
	}
	if err := tx.DropAddress(ctx, id, a.former.Address.Key); err != nil {
		return err
	}
	err := tx.KeepAddress(ctx, account.Other{
		AccountID: id, Address: a.owner.Address, Use: account.Former, AddedAt: now, PrimaryUntil: now, Until: now.Add(alarmLife),
	})
	if err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.AddressChanged, id, "alarm"))
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
		if err := f.postOne(ctx, tx, c, letter{template: mailAlarm, owner: &owner}.toOther(o)); err != nil {
			return err
		}
	}
	return nil
}

// undoAddresses removes the addresses that were added in the time of an alarm, and
// brings back addresses that were removed after its email. The address of the email
// recovers the account.
func (f *Flows) undoAddresses(ctx context.Context, tx Tx, a alarm) error {
	now := f.clock.Now()
	others, err := tx.AddressesOf(ctx, a.owner.ID, now)
	if err != nil {
		return err
	}
	for _, o := range others {
		mine := a.keepsOther(now) && o.Address.Key == a.other.Address.Key
		switch gone := o.Until.Add(-alarmLife); {
		case o.Use == account.Former:
		case now.Before(o.PrimaryUntil.Add(alarmLife)):
			// This address was the primary one a short time ago, so its owner may still raise an alarm.
			o.Use, o.Until = account.Former, o.PrimaryUntil.Add(alarmLife)
			err = tx.UseAddress(ctx, o)
		case recent(o.AddedAt, now):
			err = tx.DropAddress(ctx, o.AccountID, o.Address.Key)
		case mine:
			o.Use, o.Until = account.Recovery, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Removed && !gone.Before(a.at):
			o.Use, o.Until = account.Spare, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Recovery && a.keepsOther(now):
			o.Use = account.Spare
			err = tx.UseAddress(ctx, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropAdded removes what was added to an account since a time and signs in to it.
// It removes all recovery codes, which have no time.
func (f *Flows) dropAdded(ctx context.Context, tx Tx, id string, since time.Time) error {
	factors, err := tx.FactorsOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range factors {
		if each.CreatedAt.After(since) {
			if _, err := tx.DeleteFactor(ctx, id, each.ID); err != nil {
				return err
			}
		}
	}
	if err := tx.DeleteRecoveryCodes(ctx, id); err != nil {
		return err
	}
	held, err := tx.PasskeysOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range held {
		if each.CreatedAt.After(since) {
			if _, err := tx.DeletePasskey(ctx, id, each.ID); err != nil {
				return err
			}
		}
	}
	linked, err := tx.IdentitiesOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range linked {
		if each.CreatedAt.After(since) {
			if _, err := tx.DeleteIdentities(ctx, id, each.Provider); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropApps ends everything that OpenID clients have got from an account.
func (f *Flows) dropApps(ctx context.Context, tx Tx, id string) error {
	known, err := f.grants.Apps(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, each := range known {
		gone, err := f.grants.Forget(ctx, tx, id, each.ClientID)
		if err != nil {
			return err
		}
		if err := f.tell(ctx, tx, id, gone.Told); err != nil {
			return err
		}
	}
	return nil
}

package flow

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/throttle"
)

// alarmLife is how long an owner can raise the alarm about a change, and how long
// the account is closed to further changes after that.
const alarmLife = 72 * time.Hour

// alarm is a link in an email about a change, with which the owner says "This
// wasn't me". The link carries it sealed: it names the account, the address that
// the email went to, and the time of the email.
//
// The holder of an older link had the account before. So an alarm makes all links
// void that were mailed between its own email and itself. A thief who has changed
// the address has newer links only.
type alarm struct {
	owner  account.Account
	former *account.Other // the primary address that the account gets back; nil if it has it
	other  *account.Other // the address of the email, if it was not the primary one
	at     time.Time
}

// alarmLink returns the link of an email to an address of an account.
func (f *Flows) alarmLink(id string, to account.Address, now time.Time) string {
	text := id + " " + strconv.FormatInt(now.UnixMicro(), 10) + " " + to.Key
	token := secret.Encode(f.alarms.Seal([]byte(text), ""))
	return f.publicURL + pages.NotMe + "?token=" + url.QueryEscape(token)
}

// alarmOf returns the alarm of a link.
//
// Faults: AlarmOver, AlarmDone.
func (f *Flows) alarmOf(ctx context.Context, tx Tx, token string) (a alarm, err error) {
	sealed, _ := secret.Decode(token)
	text, err := f.alarms.Open(sealed, "")
	if err != nil {
		return a, AlarmOver
	}
	id, rest, _ := strings.Cut(string(text), " ")
	micros, key, _ := strings.Cut(rest, " ")
	at, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return a, AlarmOver
	}
	a.at = time.UnixMicro(at).UTC()
	now := f.clock.Now()
	if now.Sub(a.at) >= alarmLife {
		return a, AlarmOver
	}
	var ok bool
	a.owner, ok, err = tx.AccountByID(ctx, id)
	switch last := a.owner.Alarm; {
	case err != nil:
		return a, err
	case !ok || !a.owner.Open():
		return a, AlarmOver
	case last.Since.Equal(a.at):
		return a, AlarmDone
	case last.Since.Before(a.at) && !last.RaisedAt.Before(a.at):
		return a, AlarmOver
	case key == a.owner.Address.Key:
		return a, nil
	}
	others, err := tx.AddressesOf(ctx, id, now)
	if err != nil {
		return a, err
	}
	a.look(others, key)
	if a.former == nil && a.other == nil {
		return a, AlarmOver // the operator gave the account another address
	}
	return a, nil
}

// look finds the address of the email, and the primary address of that time. An
// email to the address for notices says nothing about the primary one, which is
// then the first that was replaced after the email.
func (a *alarm) look(others []account.Other, key string) {
	var first *account.Other
	for _, each := range others {
		switch {
		case each.Address.Key == key && !each.PrimaryUntil.Before(a.at):
			a.former, a.other = &each, nil
			return
		case each.Address.Key == key:
			a.other = &each
		case each.PrimaryUntil.Before(a.at):
		case first == nil || each.PrimaryUntil.Before(first.PrimaryUntil):
			first = &each
		}
	}
	if a.other != nil {
		a.former = first
	}
}

// lasts reports whether the address of the email is as old as what an alarm leaves.
func (a alarm) lasts(now time.Time) bool {
	return a.other != nil && !a.other.AddedAt.After(now.Add(-alarmLife))
}

// AlarmView is the state of the page of an alarm.
type AlarmView struct {
	Address string // masked: that the account keeps or gets back
}

// ViewAlarm returns what a link would do, without doing it.
//
// Faults: AlarmOver, AlarmDone.
func (f *Flows) ViewAlarm(ctx context.Context, token string) (v AlarmView, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, err := f.alarmOf(ctx, tx, token)
		if v.Address = account.Mask(a.address().Mail); a.lasts(f.clock.Now()) {
			v.Address = account.Mask(a.other.Address.Mail)
		}
		return err
	})
	return v, err
}

// address returns the primary address that the account keeps or gets back.
func (a alarm) address() account.Address {
	if a.former != nil {
		return a.former.Address
	}
	return a.owner.Address
}

// RaiseAlarm takes an account back from somebody else. It ends everything that
// might be theirs (see undo), and mails a code for a new password to the address
// that the link was mailed to. The link signs no user in.
//
// Faults: AlarmOver, AlarmDone, throttle.Limited.
func (f *Flows) RaiseAlarm(ctx context.Context, c Caller, token string) (r Result, err error) {
	ctx, w := f.watch(ctx, "alarm", Recovery)
	defer w.end(&r, &err)
	if _, err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	c.BrowserCookie = value
	id := ""
	err = f.store.Write(ctx, func(tx Tx) error {
		raised, err := f.alarmOf(ctx, tx, token)
		if err != nil {
			return err
		}
		id = raised.owner.ID
		owner, err := f.undo(ctx, tx, c, raised)
		if err != nil {
			return err
		}
		to := addressee{owner: &owner, at: owner.Address}
		if raised.lasts(f.clock.Now()) {
			to.use, to.at = account.Recovery, raised.other.Address
		}
		r, err = f.awaitProof(ctx, tx, c, Pending{Kind: Recovery}, to.at, to, data{Address: to.at.Mail})
		return err
	})
	r.BrowserCookie = fresh
	return f.settled(r, id), err
}

// undo carries out an alarm and returns the account as it is then. The password
// goes even if it was not changed: the thief has probably signed in with it.
func (f *Flows) undo(ctx context.Context, tx Tx, c Caller, a alarm) (account.Account, error) {
	now, id := f.clock.Now(), a.owner.ID
	if a.former != nil {
		if ok, err := tx.UpdateAddress(ctx, id, a.former.Address, now); err != nil || !ok {
			return account.Account{}, missing(err)
		}
		if err := tx.DropFormers(ctx, id, a.former.PrimaryUntil); err != nil {
			return account.Account{}, err
		}
		if err := f.record.Add(ctx, tx, fact(c, audit.AddressChanged, id, "alarm")); err != nil {
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
		func() error { return f.endAll(ctx, tx, id, "", session.Elsewhere) },
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
		mine := a.lasts(now) && o.Address.Key == a.other.Address.Key
		switch gone := o.Until.Add(-alarmLife); {
		case o.Use == account.Former:
		case now.Before(o.PrimaryUntil.Add(alarmLife)):
			// This address was the primary one a short time ago, so its owner may still raise an alarm.
			o.Use, o.Until = account.Former, o.PrimaryUntil.Add(alarmLife)
			err = tx.UseAddress(ctx, o)
		case o.AddedAt.After(now.Add(-alarmLife)):
			err = tx.DropAddress(ctx, o.AccountID, o.Address.Key)
		case mine:
			o.Use, o.Until = account.Recovery, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Removed && !gone.Before(a.at):
			o.Use, o.Until = account.Spare, account.Forever
			err = tx.UseAddress(ctx, o)
		case o.Use == account.Recovery && a.lasts(now):
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
		told, _, err := f.grants.Forget(ctx, tx, id, each.ClientID)
		if err != nil {
			return err
		}
		if err := f.tell(ctx, tx, id, told); err != nil {
			return err
		}
	}
	return nil
}

// alarmed reports whether an alarm of the owner still closes the account to
// changes of how it is signed in to.
func (f *Flows) alarmed(a account.Account) bool {
	return f.clock.Now().Before(a.Alarm.RaisedAt.Add(alarmLife))
}

// stopped returns the fault of a change that an alarm refuses.
func (f *Flows) stopped(a account.Account) error {
	return Alarmed.WithRetryAfter(throttle.Rounded(a.Alarm.RaisedAt.Add(alarmLife).Sub(f.clock.Now())))
}

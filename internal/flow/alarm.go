package flow

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// alarmLife is how long an owner can raise the alarm about a change, and how long
// the account is closed to further changes after that.
const alarmLife = 72 * time.Hour

// alarm is a link in an email about a change, with which the owner says "This
// wasn't me". The link carries it sealed: it names the account, the address that the
// email went to, and the time of the email.
//
// The holder of the older address had the account before. So an alarm makes the links
// to younger addresses void, for as long as it closes the account to changes. Of the links
// to its own address, it makes those void that were mailed between its email and itself.
type alarm struct {
	owner    account.Account
	primary  time.Time      // since when the account has its primary address
	from     account.Other  // the address of the email
	restored *account.Other // the primary address that the account gets back; nil if it has it
	at       time.Time
}

// alarmLink returns the link of an email to an address of an account.
func (f *core) alarmLink(mail email, now time.Time) string {
	text := fmt.Sprintf("%s %d %s", mail.owner.ID, now.UnixMicro(), mail.at.Key)
	token := secret.Encode(f.alarms.Seal([]byte(text), ""))
	return f.settings.PublicURL + pages.NotMe + "?token=" + url.QueryEscape(token)
}

// alarmParts is how many parts the text of a link has.
const alarmParts = 3

// alarmOf returns the alarm of a link.
//
// Faults: AlarmOver, AlarmDone.
func (f *Flows) alarmOf(ctx context.Context, tx Tx, token string) (a alarm, err error) {
	sealed, _ := secret.Decode(token)
	text, err := f.alarms.Open(sealed, "")
	if err != nil {
		return a, AlarmOver
	}
	parts := strings.SplitN(string(text), " ", alarmParts)
	if len(parts) < alarmParts {
		return a, AlarmOver
	}
	id, key := parts[0], parts[alarmParts-1]
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return a, AlarmOver
	}
	a.at = time.UnixMicro(at).UTC()
	now := f.clock.Now()
	if now.Sub(a.at) >= alarmLife {
		return a, AlarmOver
	}
	var ok bool
	if a.owner, ok, err = tx.AccountByID(ctx, id); err != nil {
		return a, err
	}
	if !ok || !a.owner.Open(now) {
		return a, AlarmOver
	}
	others, err := tx.AddressesOf(ctx, id, now)
	if err != nil {
		return a, err
	}
	a.primary = primarySince(a.owner, others, now)
	last := a.owner.Alarm
	switch ok = a.find(others, key, now); {
	case !ok || !mayRepair(a.from, a.primary) || a.from.AddedAt.After(a.at):
		return a, AlarmOver // and so after the operator gave the account another address
	case a.from.AddedAt.Before(last.AddedAt):
		return a, nil
	case last.Since.Equal(a.at):
		return a, AlarmDone
	case f.outranked(a.owner, a.from.AddedAt):
		return a, AlarmOver
	case last.Since.Before(a.at) && !last.RaisedAt.Before(a.at):
		if key == a.owner.Address.Key {
			return a, AlarmDone // by another email
		}
		return a, AlarmOver
	}
	return a, nil
}

// outranked reports whether the alarm that closes an account was raised from an
// older address than one that the account has since a time.
func (f *core) outranked(a account.Account, since time.Time) bool {
	return f.alarmed(a) && since.After(a.Alarm.AddedAt)
}

// elsewhere reports whether the email went to another address than the primary one
// that the account then has.
func (a alarm) elsewhere() bool { return a.from.Address.Key != a.address().Key }

// recent reports whether an alarm removes what was added at a time.
func recent(added, now time.Time) bool { return added.After(now.Add(-alarmLife)) }

// ViewAlarm returns the masked address of the email with a link, where the code would go, without raising the alarm.
//
// Faults: AlarmOver, AlarmDone.
func (f *Flows) ViewAlarm(ctx context.Context, token string) (address string, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, err := f.alarmOf(ctx, tx, token)
		address = account.Mask(a.from.Address.Mail)
		return err
	})
	return address, err
}

// address returns the primary address that the account keeps or gets back.
func (a alarm) address() account.Address {
	if a.restored != nil {
		return a.restored.Address
	}
	return a.owner.Address
}

// RaiseAlarm takes an account back from somebody else. It ends everything that
// might be theirs (see undo), and mails a code for a new password to the address
// that the link was mailed to. The other addresses are told. The link signs no user in.
//
// Faults: AlarmOver, AlarmDone, throttle.Limited.
func (f *Flows) RaiseAlarm(ctx context.Context, c Caller, token string) (r Result, err error) {
	ctx, w := f.watch(ctx, "alarm", Recovery)
	defer w.end(&r, &err)
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	c.BrowserCookie, c.alarmed = value, true
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
		if raised.elsewhere() {
			to.use, to.at = account.Recovery, raised.from.Address
		}
		if err := f.tellAlarm(ctx, tx, c, raised, owner, to.at.Key); err != nil {
			return err
		}
		r, err = f.awaitProof(ctx, tx, c, Pending{Kind: Recovery}, to.at, to, data{Address: to.at.Mail, Found: true})
		return err
	})
	r.BrowserCookie = fresh
	return f.settled(r, id, err)
}

// alarmed reports whether an alarm of the owner still closes the account to
// changes of how it is signed in to.
func (f *core) alarmed(a account.Account) bool {
	return f.clock.Now().Before(a.Alarm.RaisedAt.Add(alarmLife))
}

// mayChange returns Alarmed while an alarm closes an account to changes of how it is
// signed in to.
func (f *Owner) mayChange(ctx context.Context, accountID string) error {
	return f.store.Read(ctx, func(tx Tx) error {
		owner, _, err := tx.AccountByID(ctx, accountID)
		if err == nil && f.alarmed(owner) {
			err = f.stopped(owner)
		}
		return err
	})
}

// stopped returns the fault of a change that an alarm refuses.
func (f *core) stopped(a account.Account) error {
	return Alarmed.WithRetryAfter(throttle.Rounded(a.Alarm.RaisedAt.Add(alarmLife).Sub(f.clock.Now())))
}

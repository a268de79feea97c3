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
// email went to, the time of the email, and when the account got the address if it
// was not the primary one.
//
// The holder of an older link had the account before. So an alarm makes all links
// void that were mailed between its own email and itself. A thief who has changed
// the address has newer links only. A thief who has added one, and made it the primary
// one later, may have an older link. That one does not count after an alarm.
type alarm struct {
	owner  account.Account
	former *account.Other // the primary address that the account gets back; nil if it has it
	other  *account.Other // the address of the email, if it was not the primary one
	at     time.Time
}

// alarmLink returns the link of an email to an address of an account.
func (f *Flows) alarmLink(l email, now time.Time) string {
	text := fmt.Sprintf("%s %d %d %s", l.owner.ID, now.UnixMicro(), microsOf(l.added), l.at.Key)
	token := secret.Encode(f.alarms.Seal([]byte(text), ""))
	return f.publicURL + pages.NotMe + "?token=" + url.QueryEscape(token)
}

// alarmParts is how many parts the text of a link has.
const alarmParts = 4

// microsOf returns a time in microseconds, 0 for the zero time.
func microsOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
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
	parts := strings.SplitN(string(text), " ", alarmParts)
	if len(parts) < alarmParts {
		return a, AlarmOver
	}
	id, key := parts[0], parts[alarmParts-1]
	at, errAt := strconv.ParseInt(parts[1], 10, 64)
	added, errAdded := strconv.ParseInt(parts[2], 10, 64)
	if errAt != nil || errAdded != nil {
		return a, AlarmOver
	}
	a.at = time.UnixMicro(at).UTC()
	now := f.clock.Now()
	if now.Sub(a.at) >= alarmLife {
		return a, AlarmOver
	}
	var ok bool
	a.owner, ok, err = tx.AccountByID(ctx, id)
	last := a.owner.Alarm
	young := added > 0 && recent(time.UnixMicro(added), last.RaisedAt)
	switch {
	case err != nil:
		return a, err
	case !ok || !a.owner.Open():
		return a, AlarmOver
	case last.Since.Equal(a.at):
		return a, AlarmDone
	case (young || last.Since.Before(a.at)) && !last.RaisedAt.Before(a.at):
		return a, AlarmOver
	case key == a.owner.Address.Key:
		return a, nil
	}
	others, err := tx.AddressesOf(ctx, id, now)
	if err != nil {
		return a, err
	}
	a.findFormer(others, key)
	if a.former == nil && a.other == nil {
		return a, AlarmOver // the operator gave the account another address
	}
	return a, nil
}

// findFormer finds the address of the email, and the primary address of that time. An
// email to the address for notices says nothing about the primary one, which is
// then the first that was replaced after the email. After an alarm, the present one
// was the primary one when the email of that alarm was sent: an address that was replaced
// later does not count.
func (a *alarm) findFormer(others []account.Other, key string) {
	var first *account.Other
	for _, each := range others {
		switch {
		case each.Address.Key == key && !each.PrimaryUntil.Before(a.at):
			a.former, a.other = &each, nil
			return
		case each.Address.Key == key:
			a.other = &each
		case each.PrimaryUntil.Before(a.at), a.owner.Alarm.Since.After(a.at) && each.PrimaryUntil.After(a.owner.Alarm.Since):
		case first == nil || each.PrimaryUntil.Before(first.PrimaryUntil):
			first = &each
		}
	}
	if a.other != nil {
		a.former = first
	}
}

// keepsOther reports whether the address of the email, which is not the primary one,
// is older than what an alarm removes.
func (a alarm) keepsOther(now time.Time) bool {
	return a.other != nil && !recent(a.other.AddedAt, now)
}

// recent reports whether an alarm removes what was added at a time.
func recent(added, now time.Time) bool { return added.After(now.Add(-alarmLife)) }

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
		if v.Address = account.Mask(a.address().Mail); a.keepsOther(f.clock.Now()) {
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
// that the link was mailed to. The other addresses are told. The link signs no user in.
//
// Faults: AlarmOver, AlarmDone, throttle.Limited.
func (f *Flows) RaiseAlarm(ctx context.Context, c Caller, token string) (r Result, err error) {
	ctx, w := f.watch(ctx, "alarm", Recovery)
	defer w.end(&r, &err)
	if _, err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
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
		if raised.keepsOther(f.clock.Now()) {
			to.use, to.at = account.Recovery, raised.other.Address
		}
		if err := f.tellAlarm(ctx, tx, c, raised, owner, to.at.Key); err != nil {
			return err
		}
		r, err = f.awaitProof(ctx, tx, c, Pending{Kind: Recovery}, to.at, to, data{Address: to.at.Mail})
		return err
	})
	r.BrowserCookie = fresh
	return f.settled(r, id), err
}

// alarmed reports whether an alarm of the owner still closes the account to
// changes of how it is signed in to.
func (f *Flows) alarmed(a account.Account) bool {
	return f.clock.Now().Before(a.Alarm.RaisedAt.Add(alarmLife))
}

// MayChange returns Alarmed while an alarm closes an account to changes of how it is
// signed in to.
func (f *Flows) MayChange(ctx context.Context, accountID string) error {
	return f.store.Read(ctx, func(tx Tx) error {
		owner, _, err := tx.AccountByID(ctx, accountID)
		if err == nil && f.alarmed(owner) {
			err = f.stopped(owner)
		}
		return err
	})
}

// stopped returns the fault of a change that an alarm refuses.
func (f *Flows) stopped(a account.Account) error {
	return Alarmed.WithRetryAfter(throttle.Rounded(a.Alarm.RaisedAt.Add(alarmLife).Sub(f.clock.Now())))
}

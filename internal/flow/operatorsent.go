package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/throttle"
)

// countSent counts an email to an address that an Actor can have sent again and again. The command
// line is not limited.
//
// Faults: code.Held, throttle.Limited.
func (f *Operator) countSent(ctx context.Context, tx Tx, by Actor, key string) error {
	if err := f.countActor(ctx, tx, by, 1); err != nil {
		return err
	}
	wait, err := f.countBox(ctx, tx, by, key)
	if err == nil && wait > 0 {
		err = held(wait)
	}
	return err
}

// countActor counts what an Actor has sent, to whomever.
//
// Faults: throttle.Limited.
func (f *Operator) countActor(ctx context.Context, tx Tx, by Actor, times int) error {
	if by.AccountID() == "" {
		return nil
	}
	return f.take(ctx, tx, throttle.Attempt{Limit: adminMail, Subject: by.name, Times: times})
}

// countBox counts an email to the mailbox of an address, or returns how long the mailbox gets none.
func (f *Operator) countBox(ctx context.Context, tx Tx, by Actor, key string) (time.Duration, error) {
	if by.AccountID() == "" || key == "" {
		return 0, nil
	}
	d, err := f.limiter.Take(ctx, tx, boxByAdmins(key)...)
	return d.Wait, err
}

// countManaged counts an email to a mailbox about a change of an admin or a key. Beyond the limit the change is
// refused, because its owner would not be told.
//
// Faults: throttle.Limited.
func (f *core) countManaged(ctx context.Context, tx Tx, c Caller, key string) error {
	if c.manages == "" {
		return nil
	}
	return f.take(ctx, tx, throttle.Attempt{Limit: adminNotice, Subject: c.manages + " " + account.BaseKey(key)})
}

// boxByAdmins returns the limits of the emails of all admins and keys to a mailbox. They are not those of
// strangers, who could keep admins from helping the owner. No operation of an admin lifts them.
func boxByAdmins(key string) []throttle.Attempt {
	box := account.BaseKey(key) + " admin"
	return []throttle.Attempt{{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}}
}

// leftOfBox notes how many emails countBox would let through to a mailbox.
func (f *Operator) leftOfBox(ctx context.Context, tx Tx, by Actor, key string, left map[string]int) error {
	box := account.BaseKey(key)
	if _, known := left[box]; known || by.AccountID() == "" {
		return nil
	}
	least := mailDay.Count
	for _, attempt := range boxByAdmins(key) {
		n, err := f.limiter.Left(ctx, tx, attempt)
		if err != nil {
			return err
		}
		least = min(least, n)
	}
	left[box] = least
	return nil
}

// holdFull holds the lines beyond what is left. Several addresses may lead to one mailbox.
func holdFull(lines []JudgedLine, left map[string]int) {
	for i := range lines {
		l := &lines[i]
		box := account.BaseKey(l.address.Key)
		n, limited := left[box]
		if l.Verdict != Invites || !limited {
			continue
		}
		if n == 0 {
			l.Verdict = Held
		} else {
			left[box]--
		}
	}
}

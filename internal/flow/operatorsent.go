package flow

import (
	"context"
	"math"

	"portico/internal/account"
	"portico/internal/throttle"
)

// boxByAdmins returns the limits of the emails that admins and keys can have sent to a mailbox again
// and again. They are not those of strangers, who could keep admins from helping the owner. An admin
// cannot lift them.
func boxByAdmins(key string) []throttle.Attempt {
	box := account.BaseKey(key) + " admin"
	return []throttle.Attempt{{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}}
}

// countSent counts what an Actor has sent, to the mailbox of an address if it is an email. The
// command line is not limited.
//
// Faults: code.Held, throttle.Limited.
func (f *Operator) countSent(ctx context.Context, tx Tx, by Actor, key string) error {
	if by.AccountID() == "" {
		return nil
	}
	attempts := []throttle.Attempt{{Limit: adminMail, Subject: by.name}}
	if key != "" {
		attempts = append(attempts, boxByAdmins(key)...)
	}
	d, err := f.limiter.Take(ctx, tx, attempts...)
	switch {
	case err != nil || d.Allowed:
		return err
	case d.By == adminMail.Name:
		return throttle.Limited(throttle.Rounded(d.Wait))
	}
	return held(d.Wait)
}

// leftByAdmins returns how many emails countSent lets through to the mailbox of an address.
func (f *Operator) leftByAdmins(ctx context.Context, tx Tx, by Actor, key string) (int, error) {
	most := math.MaxInt
	if by.AccountID() == "" {
		return most, nil
	}
	for _, attempt := range boxByAdmins(key) {
		left, err := f.limiter.Left(ctx, tx, attempt)
		if err != nil {
			return 0, err
		}
		most = min(most, left)
	}
	return most, nil
}

// ration judges whether the mailbox of a line may get an email. Several addresses of a list may lead to
// one mailbox: left has what remains of each.
func (f *Operator) ration(ctx context.Context, tx Tx, by Actor, l *JudgedLine, left map[string]int) (err error) {
	box := account.BaseKey(l.address.Key)
	remain, known := left[box]
	if !known {
		if remain, err = f.leftByAdmins(ctx, tx, by, l.address.Key); err != nil {
			return err
		}
	}
	if remain == 0 {
		l.Verdict = Held
	}
	left[box] = max(0, remain-1)
	return nil
}

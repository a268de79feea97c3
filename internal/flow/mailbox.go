package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/throttle"
)

// mailTries returns the limits of the mails that a caller causes for an
// address. A browser that the owner of the account has used counts for itself,
// so that strangers do not use up what the owner needs.
func (f *Flows) mailTries(c Caller, key string, known *account.Account) []throttle.Try {
	box := account.BaseKey(key)
	if device := f.knownDevice(c, known); device != "" {
		box += " " + device
	}
	peer := box + " " + c.Peer
	return []throttle.Try{
		{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box},
		{Limit: mailPeerHour, Subject: peer}, {Limit: mailPeerDay, Subject: peer},
	}
}

// countMail counts a mail to the address and returns code.Held while none may
// be sent. The count is kept for every address, whatever becomes of the mail:
// the refusal may be told, because it is the same with and without an account.
func (f *Flows) countMail(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) (*fault.Error, error) {
	d, err := f.gate.Take(ctx, tx, f.mailTries(c, key, known)...)
	if err != nil || d.Allowed {
		return nil, err
	}
	return held(d.Wait), nil
}

// addressTries returns all limits whose subject is an address alone.
func addressTries(key string) []throttle.Try {
	box := account.BaseKey(key)
	return []throttle.Try{
		{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}, {Limit: unknownDay, Subject: box},
		{Limit: passwordLadder, Subject: key}, {Limit: codeAddress, Subject: key}, {Limit: codeRow, Subject: key},
		{Limit: noticeDay, Subject: key}, {Limit: deviceDay, Subject: key},
	}
}

func held(wait time.Duration) *fault.Error { return code.Held.WithRetryAfter(throttle.Rounded(wait)) }

// mayTell reports whether a counted mail is sent: one to an address without an
// account goes out rarely, which nobody but the mailbox may learn. It touches
// the same number of rows for known and unknown addresses.
func (f *Flows) mayTell(ctx context.Context, tx Tx, key string, known bool) (bool, error) {
	day, all := unknownDay, unknownGlobal
	if known {
		day, all = knownDay, knownGlobal
	}
	box := account.BaseKey(key)
	d, err := f.gate.Take(ctx, tx, throttle.Try{Limit: day, Subject: box}, throttle.Try{Limit: all, Subject: lane(box)})
	return d.Allowed, err
}

package flow

import (
	"context"
	"time"

	"portico/internal/account"
)

// primarySince returns since when an account has its primary address. After alarmLife
// there, no earlier address can raise an alarm about it anymore, and it counts as
// the one that the account was made with.
func primarySince(a account.Account, others []account.Other, now time.Time) time.Time {
	var moved time.Time // when it became the primary one
	for _, o := range others {
		if o.PrimaryUntil.After(moved) {
			moved = o.PrimaryUntil
		}
	}
	if recent(moved, now) {
		return a.AddressAt
	}
	return account.Always
}

// sinceOf returns since when an account has an address that it gets at now. An address
// that comes back keeps its age, so that a thief cannot take it from the owner. But the age
// begins anew if the address was young when it went, or lost to an older one: it may be a
// thief's.
func sinceOf(a account.Account, others []account.Other, key string, now time.Time) time.Time {
	if key == a.Address.Key {
		return a.AddressAt
	}
	for _, o := range others {
		went := o.Until.Add(-alarmLife) // far away for one that the account has
		if o.Address.Key == key && !recent(o.AddedAt, went) && mayRepair(o, primarySince(a, others, now)) {
			return o.AddedAt
		}
	}
	return now
}

// mayRepair reports whether an address of an account may raise an alarm, while the
// account has its primary address since a time. An address that is only kept may, unless
// the primary one is older: then the owner has repaired the account.
func mayRepair(o account.Other, primary time.Time) bool {
	return o.Own() || !o.AddedAt.After(primary)
}

// find finds the address of the email, and the primary address that the account gets
// back. That is the address of the email, if it was the primary one in the time of an
// alarm and the present one is not older. Else it is the oldest one of that time.
func (a *alarm) find(others []account.Other, key string, now time.Time) bool {
	if key == a.owner.Address.Key {
		a.from = account.Other{Address: a.owner.Address, AddedAt: a.primary}
		return true
	}
	found := false
	for _, each := range others {
		was := recent(each.PrimaryUntil, now)
		switch {
		case each.Address.Key == key:
			found, a.from = true, each
			if was && !each.AddedAt.After(a.primary) {
				a.restored = &each
				return true
			}
		case was && each.AddedAt.Before(a.primary) && (a.restored == nil || each.AddedAt.Before(a.restored.AddedAt)):
			a.restored = &each
		}
	}
	return found
}

// mayRaise reports whether an email about a change has a link. An address that is
// young, or that has lost to an older one, may be a thief's.
func (f *core) mayRaise(mail email, now time.Time) bool {
	primary := mail.at.Key == mail.owner.Address.Key
	return !mail.lost && !recent(mail.added, now) && (primary || !f.outranked(*mail.owner, mail.added))
}

// tellRemoved posts an email to an address that the account no longer has.
func (f *Owner) tellRemoved(ctx context.Context, tx Tx, c Caller, mail email, o account.Other) error {
	others, err := tx.AddressesOf(ctx, mail.owner.ID, f.clock.Now())
	if err != nil {
		return err
	}
	mail = mail.toOther(o)
	mail.lost = !mayRepair(o, primarySince(*mail.owner, others, f.clock.Now()))
	return f.post(ctx, tx, c, mail)
}

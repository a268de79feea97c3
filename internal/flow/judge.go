package flow

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/federation"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/throttle"
)

// A step judges again where it ends: in the transaction of its effect, whatever was
// judged when it began. The functions of this file are the only ones that do, and
// the only ones that make the two types below. Every function with an effect on an
// account takes one of them, which internal/archtest holds. docs/pending-steps.md says
// which change of an account ends which step. The test SEC-336 walks all of them.

// judged is an account that may be signed in to, or changed where that needs no fresh
// proof: it is open, and nothing that the step relies on has changed since it began.
type judged struct{ account.Account }

// cleared is an account whose ways to sign in the step may change. Besides what
// judged says, its user has given the proof that such a change needs, and no alarm closes it;
// or an operator, an alarm, or the sign-up of the account itself makes the change. A function
// that changes a way in also ends the flows that began before: by endFlows or afterRemoval.
type cleared struct{ judged }

// own runs a change that the owner of an account makes, in one transaction. The
// session may have ended since the request began, so it is read again: a session
// that was ended changes nothing.
func (f *core) own(ctx context.Context, found session.Found, fn func(tx Tx, owner judged) error) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		owner, err := f.owned(ctx, tx, found)
		if err != nil {
			return err
		}
		return fn(tx, owner)
	})
	f.sessions.Forget(found.User.ID)
	return err
}

// owned is own in the transaction of its caller.
func (f *core) owned(ctx context.Context, tx Tx, found session.Found) (judged, error) {
	owner, ok, err := tx.AccountOfSession(ctx, found.Session.ID)
	if err == nil && (!ok || owner.ID != found.User.ID || owner.State != account.Active || owner.Ended(f.clock.Now()) || owner.Version != found.Session.Version) {
		err = session.Required
	}
	return judged{owner}, err
}

// guarded is own for a change of how the account is signed in to. It needs a fresh
// proof, and no alarm.
//
// Faults: ProofNeeded, Alarmed, session.Required, throttle.Limited. They are faults of each caller, too.
func (f *Owner) guarded(ctx context.Context, found session.Found, fn func(tx Tx, owner cleared) error) error {
	return f.guarding(ctx, found, func(judged) bool { return false }, fn)
}

// guarding is guarded for a change that is allowed although an alarm forbids changes, if
// despite says so.
func (f *Owner) guarding(ctx context.Context, found session.Found, despite func(judged) bool, fn func(tx Tx, owner cleared) error) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		a, err := f.clears(ctx, tx, found, owner)
		if errors.Is(err, Alarmed) && despite(owner) {
			return fn(tx, a) // not counted: whoever the alarm is about may have used the limit up
		}
		if err == nil {
			err = f.take(ctx, tx, throttle.Attempt{Limit: changeDay, Subject: owner.ID})
		}
		if err != nil {
			return err
		}
		return fn(tx, a)
	})
}

// clears judges a change of how the account is signed in to, in the transaction of its caller.
func (f *Owner) clears(ctx context.Context, tx Tx, found session.Found, owner judged) (cleared, error) {
	err := f.fresh(ctx, tx, found, f.clock.Now())
	if err == nil && f.alarmed(owner.Account) {
		err = f.stopped(owner.Account)
	}
	return cleared{owner}, err
}

// finishes judges a change with steps where it ends. The flow must stand, and the
// session of its end needs the proof that the account asks for now. The proof must have been
// fresh when the flow began.
//
// Faults: Overtaken, ProofNeeded, Alarmed.
func (f *core) finishes(ctx context.Context, tx Tx, found session.Found, owner judged, p Pending) (cleared, error) {
	switch {
	case p.AccountID != owner.ID:
		return cleared{}, Unknown
	case f.alarmed(owner.Account):
		return cleared{}, f.stopped(owner.Account)
	case p.Version != p.Kind.versionOf(owner.Account):
		return cleared{}, Overtaken
	}
	return cleared{owner}, f.fresh(ctx, tx, found, p.CreatedAt)
}

// signedInTo returns the account and the session of the caller, if it is one of the
// account of the flow: no other user changes the account, whatever their mailbox.
//
// Faults: session.Required; as finishes.
func (f *Flows) signedInTo(ctx context.Context, tx Tx, c Caller, p Pending) (cleared, session.Found, error) {
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	if err != nil {
		return cleared{}, found, err
	}
	if found.User.ID != p.AccountID {
		return cleared{}, found, session.Required
	}
	owner, err := f.owned(ctx, tx, found) // it may have ended since this node cached it
	if err != nil {
		return cleared{}, found, err
	}
	ready, err := f.finishes(ctx, tx, found, owner, p)
	return ready, found, err
}

// opens returns the account that a proof of this request signs in to.
//
// Faults: account.Missing, account.Disabled, account.Ended.
func (f *core) opens(ctx context.Context, tx account.Store, id string) (judged, error) {
	a, ok, err := tx.AccountByID(ctx, id)
	switch {
	case err != nil:
		return judged{}, err
	case !ok:
		return judged{}, account.Missing
	}
	return judged{a}, a.Refusal(f.clock.Now())
}

// stands returns the account of a flow. A change of how the account is signed in to ends
// the flows that began before it: their proofs may be a thief's.
//
// Faults: Unknown for a closed account, Overtaken.
func (f *core) stands(ctx context.Context, tx account.Store, p Pending) (judged, error) {
	a, err := f.openOf(ctx, tx, p)
	if err == nil && p.Version != p.Kind.versionOf(a.Account) {
		err = Overtaken
	}
	return a, err
}

// openOf returns the account of a flow, whatever has changed of it.
//
// Faults: Unknown for a closed account.
func (f *core) openOf(ctx context.Context, tx account.Store, p Pending) (judged, error) {
	a, err := f.opens(ctx, tx, p.AccountID)
	if errors.Is(err, account.Missing) || errors.Is(err, account.Disabled) {
		err = Unknown
	}
	return a, err
}

// waits is stands for a sign-in that has waited at a step. The site must still take
// its proofs.
func (f *Flows) waits(ctx context.Context, tx account.Store, p Pending, d data) (judged, error) {
	a, err := f.stands(ctx, tx, p)
	if err == nil && (!f.takes(d.Methods) || d.Through != nil && !f.providers.Issues(d.Through.Provider, d.Through.Issuer)) {
		err = Overtaken
	}
	return a, err
}

// takes reports whether the settings still have the ways of these proofs.
func (f *Flows) takes(methods []string) bool {
	for _, m := range methods {
		id, external := strings.CutPrefix(m, byProvider)
		if external && !f.hasProvider(id) || m == passkey.Method && f.passkeys == nil {
			return false
		}
	}
	return true
}

// mailed returns the account of a sign-in that ends by a mailed code.
//
// Faults: as waits.
func (f *Flows) mailed(ctx context.Context, tx account.Store, p Pending, d data) (cleared, error) {
	a, err := f.waits(ctx, tx, p, d)
	return cleared{a}, err
}

// replaces returns the account of a flow that ends with a new password or a first passkey:
// its mailbox or the operator's link is proven. The account may have lost this address since the flow
// began. An alarm can begin one with a former primary address.
//
// Faults: as stands.
func (f *Flows) replaces(ctx context.Context, tx account.Store, p Pending) (cleared, error) {
	a, err := f.stands(ctx, tx, p)
	if err != nil || p.AddressKey == a.Address.Key {
		return cleared{a}, err
	}
	o, _, err := tx.AddressByKey(ctx, p.AddressKey, f.clock.Now())
	if err == nil && (o.AccountID != a.ID || o.Use != account.Recovery && o.Use != account.Former) {
		err = Overtaken
	}
	return cleared{a}, err
}

// bare returns the account of a sign-in that waits for the first second factor. A
// factor that was added later has not been given, which ends the flow. No alarm closes the account:
// it would have ended the flow, and none begins while it does.
//
// Faults: as waits.
func (f *Flows) bare(ctx context.Context, tx Tx, p Pending, d data) (cleared, error) {
	a, err := f.waits(ctx, tx, p, d)
	if err != nil {
		return cleared{}, err
	}
	have, err := f.secondFactors(ctx, tx, a.ID)
	if err == nil && have.Any() {
		err = Overtaken
	}
	return cleared{a}, err
}

// joins returns the account of a sign-in, if the identity that waits in a flow may join it. The
// sign-in is complete, and no earlier proof counts.
func (f *core) joins(ctx context.Context, tx Tx, e entry, p Pending, d data) (cleared, bool, error) {
	ok, err := f.mayJoin(ctx, tx, e.account.Account, p, d)
	return cleared{e.account}, ok, err
}

// mayJoin reports whether the identity that waits in a flow may join an account. The address
// that the provider has vouched for must still be the primary one, the account must have no
// other identity there, and the identity no account.
func (f *core) mayJoin(ctx context.Context, tx Tx, a account.Account, p Pending, d data) (bool, error) {
	if p.AccountID != a.ID || p.AddressKey != a.Address.Key || d.Identity == nil || f.alarmed(a) || !f.takesIdentity(d) {
		return false, nil
	}
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	if err != nil || slices.ContainsFunc(linked, func(i account.Identity) bool { return i.Issuer == d.Identity.Issuer }) {
		return false, err
	}
	_, taken, err := tx.IdentityBySubject(ctx, d.Identity.Issuer, d.Identity.Subject)
	return !taken, err
}

// waitsToJoin returns the account of a sign-in that has not begun, which an identity waits to join.
//
// Faults: Unknown for a closed account, Overtaken.
func (f *core) waitsToJoin(ctx context.Context, tx Tx, p Pending, d data) (judged, error) {
	a, err := f.openOf(ctx, tx, p)
	if err != nil {
		return a, err
	}
	ok, err := f.mayJoin(ctx, tx, a.Account, p, d)
	if err == nil && !ok {
		err = Overtaken
	}
	return a, err
}

// takesIdentity reports whether the settings still have the provider of an identity that has
// waited, and believe what it says of the address if no mailbox has proven it.
func (f *core) takesIdentity(d data) bool {
	return f.providers.Issues(d.Identity.Provider, d.Identity.Issuer) && slices.ContainsFunc(f.providers.List(), func(p federation.Provider) bool {
		return p.ID == d.Identity.Provider && (p.Vouches || !d.Vouched)
	})
}

// change runs an operator's change of an account and drops the account from the session
// cache. A key changes no account of an admin.
//
// Faults: account.Missing, apikey.OfAdmin, and as acts.
func (f *Operator) change(ctx context.Context, by Actor, id string, fn func(tx Tx, a cleared) error) error {
	err := f.acts(ctx, by, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, id)
		if err != nil || !ok {
			return cmp.Or[error](err, account.Missing)
		}
		if err := by.mayChange(a.Roles); err != nil {
			return err
		}
		return fn(tx, cleared{judged{a}})
	})
	f.sessions.Forget(id)
	return err
}

// removing is change for what would end an admin. The admin who acts remains one, unless their
// own account has an end.
//
// Faults: as change, AdminSelf, AdminLast.
func (f *Operator) removing(ctx context.Context, by Actor, id string, fn func(tx Tx, a cleared) error) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		if by.own(id) {
			return AdminSelf
		}
		if by.admin != nil {
			if err := f.notLast(ctx, tx, a.Account); err != nil {
				return err
			}
		}
		return fn(tx, a)
	})
}

// closes returns an account whose end has come and which is still to be disabled. One that waits for an approval is not.
func (f *Operator) closes(ctx context.Context, tx Tx, id string) (cleared, bool, error) {
	a, ok, err := tx.AccountByID(ctx, id)
	return cleared{judged{a}}, ok && a.Ended(f.clock.Now()) && a.State != account.DisabledByOperator && a.State != account.Waiting, err
}

// exists returns the account that an import has found and changes, as it is now, and holds it. mayRenew judges the
// change.
//
// Faults: account.Missing, also if it has another address now.
func (f *Operator) exists(ctx context.Context, tx Tx, found account.Account) (cleared, error) {
	a, ok, err := tx.AccountByID(ctx, found.ID)
	if err == nil && (!ok || a.Address.Key != found.Address.Key) {
		err = account.Missing
	}
	return cleared{judged{a}}, err
}

// asArrived returns an account, if there is one, and whether it was imported without a password and nothing has happened to it
// since: nobody has signed in, and no way to sign in has changed.
func (f *core) asArrived(ctx context.Context, tx Tx, id string) (a cleared, w Welcome, is bool, err error) {
	found, _, err := tx.AccountByID(ctx, id)
	if err != nil {
		return a, w, false, err
	}
	w, newcomer, err := tx.WelcomeOf(ctx, id)
	return cleared{judged{found}}, w, newcomer && untouched(found), err
}

// untouched reports whether an account has no password, and no change has raised its credential version. endFlows deletes
// the Welcome.
func untouched(a account.Account) bool { return a.Password == "" && a.Version == 1 }

// made returns an account that this transaction has made.
func made(a account.Account) cleared { return cleared{judged{a}} }

// taken returns the account that an alarm takes back. alarmOf has judged its link.
func taken(a alarm) cleared { return cleared{judged{a.owner}} }

// raised follows a change in the database that raises the credential version.
func (a *judged) raised() { a.Version++ }

// endFlows ends the flows of an account that began before a change of how it is signed in
// to. It is for a change that ends no session; the others raise the credential version. A newcomer is none afterwards, or
// the former system would vouch for what the change took away.
func (f *core) endFlows(ctx context.Context, tx Tx, a *cleared) error {
	a.FlowEnds++
	if err := tx.DeleteWelcome(ctx, a.ID); err != nil {
		return err
	}
	return tx.EndFlows(ctx, a.ID)
}

package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/session"
	"portico/internal/throttle"
)

// Recover begins the recovery of an account and mails a code and a link. The
// response is the same for an address without an account; only its mailbox learns
// the difference.
//
// Faults: the field email, throttle.Limited.
func (f *Flows) Recover(ctx context.Context, c Caller, email string, returnTo Target) (r Result, err error) {
	ctx, w := f.watch(ctx, "forgot-password", Recovery)
	defer w.end(&r, &err)
	return f.mailTo(ctx, c, Recovery, email, returnTo)
}

// mailTo begins a flow of a kind with a typed address alone.
func (f *Flows) mailTo(ctx context.Context, c Caller, kind Kind, email string, returnTo Target) (Result, error) {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	return f.startProof(ctx, c, kind, address, returnTo, data{Address: address.Mail})
}

// ResetInput is the input of ResetPassword.
type ResetInput struct {
	FlowID   string
	Password string
	Confirm  string
}

// ResetPassword sets the new password, ends every session of the account, signs
// this browser in and notifies the owner. The transaction that succeeds advances
// the flow, so one of several concurrent calls wins.
//
// Faults: the fields, Unknown, Overtaken, Moved, throttle.Limited, hashing.busy.
func (f *Flows) ResetPassword(ctx context.Context, c Caller, in ResetInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "reset-password", Recovery)
	defer w.end(&r, &err)
	p, d, owner, err := f.resetting(ctx, c, in.FlowID)
	if err != nil {
		return Result{}, err
	}
	hash, err := f.newHash(ctx, choice{of: p.ID, former: owner.Password, chosen: in.Password, confirm: in.Confirm, address: owner.Address.Mail})
	if err != nil {
		return Result{}, err
	}
	r, err = f.finishReset(ctx, c, p, d, hash)
	r.New = d.New
	return r, err
}

// resetting returns a flow that waits for a new password, with its account.
func (f *Flows) resetting(ctx context.Context, c Caller, flowID string) (p Pending, d data, owner cleared, err error) {
	err = f.store.Read(ctx, func(tx Tx) (err error) {
		if p, d, err = f.at(ctx, tx, c, flowID, Reset); err != nil {
			return err
		}
		owner, err = f.replaces(ctx, tx, p)
		return err
	})
	return p, d, owner, err
}

func (f *Flows) finishReset(ctx context.Context, c Caller, p Pending, d data, hash string) (Result, error) {
	var r Result
	method := "mail"
	if d.Handed {
		method = byOperatorLink
	}
	err := f.store.Write(ctx, func(tx Tx) error {
		// Read again: the account may have changed while the hash was made.
		owner, err := f.replaces(ctx, tx, p)
		if err != nil {
			return err
		}
		if err := f.learnLocale(ctx, tx, c, &owner.Account); err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		if err := f.replacePassword(ctx, tx, c, owner, hash, fact(c, audit.PasswordChanged, owner.ID, "recovery")); err != nil {
			return err
		}
		if err := f.clear(ctx, tx, changeAttempts(owner.ID)...); err != nil {
			return err
		}
		owner.raised()
		r, err = f.admitted(ctx, tx, c, f.entryBy(owner.judged, f.target(p), method))
		return err
	})
	return f.settled(r, p.AccountID, err)
}

// replacePassword stores the verifier and does everything that belongs to it: it
// ends every session and the trust in all browsers (fingerprint), resets the wrong guesses,
// records the change and notifies the owner.
func (f *core) replacePassword(ctx context.Context, tx Tx, c Caller, owner cleared, hash string, change audit.Fact) error {
	if err := tx.UpdatePassword(ctx, owner.ID, hash); err != nil {
		return err
	}
	if err := f.endAll(ctx, tx, owner.ID, "", session.Password); err != nil {
		return err
	}
	if err := f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: passwordLadder, Subject: owner.Address.Key}); err != nil {
		return err
	}
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	return f.post(ctx, tx, c, email{template: mailPassword, owner: &owner.Account})
}

package flow

import (
	"context"
	"errors"
	"strconv"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/session"
	"portico/internal/throttle"
)

// resendAfter is the pause between two emails of a flow.
const resendAfter = 30 * time.Second

// VerifyCode checks the code of a flow. A sign-up then becomes an account and a
// session, and a recovery may set a new password.
//
// Faults: the field code; code.Wrong with the count of guesses left, code.UsedUp,
// code.Locked, code.LinkOnly, code.Expired, code.Used; Unknown.
func (f *Flows) VerifyCode(ctx context.Context, c Caller, flowID, typed string) (r Result, err error) {
	ctx, w := f.watch(ctx, "verify-code", flowUnknown)
	defer w.end(&r, &err)
	digits, bad := code.Parse(typed, "code")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	p, _, err := f.look(ctx, c, flowID)
	if err != nil {
		return Result{}, err
	}
	w.kind = p.Kind
	if p.Step != Verify {
		return f.again(ctx, c, p)
	}
	if p.Kind == AddressChange {
		err := f.store.Read(ctx, func(tx Tx) error {
			_, _, err := f.signedInTo(ctx, tx, c, p)
			return err
		})
		if err != nil {
			return Result{}, err // before the code is counted
		}
	}
	var refused *fault.Error
	err = f.making(ctx, c, func(tx Tx, c Caller) (err error) {
		r, refused, err = f.tryCode(ctx, tx, c, p, digits)
		return err
	})
	switch {
	case errors.Is(err, code.Used):
		if p, _, err = f.look(ctx, c, flowID); err != nil {
			return Result{}, err
		}
		return f.again(ctx, c, p)
	case err != nil:
		return Result{}, err
	case refused != nil:
		return Result{wrong: r.wrong}, refused
	}
	return f.settled(r, p.AccountID, nil)
}

// tryCode counts a guess and then checks it, in one transaction. Concurrent guesses
// therefore see each other's result: after the correct code, the others find the
// code used and not the limit reached. A refused guess is not an error, because its
// count must be committed. If every code of the flow has expired there is nothing
// to guess, and nothing is counted.
func (f *Flows) tryCode(ctx context.Context, tx Tx, c Caller, p Pending, digits string) (Result, *fault.Error, error) {
	ways, err := f.codeWays(ctx, tx, c, p)
	if err != nil {
		return Result{}, nil, err
	}
	left, network, refused, err := f.countGuess(ctx, tx, ways)
	if err != nil {
		return Result{}, nil, err
	}
	p, d, err := f.at(ctx, tx, c, p.ID, Verify)
	switch {
	case errors.Is(err, Moved):
		return Result{}, nil, code.Used
	case err != nil:
		return Result{}, nil, err
	}
	over, err := f.codes.Over(ctx, tx, p.ID)
	switch {
	case err != nil:
		return Result{}, nil, err
	case over:
		return Result{}, nil, code.Expired
	case refused != nil:
		return Result{}, refused, nil
	}
	err = f.codes.Redeem(ctx, tx, p.ID, digits)
	switch {
	case errors.Is(err, code.Wrong):
		refused, err = f.wrongCode(ctx, tx, c, p, left)
		return Result{wrong: wrongCode}, refused, err
	case errors.Is(err, code.Expired):
		return Result{}, code.Expired, nil
	case err != nil:
		return Result{}, nil, err
	}
	if err := f.limiter.Return(ctx, tx, network...); err != nil {
		return Result{}, nil, err
	}
	r, err := f.proven(ctx, tx, c, p, d)
	if errors.Is(err, Unknown) && p.Kind != AddressChange {
		return Result{}, Overtaken, f.giveUp(ctx, tx, p, d)
	}
	return r, nil, err
}

// giveUp ends a flow that a change of its account has ended, after the right code: else its
// page would mail codes that never work. Only now may its page say so.
func (f *Flows) giveUp(ctx context.Context, tx Tx, p Pending, d data) error {
	if _, err := f.renew(ctx, tx, p, data{Address: d.Address, Over: true}); err != nil {
		return err
	}
	return f.advance(ctx, tx, p, Done)
}

// allows returns the fault of a flow of a kind that the settings do not have anymore.
func (f *Flows) allows(p Pending, d data) error {
	switch {
	case p.Kind == SignUp && !f.registersAny():
		return SignUpClosed
	case p.Kind == ByCode && !f.settings.ByCode && !p.completes(d):
		return ByCodeOff
	case p.Kind == SignUp && d.Identity != nil && !f.takesIdentity(d):
		return Overtaken
	}
	return nil
}

// look is find outside a transaction.
func (f *Flows) look(ctx context.Context, c Caller, flowID string) (p Pending, d data, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		p, d, err = f.find(ctx, tx, c, flowID)
		return err
	})
	return p, d, err
}

// again answers a code that arrives after the step. The browser that completed
// the step goes on, for example after a double click. A replay is
// refused. It is recorded as often as a flow has guesses, for a flow that had a code.
func (f *Flows) again(ctx context.Context, c Caller, p Pending) (Result, error) {
	found, err := f.Session(ctx, c.Session)
	if err == nil && p.Step == Done && found.User.ID == p.AccountID {
		return Result{Next: f.settings.Targets.Or(f.target(p))}, nil
	}
	if err := ignore(err, session.Required); err != nil {
		return Result{}, err
	}
	if len(p.Kind.follows(Verify)) == 0 {
		return Result{}, code.Used
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		if err := f.take(ctx, tx, throttle.Attempt{Limit: codeFlow, Subject: p.ID}); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, audit.CodeReplayed, p.AccountID, string(p.Kind)))
	})
	if err := ignore(err, throttle.Limited(0)); err != nil {
		return Result{}, err
	}
	return Result{}, code.Used
}

// wrongCode records the guess and returns a fault with the count that is left.
func (f *Flows) wrongCode(ctx context.Context, tx Tx, c Caller, p Pending, left int) (*fault.Error, error) {
	entry := fact(c, audit.CodeFailed, p.AccountID, string(p.Kind))
	if left == 0 {
		entry.Name = audit.Throttled
	}
	if err := f.record.Add(ctx, tx, entry); err != nil {
		return nil, err
	}
	if left == 0 {
		return code.UsedUp, nil
	}
	params := map[string]string{"count": strconv.Itoa(left)}
	return code.Wrong.WithParams(params).WithFields(fault.Field{Name: "code", Code: code.CodeWrong, Params: params}), nil
}

// proven continues the flow after the mailbox was proven, in the transaction that
// redeemed the code.
func (f *Flows) proven(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	if err := f.forgetGuesses(ctx, tx, p.AddressKey); err != nil {
		return Result{}, err
	}
	switch p.Kind {
	case Recovery:
		owner, err := f.replaces(ctx, tx, p)
		if err == nil {
			err = f.claim(ctx, tx, c, p, &owner)
		}
		if err != nil {
			return Result{}, err
		}
		return Result{Next: pages.Flow(pages.ResetPassword, p.ID), FlowID: p.ID}, f.advance(ctx, tx, p, Reset)
	case ByCode:
		return f.byMail(ctx, tx, c, p, d)
	case AddressChange:
		return f.takeAddress(ctx, tx, c, p, d)
	}
	r, err := f.admitNew(ctx, tx, c, p, d, f.clock.Now())
	if err != nil {
		return Result{}, err // with the flow at its step, which tryCode may give up
	}
	return r, f.advance(ctx, tx, p, Done)
}

// Resend mails a new code. It replaces a flow without guesses by a new flow, whose
// id is in the result.
//
// Faults: Unknown, Overtaken, Moved, code.Early soon after the last email, code.Held while the
// mailbox gets no more emails, throttle.Limited.
func (f *Flows) Resend(ctx context.Context, c Caller, flowID string) (r Result, err error) {
	ctx, w := f.watch(ctx, "resend", flowUnknown)
	defer w.end(&r, &err)
	p, d, err := f.look(ctx, c, flowID)
	if err != nil {
		return Result{}, err
	}
	if w.kind = p.Kind; p.Step != Verify {
		return Result{}, Moved
	}
	if err := f.allows(p, d); err != nil {
		return Result{}, err
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	spent, err := f.resend(ctx, c, p, address)
	if err != nil {
		return Result{}, err
	}
	if spent {
		return f.restart(ctx, c, p, address, d)
	}
	return Result{Next: pages.Flow(pages.VerifyCode, p.ID), FlowID: p.ID}, nil
}

// restart begins a new flow of the same kind, with the same address. The old flow cannot
// go on. If it relies on earlier proofs, the new one is of the same account, as it was when they were given.
func (f *Flows) restart(ctx context.Context, c Caller, p Pending, address account.Address, d data) (r Result, err error) {
	if p.Kind != AddressChange && !p.completes(d) {
		return f.startProof(ctx, c, p.Kind, address, f.target(p), d)
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		if _, _, err := f.at(ctx, tx, c, p.ID, Verify); err != nil {
			return err
		}
		found, err := f.mailsAgain(ctx, tx, c, p, d)
		if err == nil && p.Kind == AddressChange {
			err = f.fresh(ctx, tx, found, f.clock.Now()) // else each new flow would prolong the proof
		}
		if err != nil {
			return err
		}
		to, err := f.addresseeOf(ctx, tx, p)
		if err != nil {
			return err
		}
		r, err = f.awaitProof(ctx, tx, c, Pending{Kind: p.Kind, AccountID: p.AccountID, Version: p.Version, ReturnTo: p.ReturnTo}, address, to, d)
		return err
	})
	return r, err
}

// mailsAgain judges a flow that relies on earlier proofs before it mails another code. It returns the session of
// a change of the address.
//
// Faults: as signedInTo; as waits.
func (f *Flows) mailsAgain(ctx context.Context, tx Tx, c Caller, p Pending, d data) (found session.Found, err error) {
	switch {
	case p.Kind == AddressChange:
		_, found, err = f.signedInTo(ctx, tx, c, p)
	case p.completes(d):
		_, err = f.waits(ctx, tx, p, d)
	}
	return found, err
}

// addresseeOf returns whose the address of a flow is.
func (f *Flows) addresseeOf(ctx context.Context, tx account.Store, p Pending) (addressee, error) {
	to, err := f.addressed(ctx, tx, p.AddressKey)
	if p.Kind == AddressChange {
		to = to.besides(p.AccountID)
	}
	return to, err
}

// resend mails another code of the flow, or reports that it has no guesses left.
func (f *Flows) resend(ctx context.Context, c Caller, p Pending, address account.Address) (spent bool, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		// Read again: of two concurrent calls, the second waits here.
		p, d, err := f.at(ctx, tx, c, p.ID, Verify)
		if err != nil {
			return err
		}
		if _, err := f.mailsAgain(ctx, tx, c, p, d); err != nil {
			return err
		}
		sent, err := tx.CodesOf(ctx, p.ID)
		if err != nil {
			return err
		}
		if len(sent) > 0 {
			if wait := sent[0].SentAt.Add(resendAfter).Sub(f.clock.Now()); wait > 0 {
				return code.Early.WithRetryAfter(throttle.Rounded(wait))
			}
		}
		left, err := f.limiter.Left(ctx, tx, throttle.Attempt{Limit: codeFlow, Subject: p.ID})
		if spent = left == 0; err != nil || spent {
			return err
		}
		to, err := f.addresseeOf(ctx, tx, p)
		if err != nil {
			return err
		}
		held, err := f.countMail(ctx, tx, c, p.AddressKey, to.owner)
		switch {
		case err != nil:
			return err
		case held != nil:
			return held // nothing was written
		}
		if p.Kind != AddressChange && !p.completes(d) { // mailsAgain has judged the others
			id, version := p.AccountID, p.Version
			switch known := to.known(p.Kind); {
			case known != nil:
				id, version = known.ID, p.Kind.versionOf(*known)
			case p.Kind == SignUp: // no other kind mails a code then
				id, version = "", 0
			}
			if p, err = f.follow(ctx, tx, p, id, version); err != nil {
				return err
			}
			if _, err := tx.RenewFlow(ctx, p, f.clock.Now()); err != nil {
				return err
			}
		}
		return f.mailProof(ctx, tx, c, p, d, to)
	})
	return spent, err
}

// ignore returns err unless it is the expected one.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

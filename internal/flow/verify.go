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

// resendAfter is the pause between two mails of a flow.
const resendAfter = 30 * time.Second

// VerifyCode takes the code of a flow: a registration becomes an account and a
// session, a recovery may set a new password.
//
// Faults: the field code; code.Wrong with the count of tries left, code.UsedUp,
// code.Expired, code.Used; Unknown, throttle.Limited.
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
	var refused *fault.Error
	err = f.store.Write(ctx, func(tx Tx) (err error) {
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
	return f.settled(r, p.AccountID), nil
}

// tryCode counts a guess and then looks at it, in one transaction: of many at
// once each meets what the one before it has left behind, so that after the
// right code the others find it used and not the limit reached. A refused
// guess is no error, because its count must be committed; when no digits can
// hold any more, there is nothing to guess and nothing is counted.
func (f *Flows) tryCode(ctx context.Context, tx Tx, c Caller, p Pending, digits string) (Result, *fault.Error, error) {
	g, err := f.guessing(ctx, tx, c, p)
	if err != nil {
		return Result{}, nil, err
	}
	left, refused, err := f.countGuess(ctx, tx, g)
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
	if err := f.gate.Return(ctx, tx, g.network...); err != nil {
		return Result{}, nil, err
	}
	r, err := f.proven(ctx, tx, c, p, d)
	return r, nil, err
}

// look is find outside a transaction.
func (f *Flows) look(ctx context.Context, c Caller, flowID string) (p Pending, d data, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		p, d, err = f.find(ctx, tx, c, flowID)
		return err
	})
	return p, d, err
}

// again answers a code that comes after the step: the browser that did the
// step and is signed in by it goes on, as after a double click; a replay gets
// nothing.
func (f *Flows) again(ctx context.Context, c Caller, p Pending) (Result, error) {
	found, err := f.Session(ctx, c.Session)
	if err == nil && p.Step == Done && found.Person.ID == p.AccountID {
		return Result{Next: f.targets.Or(f.target(p))}, nil
	}
	if err := ignore(err, session.Required); err != nil {
		return Result{}, err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		return f.record.Add(ctx, tx, fact(c, audit.CodeReplayed, p.AccountID, string(p.Kind)))
	})
	if err != nil {
		return Result{}, err
	}
	return Result{}, code.Used
}

// wrongCode records the guess and says how many are left.
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

// proven carries out what the proof of the mailbox was for, in the transaction
// that used the code.
func (f *Flows) proven(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	if err := f.forgetGuesses(ctx, tx, c, p.AddressKey); err != nil {
		return Result{}, err
	}
	if p.Kind == Recovery {
		if _, err := f.owner(ctx, tx, p); err != nil {
			return Result{}, err
		}
		return Result{Next: pages.Flow(pages.ResetPassword, p.ID), FlowID: p.ID}, f.advance(ctx, tx, p, Reset)
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	return f.register(ctx, tx, c, p, d, f.clock.Now())
}

// register makes the account of a proven address and signs its owner in. When
// the registration has no credentials of the owner's, the owner chooses a
// password first. Proven is when the owner gave the newest proof, zero when a
// provider does not tell.
func (f *Flows) register(ctx context.Context, tx Tx, c Caller, p Pending, d data, proven time.Time) (Result, error) {
	if !f.signUp {
		return Result{}, SignUpClosed
	}
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	name := d.Name
	if d.Identity != nil {
		name = d.Identity.Name
	}
	// The language is that of the browser in which the mailbox is proven: the
	// form may have been sent by a stranger.
	a, err := f.accounts.Create(ctx, tx, account.New{Address: address, Name: name, Password: d.Password, Locale: c.Locale})
	if errors.Is(err, account.Exists) {
		return Result{}, SignUpTaken
	}
	if err != nil {
		return Result{}, err
	}
	if err := tx.OwnFlow(ctx, p.ID, a.ID); err != nil {
		return Result{}, err
	}
	method := "mail"
	if d.Identity != nil {
		if err := f.attach(ctx, tx, c, a.ID, *d.Identity); err != nil {
			return Result{}, err
		}
		method = byProvider + d.Identity.Provider
	}
	if err := f.gate.Clear(ctx, tx, throttle.Try{Limit: passwordLadder, Subject: address.Key}); err != nil {
		return Result{}, err
	}
	if err := f.record.Add(ctx, tx, fact(c, audit.SignedUp, a.ID, method)); err != nil {
		return Result{}, err
	}
	var r Result
	if d.Password == "" && d.Identity == nil {
		r, err = f.choosePassword(ctx, tx, c, a, p.ReturnTo)
	} else {
		r, err = f.enter(ctx, tx, c, a, f.target(p), evidence{method, proven})
	}
	r.registered = method
	return r, err
}

// choosePassword goes on as a recovery does once the mailbox is proven.
func (f *Flows) choosePassword(ctx context.Context, tx Tx, c Caller, a account.Account, returnTo string) (Result, error) {
	p, err := f.begin(ctx, tx, Pending{
		Kind: Recovery, Step: Reset, AccountID: a.ID, Version: a.Version, AddressKey: a.Address.Key, ReturnTo: returnTo,
	}, data{Address: a.Address.Mail}, c.Browser)
	return Result{Next: pages.Flow(pages.ResetPassword, p.ID), FlowID: p.ID}, err
}

// Resend mails a fresh code. A flow that has no guesses left is replaced by a
// new one, whose id is in the result.
//
// Faults: Unknown, Moved, code.Early while the last mail is fresh, code.Held
// while the mailbox gets no more, throttle.Limited.
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
	if _, err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
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
		return f.startProof(ctx, c, p.Kind, address, f.target(p), d)
	}
	return Result{Next: pages.Flow(pages.VerifyCode, p.ID), FlowID: p.ID}, nil
}

// resend mails another code of the flow, or reports that the flow is spent.
func (f *Flows) resend(ctx context.Context, c Caller, p Pending, address account.Address) (spent bool, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		// Looked up again: of two who ask at once the second waits here.
		if _, _, err := f.at(ctx, tx, c, p.ID, Verify); err != nil {
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
		left, err := f.gate.Left(ctx, tx, throttle.Try{Limit: codeFlow, Subject: p.ID})
		if spent = left == 0; err != nil || spent {
			return err
		}
		known, err := f.known(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		held, err := f.countMail(ctx, tx, c, p.AddressKey, known)
		switch {
		case err != nil:
			return err
		case held != nil:
			return held // nothing was written
		}
		return f.mailProof(ctx, tx, c, p, address.Mail, known)
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

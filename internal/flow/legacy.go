package flow

import (
	"context"
	"errors"

	"portico/internal/audit"
	"portico/internal/legacy"
	"portico/internal/password"
)

// The hashes of some systems cannot be exported. With the setting signin.legacy, such a system is asked at the first
// sign-in whether a password is right, and its hash here is kept. It is asked about imported people alone who came
// without a password, and only until somebody has signed in to the account, or a way to sign in has changed.

// question returns what the former system is asked about an account, nil if it is not. Without an account it reads the
// same.
func (f *Flows) question(ctx context.Context, tx Tx, accountID string) (*legacy.Question, error) {
	if !f.legacy.On() {
		return nil, nil
	}
	a, _, arrived, err := f.asArrived(ctx, tx, accountID)
	if err != nil {
		return nil, err
	}
	subject, _, err := tx.SubjectOf(ctx, accountID)
	if err != nil || !arrived || !a.Open(f.clock.Now()) {
		return nil, err
	}
	return &legacy.Question{Address: a.Address.Mail, Subject: subject.Value}, nil
}

// vouches reports whether the former system says that a password is right which is not right here. It takes as long
// for any address that it does not vouch for.
//
// Faults: hashing.busy.
func (f *Flows) vouches(ctx context.Context, who candidate, typed string) (bool, error) {
	if !f.legacy.On() {
		return false, nil
	}
	if who.question != nil {
		who.question.Password = typed
	}
	right, err := f.legacy.Check(ctx, who.question)
	if errors.Is(err, legacy.ErrBusy) {
		err = password.Busy.WithRetryAfter(legacy.Timeout)
	}
	return right, err
}

// adopts judges again, in the transaction of the sign-in, whether the word of the former system counts: the setting
// and the account may have changed since it was asked.
//
// Faults: Rejected.
func (f *Flows) adopts(ctx context.Context, tx Tx, c Caller, a judged) error {
	_, _, still, err := f.asArrived(ctx, tx, a.ID)
	if err == nil && (!still || !f.legacy.On()) {
		err = Rejected
	}
	if err != nil {
		return err
	}
	const got = "password" // the field of the account
	return f.record.Add(ctx, tx, fact(c, audit.AccountImported, a.ID, got))
}

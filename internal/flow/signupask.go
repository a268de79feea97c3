package flow

import (
	"context"
	"errors"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/invitation"
	"portico/internal/password"
	"portico/internal/signupask"
	"portico/internal/throttle"
)

// With the setting signup.ask, the app is asked before the account of a visitor is made. No transaction may wait for an
// app, so the step runs until the account is there, comes to nothing, and runs again with the answer. So the app is
// asked only when all else is right, all is judged again when it has answered, and its answer counts for what it was
// asked about alone. The address is proven by then: nobody learns by the question what the app says of others.

// unasked is the error of a transaction for which the app has to be asked first.
type unasked struct {
	signupask.Question
	key string // of the address
}

func (unasked) Error() string { return "the app was not asked about the sign-up" }

// given is an answer of the app.
type given struct {
	signupask.Question
	signupask.Answer
}

// What a record says about the answer of the app.
const (
	askedAllowed = "allowed"
	askedRefused = "refused"
	askedNothing = "no answer"
)

// making runs the transaction of a step that may make an account, and asks the app if it does.
//
// Faults: as refusal; hashing.busy, throttle.Limited, Moved.
func (f *Flows) making(ctx context.Context, c Caller, step func(tx Tx, c Caller) error) error {
	run := func() error { return f.store.Write(ctx, func(tx Tx) error { return step(tx, c) }) }
	err := run()
	q, first := errors.AsType[unasked](err)
	if !first {
		return err
	}
	if err := f.count(ctx, throttle.Attempt{Limit: askAddress, Subject: q.key}); err != nil {
		return err
	}
	a, used, err := f.signUpAsk.Ask(ctx, q.Question)
	defer used()
	switch {
	case errors.Is(err, signupask.ErrBusy):
		return password.Busy.WithRetryAfter(signupask.Timeout)
	case err != nil:
		return err
	case !a.Allowed:
		return f.refuses(ctx, c, a)
	}
	c.given = &given{q.Question, a}
	if err = run(); errors.As(err, &q) {
		err = Moved // the sign-up has changed meanwhile
	}
	return err
}

// asksApp records that the app lets somebody in who has just got an account, or asks for its answer. The link for the
// first admin needs none: nobody can sign in to correct the settings yet.
func (f *Flows) asksApp(ctx context.Context, tx Tx, c Caller, q unasked, accountID string, invited *invitation.Invitation) error {
	if f.signUpAsk == nil || invited != nil && invited.First() {
		return nil
	}
	if invited != nil {
		q.Invitation = invited.ID
	}
	if c.given == nil || c.given.Question != q.Question {
		return q
	}
	said := askedAllowed
	if c.given.Unanswered {
		said = askedNothing
	}
	return f.record.Add(ctx, tx, fact(c, audit.SignUpAsked, accountID, said))
}

// refuses records a refusal, and returns its fault.
func (f *Flows) refuses(ctx context.Context, c Caller, a signupask.Answer) error {
	refused, said := refusal(a), askedRefused
	if a.Unanswered {
		said = askedNothing
	}
	err := f.store.Write(ctx, func(tx Tx) error { return f.record.Add(ctx, tx, fact(c, audit.SignUpAsked, "", said)) })
	if err != nil {
		return err
	}
	return refused
}

// refusal returns the fault with the words for a refusal.
func refusal(a signupask.Answer) *fault.Error {
	switch {
	case a.Unanswered:
		return SignUpUnasked
	case a.Text != "":
		return SignUpSaid.WithParams(map[string]string{"text": a.Text})
	case a.Reason == signupask.ReasonDomain:
		return SignUpDomain
	case a.Reason == signupask.ReasonUninvited:
		return SignUpUninvited
	}
	return SignUpDeclined
}

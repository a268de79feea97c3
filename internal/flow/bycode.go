package flow

import "context"

// SendCode begins a sign-in by an emailed code and mails the code and a link. The
// response is the same for an address without an account; only its mailbox learns
// the difference. It has the limits of Recover.
//
// Faults: ByCodeOff, the field email, throttle.Limited.
func (f *Flows) SendCode(ctx context.Context, c Caller, email string, returnTo Target) (r Result, err error) {
	ctx, w := f.watch(ctx, "signin-code", ByCode)
	defer w.end(&r, &err)
	if err := f.allows(Pending{Kind: ByCode}, data{}); err != nil {
		return Result{}, err
	}
	return f.mailTo(ctx, c, ByCode, email, returnTo)
}

// byMail ends a sign-in by an emailed code. The proof of a mailbox is one factor, and
// never the second: admitted asks for that. The code may also be the last proof of a sign-in to an account
// whose address nobody has proven.
func (f *Flows) byMail(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	if err := f.allows(p, d); err != nil {
		return Result{}, err
	}
	owner, err := f.mailed(ctx, tx, p, d)
	if err != nil {
		return Result{}, err
	}
	if err := f.learnLocale(ctx, tx, c, &owner.Account); err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	if p.completes(d) {
		e := f.entryOf(owner.judged, p, d)
		e.methods, e.at = append(e.methods, byMailbox), f.clock.Now()
		if err := f.noteProven(ctx, tx, c, owner, e.detail()); err != nil {
			return Result{}, err
		}
		return f.admitted(ctx, tx, c, e)
	}
	if err := f.claim(ctx, tx, c, p, &owner); err != nil {
		return Result{}, err
	}
	e := f.entryBy(owner.judged, f.target(p), byMailbox) // the account as it is after claim
	e.announce = true
	return f.admitted(ctx, tx, c, e)
}

package flow

import (
	"context"
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/session"
	"portico/internal/throttle"
)

// View is the state of a flow for its screen.
type View struct {
	ID            string
	Kind          Kind // SignUp also for the steps Reset and Accept of a new account
	Step          Step
	Address       string // in full; only for the browser that typed it, else masked until the mailbox is proven
	SentAt        time.Time
	ExpiresAt     time.Time // when the newest code expires
	ResendAt      time.Time
	Now           time.Time
	UsedUp        bool         // no guesses are left
	Refused       bool         // the mail server refused the email for good
	Held          *fault.Error // no code was sent, because a limit refuses it
	Locked        *fault.Error // no code works, because a limit refuses all guesses
	Name          string       // typed at a sign-up; only for the browser that typed it
	Terms         string       // version that its form accepted
	Next          string
	Passkey       bool          // in a recovery: the account gets a passkey instead of a password
	Handed        bool          // in a recovery: it began with a link that the operator handed over
	Elsewhere     bool          // the recovery goes on where its link was opened, and is not over there
	SecondFactors SecondFactors // what a second step can be
	Provider      string        // the provider of an identity that waits to be joined
	ReturnTo      Target
	EraseAt       time.Time // when an account that its owner has closed is erased
	Overtaken     bool      // the flow cannot go on: see Overtaken; its step is then Done
	Waits         bool      // the sign-up has made an account that waits for an approval
	Invited       bool      // the sign-up began with the link of an invitation
	Found         bool      // Address is masked
	Said          string    // why the app has refused the sign-up with a provider, in its words
	Proof         bool      // a change that waits for a code needs a new proof first

	// For a second factor that the account needs: the secret of a new app, and whether
	// and until when its owner may put it off.
	Secret factor.Secret
	URI    string
	Until  time.Time
	Later  bool
}

// View returns the state of a flow, or Unknown. Next is the page to go to if the
// flow is past the step of the mailed code.
func (f *Flows) View(ctx context.Context, c Caller, flowID string) (View, error) {
	var v View
	err := f.store.Read(ctx, func(tx Tx) error {
		p, d, err := f.find(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		v = View{ID: p.ID, Kind: p.Kind, Step: p.Step, Address: d.Address, Name: d.Name, Terms: d.Terms.Version, Invited: d.Invitation != "", Said: d.Said, Now: f.clock.Now()}
		v.ReturnTo = f.target(p)
		if v.Found = d.Found && (p.Step == Verify || p.Step == Done); v.Found {
			v.Address = account.Mask(d.Address)
		}
		if d.Identity != nil {
			v.Provider = d.Identity.Provider
		}
		if p.Kind == Acceptance && p.AccountID == "" {
			v.Kind = SignUp
		}
		owner, err := f.judgeView(ctx, tx, c, p, d, &v)
		if err != nil {
			return err
		}
		switch v.Step {
		case Reset:
			if d.Passkey && d.Handed { // the owner may have added a factor since
				if d.Passkey, err = f.mayReplace(ctx, tx, owner); err != nil {
					return err
				}
			}
			v.Next = f.pageOfReset(p, d)
			v.Passkey, v.Handed = f.byPasskey(d), d.Handed
			if d.New {
				v.Kind = SignUp
			}
		case Factor:
			v.Next = p.page()
			left, err := f.limiter.Left(ctx, tx, throttle.Attempt{Limit: factorFlow, Subject: p.ID})
			if v.UsedUp = left == 0; err != nil {
				return err
			}
			v.SecondFactors, err = f.secondFactors(ctx, tx, p.AccountID)
			return err
		case Accept:
			v.Next = p.page()
		case Keep:
			v.Next = p.page()
			d, _, err := tx.DepartureOf(ctx, p.AccountID)
			v.EraseAt = d.EraseAt
			return err
		case Protect:
			v.Next = p.page()
			return f.viewProtection(ctx, tx, c, f.entryOf(owner, p, d), d, &v)
		case Done:
			v.Next = f.settings.Targets.Or(v.ReturnTo)
			if d.Moved != "" {
				moved, ok, err := tx.FlowByID(ctx, d.Moved)
				v.Elsewhere = !ok || moved.Step != Done
				return err
			}
			v.Waits, err = f.awaits(ctx, tx, p)
			return err
		case Verify:
			return f.viewCode(ctx, tx, c, p, &v)
		}
		return nil
	})
	return v, err
}

// judgeView judges a flow as its end would. A flow that waits for a mailed code is judged
// only after another proof: the answer must not tell a stranger of a change.
func (f *Flows) judgeView(ctx context.Context, tx Tx, c Caller, p Pending, d data, v *View) (owner judged, err error) {
	switch {
	case p.Kind == AddressChange && p.Step == Verify:
		_, _, err = f.signedInTo(ctx, tx, c, p)
		v.Proof = errors.Is(err, ProofNeeded)
	case d.Over, d.Identity != nil && v.Kind == SignUp && p.Step != Done && !f.takesIdentity(d): // by the settings, which are no secret
		err = Overtaken
	case p.Step == Verify && p.completes(d):
		_, err = f.waits(ctx, tx, p, d)
	case p.AccountID == "", p.Step == Verify, p.Step == Callback, p.Step == Exchange, p.Step == Codes, p.Step == Done:
	case p.Step == Join:
		owner, err = f.waitsToJoin(ctx, tx, p, d) // an identity waits for any later sign-in, whatever has changed before it
	case p.Step == Protect:
		var bare cleared
		bare, err = f.bare(ctx, tx, p, d)
		owner = bare.judged
	default:
		owner, err = f.waits(ctx, tx, p, d)
	}
	switch {
	case errors.Is(err, Unknown):
		v.Step, v.Overtaken, v.Next = Done, true, f.settings.Targets.Or(v.ReturnTo)
	case errors.Is(err, session.Required), errors.Is(err, ProofNeeded), errors.Is(err, Alarmed):
	default:
		return owner, err
	}
	return owner, nil
}

func (f *Flows) viewCode(ctx context.Context, tx Tx, c Caller, p Pending, v *View) error {
	sent, err := tx.CodesOf(ctx, v.ID)
	if err != nil {
		return err
	}
	if len(sent) == 0 {
		return f.viewHeld(ctx, tx, c, p, v)
	}
	v.SentAt, v.ExpiresAt, v.ResendAt = sent[0].SentAt, sent[0].ExpiresAt, sent[0].SentAt.Add(resendAfter)
	if v.Refused, err = f.refused(ctx, tx, p, v.SentAt); err != nil || v.Refused {
		return err
	}
	left, err := f.limiter.Left(ctx, tx, throttle.Attempt{Limit: codeFlow, Subject: v.ID})
	v.UsedUp = left == 0
	if err != nil || v.State() != "code" {
		return err
	}
	ways, err := f.codeWays(ctx, tx, c, p)
	if err != nil {
		return err
	}
	v.Locked, err = f.guessLock(ctx, tx, ways)
	return err
}

// viewHeld fills in when a flow whose first email was held may send it.
func (f *Flows) viewHeld(ctx context.Context, tx Tx, c Caller, p Pending, v *View) error {
	to, err := f.addresseeOf(ctx, tx, p)
	if err != nil {
		return err
	}
	wait, err := f.mailWait(ctx, tx, c, p.AddressKey, to.owner)
	v.Held, v.ResendAt = held(wait), v.Now.Add(wait)
	return err
}

// LinkView is the state of a mailed link for its screen.
type LinkView struct {
	Kind     Kind
	Address  string        // masked: the visitor who opens the link need not be the owner
	Email    string        // in full; only in the browser that typed it
	FlowID   string        // only in that browser, while it can use the code instead
	Away     bool          // the link works only in the browser that asked for it, which is another one
	Handed   bool          // an operator hands the link over
	Password bool          // the page asks for the password of the sign-up
	Age      time.Duration // the age of the newest email, if its link replaces this one
	Invited  bool          // the link is of an invitation, and without a fault leads to the sign-up
	First    bool          // the link is the one for the first admin
	Fault    *fault.Error

	fresh string // id of the invitation that is opened
}

// ViewLink returns the state of a mailed link without redeeming it. Of an invitation, it keeps
// when it was first opened. An invalid link is not an error: its fault is part of the view.
func (f *Flows) ViewLink(ctx context.Context, c Caller, token string) (LinkView, error) {
	var v LinkView
	err := f.store.Read(ctx, func(tx Tx) error {
		s, err := f.codes.FindLink(ctx, tx, token)
		if err != nil {
			if v.Fault = fault.From(err); ours(v.Fault) {
				return err
			}
		}
		if s.FlowID == "" {
			_, err := f.viewInvitation(ctx, tx, token, &v)
			return err
		}
		p, d, err := f.flowOfLink(ctx, tx, s)
		v.Kind = p.Kind
		if err != nil {
			if v.Fault = fault.From(err); ours(v.Fault) {
				return err
			}
			return nil
		}
		if v.Fault == nil && p.Step == Verify {
			if v.Fault, err = f.linkEnded(ctx, tx, p); err != nil {
				return err
			}
		}
		switch {
		case v.Fault == nil && p.Step != Verify:
			v.Fault = code.LinkUsed
		case v.Fault != nil && errors.Is(v.Fault, code.LinkReplaced):
			if v.Age, err = f.newestMail(ctx, tx, p.ID); err != nil {
				return err
			}
		}
		v.Address, v.Handed = account.Mask(d.Address), d.Handed
		if f.here(c, p) {
			v.Email = d.Address
			if p.Step == Verify {
				v.FlowID = p.ID
			}
		}
		v.Away = f.away(c, p, d)
		v.Password = p.Kind == SignUp && v.Email == "" && d.Password != ""
		return nil
	})
	if err == nil && v.fresh != "" {
		err = f.store.Write(ctx, func(tx Tx) error { return tx.OpenInvitation(ctx, v.fresh, f.clock.Now()) })
	}
	return v, err
}

// ours reports whether the server failed, and not the link. A database failure must
// not make a valid link look broken.
func ours(f *fault.Error) bool { return f.Kind == fault.Internal || f.Kind == fault.Unavailable }

// newestMail returns the age of the newest code of a flow.
func (f *Flows) newestMail(ctx context.Context, tx Tx, flowID string) (time.Duration, error) {
	sent, err := tx.CodesOf(ctx, flowID)
	if err != nil || len(sent) == 0 {
		return 0, err
	}
	return f.clock.Now().Sub(sent[0].SentAt), nil
}

// State returns the name of the state that the screen of the code shows.
func (v View) State() string {
	switch {
	case v.Step == Factor && v.UsedUp:
		return "used_up"
	case v.Step == Factor, v.Step == Confirm:
		return "code"
	case v.Elsewhere:
		return "elsewhere"
	case v.Step != Verify:
		return "done"
	case v.Held != nil:
		return "held"
	case v.Refused:
		return "refused"
	case v.UsedUp:
		return "used_up"
	case !v.Now.Before(v.ExpiresAt):
		return "expired"
	}
	return "code"
}

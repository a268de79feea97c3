package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/password"
	"portico/internal/throttle"
)

// SignInInput is the form of /auth/signin.
type SignInInput struct {
	Email    string
	Password string
	ReturnTo string
	FlowID   string // a provider's identity that waits to be linked
}

// SignIn checks address and password and starts a session. An unknown address
// costs one hash as well and gets the same answer. Who has registered, gives
// the right password and has not proven the address yet is sent to do so.
//
// Faults: the fields, Rejected, account.Disabled (after the right password
// only), throttle.Limited, hashing.busy.
func (f *Flows) SignIn(ctx context.Context, c Caller, in SignInInput) (Result, error) {
	address, bad := account.ParseAddress(in.Email, "email")
	var fields []fault.Field
	if bad != nil {
		fields = append(fields, *bad)
	}
	if in.Password == "" {
		fields = append(fields, fault.Field{Name: "password", Code: password.CodeRequired})
	}
	if len(fields) > 0 {
		return Result{}, fault.InvalidFields(fields...)
	}
	who, err := f.candidate(ctx, address.Key)
	if err != nil {
		return Result{}, err
	}
	tries := signInTries(c, address.Key, f.knownDevice(c, who.account))
	d, err := f.count(ctx, tries[:]...)
	if err != nil {
		return Result{}, err
	}
	ok, rehash, err := f.verify(ctx, who.verifier(), in.Password)
	if err != nil {
		return Result{}, err
	}
	switch {
	case !ok:
		return Result{}, f.refuse(ctx, c, who, address, d.Left)
	case who.account == nil:
		return f.resume(ctx, c, *who.pending, address, in.ReturnTo)
	case who.account.State != account.Active:
		return Result{}, account.Disabled
	}
	fresh := ""
	if rehash {
		if fresh, err = f.passwords.Hash(ctx, in.Password); err != nil {
			return Result{}, err
		}
	}
	return f.admit(ctx, c, *who.account, in, tries, fresh)
}

// candidate is whom an address may be: a person, a registration that waits for
// its proof, or nobody.
type candidate struct {
	account *account.Account
	pending *Pending
	data    data
}

// verifier returns what the password is checked against; "" for nobody costs
// the same and never matches.
func (w candidate) verifier() string {
	if w.account != nil {
		return w.account.Password
	}
	return w.data.Password
}

// verify checks a password against a verifier; without one it costs the same
// and fails.
func (f *Flows) verify(ctx context.Context, verifier, password string) (ok, rehash bool, err error) {
	if verifier == "" {
		return false, false, f.passwords.VerifyNobody(ctx, password)
	}
	return f.passwords.Verify(ctx, verifier, password)
}

func (w candidate) id() string {
	if w.account != nil {
		return w.account.ID
	}
	return ""
}

func (f *Flows) candidate(ctx context.Context, key string) (who candidate, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if who.account, err = f.known(ctx, tx, key); err != nil || who.account != nil {
			return err
		}
		p, ok, err := tx.NewestFlow(ctx, SignUp, Verify, key, f.clock.Now())
		if err != nil || !ok {
			return err
		}
		who.pending = &p
		who.data, err = f.open(p)
		return err
	})
	return who, err
}

// signInTries returns the limits of a sign-in: that of the network, and the
// ladder of the address, or of the address in a browser that its owner used.
func signInTries(c Caller, key string, device string) [2]throttle.Try {
	subject := key
	if device != "" {
		subject += " " + device
	}
	return [2]throttle.Try{{Limit: signInPeer, Subject: c.Peer}, {Limit: passwordLadder, Subject: subject}}
}

// refuse records the wrong password and, when it was the last of those that
// pass without a wait, tells the owner.
func (f *Flows) refuse(ctx context.Context, c Caller, who candidate, address account.Address, left int) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		entry := fact(c, audit.SignInFailed, who.id(), "password")
		entry.Actor = "stranger"
		if left > 0 {
			return f.record.Add(ctx, tx, entry)
		}
		entry.Name = audit.Throttled
		if err := f.record.Add(ctx, tx, entry); err != nil {
			return err
		}
		d, err := f.gate.Take(ctx, tx, throttle.Try{Limit: noticeDay, Subject: address.Key})
		if err != nil {
			return err
		}
		l := letter{template: mailBlocked, to: address.Mail, suppress: !d.Allowed || who.account == nil}
		if who.account != nil {
			l.to, l.accountID = who.account.Address.Mail, who.account.ID
		}
		return f.post(ctx, tx, c, l)
	})
	if err != nil {
		return err
	}
	return Rejected
}

// resume sends who has registered but not proven the address to do so: with a
// fresh flow for this browser and a fresh code.
func (f *Flows) resume(ctx context.Context, c Caller, p Pending, address account.Address, returnTo string) (Result, error) {
	d, err := f.open(p)
	if err != nil {
		return Result{}, err
	}
	if returnTo == "" {
		returnTo = p.ReturnTo
	}
	return f.startProof(ctx, c, SignUp, address, returnTo, d)
}

// admit starts the session of a right password.
func (f *Flows) admit(ctx context.Context, c Caller, a account.Account, in SignInInput, tries [2]throttle.Try, rehashed string) (Result, error) {
	var r Result
	err := f.store.Write(ctx, func(tx Tx) error {
		// Read again: the account may have changed while the hash was checked.
		now, ok, err := tx.AccountByID(ctx, a.ID)
		if err != nil {
			return err
		}
		if !ok || now.Version != a.Version {
			return Rejected
		}
		if err := f.gate.Return(ctx, tx, tries[0]); err != nil {
			return err
		}
		if err := f.gate.Clear(ctx, tx, tries[1]); err != nil {
			return err
		}
		if rehashed != "" {
			if _, err := tx.UpdatePassword(ctx, a.ID, rehashed, false); err != nil {
				return err
			}
		}
		returnTo, err := f.linkPending(ctx, tx, c, in.FlowID, a, in.ReturnTo)
		if err != nil {
			return err
		}
		if err := f.noticeDevice(ctx, tx, c, a); err != nil {
			return err
		}
		r, err = f.enter(ctx, tx, c, a, returnTo, "password")
		return err
	})
	if err != nil {
		return Result{}, err
	}
	f.sessions.Forget(a.ID)
	return r, nil
}

// noticeDevice tells the owner of a sign-in from a browser that the account
// does not know.
func (f *Flows) noticeDevice(ctx context.Context, tx Tx, c Caller, a account.Account) error {
	if f.knownDevice(c, &a) != "" {
		return nil
	}
	d, err := f.gate.Take(ctx, tx, throttle.Try{Limit: deviceDay, Subject: a.Address.Key})
	if err != nil || !d.Allowed {
		return err
	}
	return f.post(ctx, tx, c, letter{template: mailDevice, to: a.Address.Mail, accountID: a.ID})
}

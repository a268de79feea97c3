package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/legacy"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// SignInInput is the input of SignIn.
type SignInInput struct {
	Email         string
	Password      string
	ReturnTo      Target
	FlowID        string // flow with a provider's identity that waits to be joined
	MakesPasskeys bool   // the browser can make a passkey
}

// SignIn checks address and password and starts a session. An unknown address also
// costs one hash and gets the same response. If the address and the password match
// an unproven sign-up of this browser, SignIn sends the browser on to prove the
// address.
//
// Faults: the fields, Rejected, account.Disabled, account.Ended (after the right password
// only), throttle.Limited, hashing.busy.
func (f *Flows) SignIn(ctx context.Context, c Caller, in SignInInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "signin", flowSignIn)
	defer w.end(&r, &err)
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
	who, err := f.candidate(ctx, c, address.Key)
	if err != nil {
		return Result{}, err
	}
	ways := passwordWays(c, address.Key, who.device)
	d, taken, err := f.countAny(ctx, ways)
	if err != nil {
		return Result{}, err
	}
	ok, rehash, err := f.verify(ctx, who.verifier(), in.Password)
	if err != nil {
		return Result{}, err
	}
	vouched := false
	if !ok {
		if vouched, err = f.vouches(ctx, who, in.Password); err != nil {
			return Result{}, err
		}
		rehash = vouched
	}
	if !ok && !vouched {
		return f.afterWrongPassword(ctx, c, who, address, in, d)
	}
	if refusal := who.account.Refusal(f.clock.Now()); refusal != nil {
		return f.turnAway(ctx, c, *who.account, ways[:taken+1], refusal)
	}
	fresh := ""
	if rehash {
		if fresh, err = f.passwords.Hash(ctx, in.Password); err != nil {
			return Result{}, err
		}
	}
	return f.admit(ctx, c, *who.account, in, ways[:taken+1], adoption{fresh, vouched})
}

// candidate is the account of an address, if any, and the sign-up that this
// browser has begun with the address, if any.
type candidate struct {
	account  *account.Account
	device   string           // id of this browser, if the account knows it
	question *legacy.Question // without its password, if the former system is asked about the account
	pending  *Pending
	data     data
}

// verifier returns the stored hash of the password, or "" without an account.
func (w candidate) verifier() string {
	if w.account == nil {
		return ""
	}
	return w.account.Password
}

// verify checks a password against a verifier. Without one it fails at the same
// cost.
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

func (f *Flows) candidate(ctx context.Context, c Caller, key string) (who candidate, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if who.account, err = f.known(ctx, tx, key); err != nil {
			return err
		}
		if who.question, err = f.question(ctx, tx, who.id()); err != nil {
			return err
		}
		if who.device, err = f.knownDevice(ctx, tx, c, who.account); err != nil || !secret.ValidToken(c.BrowserCookie) {
			return err
		}
		p, ok, err := tx.NewestFlow(ctx, SignUp, Verify, key, secret.Hash(c.BrowserCookie), f.clock.Now())
		if err != nil || !ok || p.over(f.clock.Now()) {
			return err
		}
		d, err := f.open(p)
		if err == nil && d.Password != "" {
			who.pending, who.data = &p, d
		}
		return err
	})
	return who, err
}

// refuse records that a password, which was counted before, is wrong. If the next attempt has to wait, it notifies
// the owner.
func (f *Flows) refuse(ctx context.Context, c Caller, who candidate, address account.Address, counted throttle.Decision) (Result, error) {
	err := f.store.Write(ctx, func(tx Tx) error {
		entry := fact(c, audit.SignInFailed, who.id(), "password")
		entry.Actor = actorStranger
		if counted.Left > 0 {
			return f.record.Add(ctx, tx, entry)
		}
		entry.Name = audit.Throttled
		if err := f.record.Add(ctx, tx, entry); err != nil {
			return err
		}
		d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: noticeDay, Subject: address.Key})
		if err != nil {
			return err
		}
		return f.post(ctx, tx, c, email{
			template: mailBlocked, to: address.Mail, owner: who.account,
			lasts: counted.Pause, suppress: !d.Allowed || who.account == nil,
		})
	})
	if err != nil {
		return Result{}, err
	}
	return Result{wrong: wrongPassword}, Rejected
}

// afterWrongPassword answers a password that matches no account. If it matches a
// sign-up that this browser began, a new flow with a new code continues that
// sign-up. An address with an account gets the same response, because signing up
// and then signing in would otherwise reveal which addresses have accounts. Other
// browsers are refused, so that the response time does not reveal the sign-up
// either.
func (f *Flows) afterWrongPassword(ctx context.Context, c Caller, who candidate, address account.Address, in SignInInput, d throttle.Decision) (Result, error) {
	if who.pending == nil {
		return f.refuse(ctx, c, who, address, d)
	}
	ok, _, err := f.passwords.Verify(ctx, who.data.Password, in.Password)
	switch {
	case err != nil:
		return Result{}, err
	case !ok, f.allows(*who.pending, who.data) != nil: // no code is mailed that would then be refused
		return f.refuse(ctx, c, who, address, d)
	}
	returnTo := in.ReturnTo
	if returnTo == (Target{}) {
		returnTo = f.target(*who.pending)
	}
	return f.startProof(ctx, c, SignUp, address, returnTo, who.data)
}

// turnedAway records a right proof of an account that lets nobody in.
func turnedAway(c Caller, accountID, method string, refusal error) audit.Fact {
	return fact(c, audit.SignInRefused, accountID, method+","+fault.From(refusal).Code)
}

// turnAway answers a correct password of an account that lets nobody in. It does not count as a wrong one.
func (f *Flows) turnAway(ctx context.Context, c Caller, a account.Account, ways []way, refusal error) (r Result, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		err := f.forgetPasswords(ctx, tx, ways)
		if err == nil {
			err = f.record.Add(ctx, tx, turnedAway(c, a.ID, "password", refusal))
		}
		if err == nil && errors.Is(refusal, account.Waits) {
			r, err = f.sayWaits(ctx, tx, c, a)
		}
		return err
	})
	if err == nil && r.FlowID == "" {
		err = refusal
	}
	return r, err
}

// admit starts the session after a correct password, which was counted in the last of the
// ways.
func (f *Flows) admit(ctx context.Context, c Caller, a account.Account, in SignInInput, ways []way, fresh adoption) (Result, error) {
	var r Result
	err := f.store.Write(ctx, func(tx Tx) error {
		// Read again, because the account may have changed during the hash. A claim takes the password and keeps the version.
		version := a.Version
		a, err := f.opens(ctx, tx, a.ID)
		switch {
		case errors.Is(err, account.Missing), errors.Is(err, account.Disabled), err == nil && (a.Version != version || a.Password == "" && !fresh.vouched):
			return Rejected
		case err != nil:
			return err
		}
		if err := f.learnLocale(ctx, tx, c, &a.Account); err != nil {
			return err
		}
		if err := f.forgetPasswords(ctx, tx, ways); err != nil {
			return err
		}
		if err := f.storeRehashed(ctx, tx, c, a, fresh); err != nil {
			return err
		}
		e := f.entryBy(a, in.ReturnTo, "password")
		e.joinFlow, e.announce, e.makesPasskeys = in.FlowID, true, in.MakesPasskeys
		r, err = f.admitted(ctx, tx, c, e)
		return err
	})
	return f.settled(r, a.ID, err)
}

// adoption is a hash of the typed password that the account gets.
type adoption struct {
	hash    string // "" for none
	vouched bool   // by the former system, or else it is the same password under a hash of the current cost
}

// storeRehashed stores the hash. One that the former system has vouched for is the first of the account.
func (f *Flows) storeRehashed(ctx context.Context, tx Tx, c Caller, a judged, fresh adoption) error {
	if fresh.hash == "" {
		return nil
	}
	if fresh.vouched {
		if err := f.adopts(ctx, tx, c, a); err != nil {
			return err
		}
	}
	return tx.RehashPassword(ctx, a.ID, fresh.hash)
}

// noticeDevice notifies the owner of a sign-in with a browser that the account does
// not know.
func (f *core) noticeDevice(ctx context.Context, tx Tx, c Caller, a account.Account) error {
	if device, err := f.knownDevice(ctx, tx, c, &a); err != nil || device != "" {
		return err
	}
	d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: deviceDay, Subject: a.Address.Key})
	if err != nil || !d.Allowed {
		return err
	}
	return f.post(ctx, tx, c, email{template: mailDevice, owner: &a})
}

package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// SignUpInput is the form of /auth/signup.
type SignUpInput struct {
	Name     string
	Email    string
	Password string
	Confirm  string
	ReturnTo Target
}

// NameRule says whether the form asks for a name.
type NameRule string

const (
	NameOff      NameRule = "off" // a name that is sent anyway is not kept
	NameOptional NameRule = "optional"
	NameRequired NameRule = "required"
)

// SignUp begins a registration: it hashes the password, keeps it with the
// flow and mails a code. No account is made. A known address takes the same
// steps; its mailbox is told that it has an account.
//
// Faults: the fields, SignUpClosed, throttle.Limited, hashing.busy.
func (f *Flows) SignUp(ctx context.Context, c Caller, in SignUpInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "signup", SignUp)
	defer w.end(&r, &err)
	if !f.signUp {
		return Result{}, SignUpClosed
	}
	name, address, err := f.checkSignUp(ctx, in)
	if err != nil {
		return Result{}, err
	}
	if _, err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	hash, err := f.passwords.Hash(ctx, in.Password)
	if err != nil {
		return Result{}, err
	}
	return f.startProof(ctx, c, SignUp, address, in.ReturnTo, data{Name: name, Address: address.Mail, Password: hash})
}

func (f *Flows) checkSignUp(ctx context.Context, in SignUpInput) (name string, address account.Address, err error) {
	var fields []fault.Field
	name, bad := f.checkName(in.Name)
	if bad != nil {
		fields = append(fields, *bad)
	}
	address, bad = account.ParseAddress(in.Email, "email")
	if bad != nil {
		fields = append(fields, *bad)
	}
	more, err := f.checkPassword(ctx, in.Password, in.Confirm, address.Mail)
	if err != nil {
		return "", account.Address{}, err
	}
	if fields = append(fields, more...); len(fields) > 0 {
		return "", account.Address{}, fault.InvalidFields(fields...)
	}
	return name, address, nil
}

// checkName judges the name of the form by the operator's rule.
func (f *Flows) checkName(typed string) (string, *fault.Field) {
	if f.names != NameOptional && f.names != NameRequired {
		return "", nil
	}
	name, bad := account.ParseName(typed, "name")
	if bad == nil && name == "" && f.names == NameRequired {
		bad = &fault.Field{Name: "name", Code: account.CodeNameRequired}
	}
	return name, bad
}

// checkPassword judges a new password and its repetition.
func (f *Flows) checkPassword(ctx context.Context, chosen, confirm, address string) ([]fault.Field, error) {
	fields, err := f.passwords.Check(ctx, chosen, address)
	if err != nil {
		return nil, err
	}
	return append(fields, password.Confirm(chosen, confirm)...), nil
}

// startProof begins a flow that waits for a mailed code and sends the first,
// or leaves that to Resend while the mailbox gets no more mail. With a fault,
// Result still has the cookie that binds the browser: the step may have been
// committed, and then its mail is on its way.
func (f *Flows) startProof(ctx context.Context, c Caller, kind Kind, address account.Address, returnTo Target, d data) (Result, error) {
	value, fresh := browser(c)
	c.Browser = value
	var r Result
	err := f.store.Write(ctx, func(tx Tx) error {
		known, err := f.known(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		r, err = f.awaitProof(ctx, tx, c, kind, address, known, returnTo, d)
		return err
	})
	r.Browser = fresh
	return r, err
}

// awaitProof is startProof in the transaction of its caller.
func (f *Flows) awaitProof(ctx context.Context, tx Tx, c Caller, kind Kind, address account.Address, known *account.Account, returnTo Target, d data) (Result, error) {
	p := Pending{Kind: kind, Step: Verify, AddressKey: address.Key, ReturnTo: returnTo.String()}
	if known != nil {
		p.AccountID, p.Version = known.ID, known.Version
	}
	// The mail is counted first: of two forms that are sent at once the second
	// waits here, and then finds the flow of the first.
	held, err := f.countMail(ctx, tx, c, p.AddressKey, known)
	if err != nil {
		return Result{}, err
	}
	if p, err = f.renewOrBegin(ctx, tx, c, p, d); err != nil {
		return Result{}, err
	}
	if held == nil {
		err = f.mailProof(ctx, tx, c, p, address.Mail, known)
	} else {
		err = f.record.Add(ctx, tx, fact(c, audit.MailHeld, p.AccountID, string(p.Kind)))
	}
	return Result{Next: pages.Flow(pages.VerifyCode, p.ID), FlowID: p.ID, Held: held}, err
}

// renewOrBegin goes on with the flow that this browser has begun for the same
// purpose, so that the form may be sent twice: the codes of both mails hold,
// guesses are counted together, and the newest input counts. A flow without
// guesses is left alone, and so is one that began with another account.
func (f *Flows) renewOrBegin(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Pending, error) {
	now := f.clock.Now()
	old, ok, err := tx.NewestFlow(ctx, p.Kind, Verify, p.AddressKey, secret.Hash(c.Browser), now)
	if err != nil {
		return Pending{}, err
	}
	if ok && !old.over(now) && old.AccountID == p.AccountID && old.Version == p.Version {
		left, err := f.gate.Left(ctx, tx, throttle.Try{Limit: codeFlow, Subject: old.ID})
		if err != nil {
			return Pending{}, err
		}
		if left > 0 {
			old.ReturnTo = p.ReturnTo
			if renewed, err := f.renew(ctx, tx, old, d); err != nil || renewed {
				return old, err
			}
		}
	}
	return f.begin(ctx, tx, p, d, c.Browser)
}

func (f *Flows) known(ctx context.Context, tx account.Store, key string) (*account.Account, error) {
	a, ok, err := tx.AccountByKey(ctx, key)
	if err != nil || !ok {
		return nil, err
	}
	return &a, nil
}

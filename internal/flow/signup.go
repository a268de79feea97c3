package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/password"
	"portico/internal/throttle"
)

// SignUpInput is the form of /auth/signup.
type SignUpInput struct {
	Email    string
	Password string
	Confirm  string
	ReturnTo string
}

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
	address, err := f.checkSignUp(ctx, in)
	if err != nil {
		return Result{}, err
	}
	if _, err := f.count(ctx, throttle.Try{Limit: mailPeer, Subject: c.Peer}); err != nil {
		return Result{}, err
	}
	hash, err := f.passwords.Hash(ctx, in.Password)
	if err != nil {
		return Result{}, err
	}
	return f.startProof(ctx, c, SignUp, address, in.ReturnTo, data{Address: address.Mail, Password: hash})
}

func (f *Flows) checkSignUp(ctx context.Context, in SignUpInput) (account.Address, error) {
	var fields []fault.Field
	address, bad := account.ParseAddress(in.Email, "email")
	if bad != nil {
		fields = append(fields, *bad)
	}
	more, err := f.checkPassword(ctx, in.Password, in.Confirm, address.Mail)
	if err != nil {
		return account.Address{}, err
	}
	if fields = append(fields, more...); len(fields) > 0 {
		return account.Address{}, fault.InvalidFields(fields...)
	}
	return address, nil
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
// or leaves that to Resend while the mailbox gets no more mail.
func (f *Flows) startProof(ctx context.Context, c Caller, kind Kind, address account.Address, returnTo string, d data) (Result, error) {
	value, fresh := browser(c)
	var p Pending
	var held *fault.Error
	err := f.store.Write(ctx, func(tx Tx) error {
		known, err := f.known(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		p = Pending{Kind: kind, Step: Verify, AddressKey: address.Key, ReturnTo: f.targets.Clean(returnTo)}
		if known != nil {
			p.AccountID, p.Version = known.ID, known.Version
		}
		if p, err = f.begin(ctx, tx, p, d, value); err != nil {
			return err
		}
		held, err = f.firstProof(ctx, tx, c, p, address.Mail, known)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return Result{Next: "/auth/verify-code?flow=" + p.ID, FlowID: p.ID, Browser: fresh, Held: held}, nil
}

// firstProof is proof for a flow that goes on without its mail.
func (f *Flows) firstProof(ctx context.Context, tx Tx, c Caller, p Pending, to string, known *account.Account) (held *fault.Error, err error) {
	if held, err = f.proof(ctx, tx, c, p, to, known); err != nil || held == nil {
		return nil, err
	}
	return held, f.record.Add(ctx, tx, fact(c, audit.MailHeld, p.AccountID, string(p.Kind)))
}

func (f *Flows) known(ctx context.Context, tx account.Store, key string) (*account.Account, error) {
	a, ok, err := tx.AccountByKey(ctx, key)
	if err != nil || !ok {
		return nil, err
	}
	return &a, nil
}

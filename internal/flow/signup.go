package flow

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/invitation"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// SignUpInput is the input of SignUp.
type SignUpInput struct {
	Name     string
	Email    string
	Password string
	Confirm  string
	Terms    string // version of the terms that the form accepts
	Passkey  bool   // in place of a password
	ReturnTo Target

	Invitation string // the token of its link, "" without one
}

// SignUpMode says who may sign up.
type SignUpMode string

const (
	ModeOpen     SignUpMode = "open"     // every visitor who proves an email address
	ModeInvited  SignUpMode = "invited"  // who has an invitation
	ModeApproved SignUpMode = "approved" // everybody, but an account waits for an admin unless it was invited
	ModeClosed   SignUpMode = "closed"   // no visitor: the operator creates the accounts
)

// mayRegister is the gate of registration for an address that is proven. It returns the invitation
// that the account uses, if any. link is the id of the one whose link was opened, or "". The first admin may
// register whatever the settings say.
//
// Faults: Bars.
func (f *core) mayRegister(ctx context.Context, tx Tx, proven, link string) (*invitation.Invitation, error) {
	i, err := f.invitationFor(ctx, tx, link, proven)
	if err == nil {
		err = f.gate(i, proven, link)
	}
	if err != nil {
		return nil, err
	}
	return i, nil
}

// gate is mayRegister with an invitation, or without one. Before the proof, barred picks another email by
// what depends on the mailbox.
func (f *core) gate(i *invitation.Invitation, proven, link string) error {
	switch {
	case i != nil && i.First():
	case !f.registersAny():
		return SignUpClosed
	case !f.admitsDomain(proven):
		return SignUpDomain
	case i == nil && (link != "" || f.settings.SignUp == ModeInvited):
		return f.uninvited()
	}
	return nil
}

// registersAny reports whether any visitor may register.
func (f *core) registersAny() bool {
	return f.settings.SignUp == ModeOpen || f.settings.SignUp == ModeInvited || f.settings.SignUp == ModeApproved
}

// barred returns the template of the email to an address that may not register, or "". It costs
// the same for all addresses, so it leaves the sender of an invitation to the end of the sign-up. What
// says nothing of the address is an error: SignUpClosed, InvitationOver.
func (f *core) barred(ctx context.Context, tx Tx, p Pending, d data) (template string, err error) {
	switch {
	case p.Kind == SignUp:
		var i *invitation.Invitation
		if i, err = f.invitationRow(ctx, tx, d.Invitation, p.AddressKey); err == nil {
			err = f.gate(i, p.AddressKey, d.Invitation)
		}
	case p.Kind == AddressChange && !d.Recovery && !f.admitsDomain(p.AddressKey):
		err = SignUpDomain
	}
	switch {
	case errors.Is(err, SignUpDomain):
		return mailOutside, nil
	case errors.Is(err, SignUpUninvited):
		return mailUninvited, nil
	}
	return "", err
}

// admitsDomain reports whether an account may have the address with this key as its primary one.
// An operator may give it any.
func (f *core) admitsDomain(key string) bool {
	_, domain, _ := strings.Cut(key, "@")
	return len(f.settings.Domains) == 0 || slices.Contains(f.settings.Domains, domain)
}

// NameRule is whether the form asks for a name.
type NameRule string

const (
	NameOff      NameRule = "off" // a name that is sent anyway is not stored
	NameOptional NameRule = "optional"
	NameRequired NameRule = "required"
)

// SignUp begins a sign-up: it hashes the password, stores the hash with the flow
// and mails a code. The account is made after the address is proven; only the link of an
// invitation of one address has proven it, and makes the account at once. An address with an
// account takes the same steps, and its mailbox learns that it has an account. The owner of a
// passkey makes it after the address is proven.
//
// Faults: the fields, TermsChanged, SignUpClosed, throttle.Limited, hashing.busy,
// passkey.Off. With an invitation also those of uninvited, SignUpDomain, SignUpTaken.
func (f *Flows) SignUp(ctx context.Context, c Caller, in SignUpInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "signup", SignUp)
	defer w.end(&r, &err)
	invited, err := f.openedID(ctx, in.Invitation)
	if closed := f.allows(Pending{Kind: SignUp}, data{}); closed != nil && !invited.First() {
		err = closed
	}
	if err == nil && invited.ID != "" && invited.Key == "" { // before a code is mailed that would be refused
		invited, err = read(ctx, f.store, func(tx Tx) (invitation.Invitation, error) { return f.invitationAt(ctx, tx, invited.ID) })
	}
	if err != nil {
		return Result{}, err
	}
	if in.Passkey && f.passkeys == nil {
		return Result{}, passkey.Off
	}
	if invited.Mail != "" {
		in.Email = invited.Mail
	}
	name, address, err := f.checkSignUp(ctx, in)
	if err != nil {
		return Result{}, err
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	d := data{Name: name, Address: address.Mail, Passkey: in.Passkey, Terms: f.acceptedNow(), Invitation: invited.ID}
	if !in.Passkey {
		if d.Password, err = f.passwords.Hash(ctx, in.Password); err != nil {
			return Result{}, err
		}
	}
	if invited.Key != "" {
		return f.signUpInvited(ctx, c, address, in.ReturnTo, d)
	}
	return f.startProof(ctx, c, SignUp, address, in.ReturnTo, d)
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
	if !in.Passkey {
		more, err := f.checkPassword(ctx, in.Password, in.Confirm, address.Mail)
		if err != nil {
			return "", account.Address{}, err
		}
		fields = append(fields, more...)
	}
	if bad, err := f.checkTerms(in.Terms); err != nil {
		return "", account.Address{}, err
	} else if bad != nil {
		fields = append(fields, *bad)
	}
	if len(fields) > 0 {
		return "", account.Address{}, fault.InvalidFields(fields...)
	}
	return name, address, nil
}

// checkName checks the name of the form against the operator's setting.
func (f *Flows) checkName(typed string) (string, *fault.Field) {
	if f.settings.Names != NameOptional && f.settings.Names != NameRequired {
		return "", nil
	}
	return f.parseName(typed)
}

// parseName parses a name, which must not be empty where names are required.
func (f *core) parseName(typed string) (string, *fault.Field) {
	name, bad := account.ParseName(typed)
	if bad == nil && name == "" && f.settings.Names == NameRequired {
		bad = &fault.Field{Name: "name", Code: account.CodeNameRequired}
	}
	return name, bad
}

// checkPassword checks a new password and its repetition.
func (f *core) checkPassword(ctx context.Context, chosen, confirm, address string) ([]fault.Field, error) {
	fields, err := f.passwords.Check(ctx, chosen, address)
	if err != nil {
		return nil, err
	}
	return append(fields, password.Confirm(chosen, confirm)...), nil
}

// choice is a new password of an account.
type choice struct {
	of              string // for countChoice; "" for an operator, whom no limit counts
	former          string // the hash of the former password; "" without one
	chosen, confirm string
	address         string
}

// newHash checks, counts and hashes a new password. It must differ from the former one.
//
// Faults: the fields, throttle.Limited, hashing.busy.
func (f *core) newHash(ctx context.Context, c choice) (string, error) {
	fields, err := f.checkPassword(ctx, c.chosen, c.confirm, c.address)
	if err == nil && len(fields) == 0 && c.of != "" {
		err = f.countChoice(ctx, c.of)
	}
	if err == nil && len(fields) == 0 && c.former != "" {
		var same bool
		if same, _, err = f.passwords.Verify(ctx, c.former, c.chosen); same {
			fields = append(fields, fault.Field{Name: "password", Code: password.CodeSame})
		}
	}
	switch {
	case err != nil:
		return "", err
	case len(fields) > 0:
		return "", fault.InvalidFields(fields...)
	}
	return f.passwords.Hash(ctx, c.chosen)
}

// startProof begins a flow that waits for a mailed code, and mails the first code.
// While the mailbox gets no more emails, it leaves that to Resend. With a fault,
// Result still has the browser cookie: the step may have been committed, and then
// its email is on its way.
func (f *Flows) startProof(ctx context.Context, c Caller, kind Kind, address account.Address, returnTo Target, d data) (Result, error) {
	value, fresh := browser(c)
	c.BrowserCookie = value
	var r Result
	err := f.store.Write(ctx, func(tx Tx) error {
		to, err := f.addressed(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		r, err = f.awaitProof(ctx, tx, c, Pending{Kind: kind, ReturnTo: returnTo.String()}, address, to, d)
		return err
	})
	r.BrowserCookie = fresh
	return r, err
}

// awaitProof is startProof in the transaction of its caller, for a flow with its
// kind and return target. The flow of a change of the address has its account, and so has one with
// earlier proofs, which are good for no other account and no other version.
//
// Faults: Overtaken.
func (f *core) awaitProof(ctx context.Context, tx Tx, c Caller, p Pending, address account.Address, to addressee, d data) (Result, error) {
	p.Step, p.AddressKey = Verify, address.Key
	known := to.known(p.Kind)
	switch {
	case p.Kind == AddressChange:
	case p.completes(d):
		if known == nil || known.ID != p.AccountID || p.Kind.versionOf(*known) != p.Version {
			return Result{}, Overtaken
		}
	case known != nil:
		p.AccountID, p.Version = known.ID, p.Kind.versionOf(*known)
	}
	// Count the email first. Of two concurrent forms, the second waits here for
	// the lock of the count, and then finds the flow of the first.
	held, err := f.countMail(ctx, tx, c, p.AddressKey, to.owner)
	if err != nil {
		return Result{}, err
	}
	if p, err = f.renewOrBegin(ctx, tx, c, p, d); err != nil {
		return Result{}, err
	}
	if held == nil {
		err = f.mailProof(ctx, tx, c, p, d, to)
	} else {
		err = f.record.Add(ctx, tx, fact(c, audit.MailHeld, p.AccountID, string(p.Kind)))
	}
	return Result{Next: pages.Flow(pages.VerifyCode, p.ID), FlowID: p.ID, Held: held}, err
}

// renewOrBegin continues the flow that this browser has begun for the same
// purpose: a form may be sent twice. The codes of both emails are valid,
// their guesses count together, and the newest input counts. It begins a new flow
// if the old one has no guesses left. If the account has changed, the row stays and the
// former codes end: the id then reveals nothing.
func (f *core) renewOrBegin(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Pending, error) {
	now := f.clock.Now()
	old, ok, err := tx.NewestFlow(ctx, p.Kind, Verify, p.AddressKey, secret.Hash(c.BrowserCookie), now)
	if err != nil {
		return Pending{}, err
	}
	if ok && !old.over(now) {
		left, err := f.limiter.Left(ctx, tx, throttle.Attempt{Limit: codeFlow, Subject: old.ID})
		if err != nil {
			return Pending{}, err
		}
		if left > 0 {
			if old, err = f.follow(ctx, tx, old, p.AccountID, p.Version); err != nil {
				return Pending{}, err
			}
			old.ReturnTo = p.ReturnTo
			if renewed, err := f.renew(ctx, tx, old, d); err != nil || renewed {
				return old, err
			}
		}
	}
	return f.begin(ctx, tx, p, d, c.BrowserCookie)
}

// follow returns a flow with the account that its address has now. If that is another one, or has changed, the codes end
// that were mailed before.
func (f *core) follow(ctx context.Context, tx Tx, p Pending, accountID string, version int64) (Pending, error) {
	if p.AccountID == accountID && p.Version == version {
		return p, nil
	}
	p.AccountID, p.Version = accountID, version
	return p, tx.EndCodes(ctx, p.ID, f.clock.Now())
}

func (f *core) known(ctx context.Context, tx account.Store, key string) (*account.Account, error) {
	a, ok, err := tx.AccountByKey(ctx, key)
	if err != nil || !ok {
		return nil, err
	}
	return &a, nil
}

package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/signupask"
	"portico/internal/throttle"
)

// register makes the account of a proven address and signs its owner in. If the
// sign-up has no credentials of the owner, the owner chooses a password first.
// Proven is the time of the owner's newest proof, zero if a provider does not
// report it.
func (f *Flows) register(ctx context.Context, tx Tx, c Caller, p Pending, d data, proven time.Time) (Result, error) {
	if d.Identity != nil && !f.takesIdentity(d) {
		return Result{}, Overtaken
	}
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	invited, err := f.mayRegister(ctx, tx, address.Key, d.Invitation)
	if err != nil {
		return Result{}, err
	}
	name := d.Name
	if d.Identity != nil {
		name = d.Identity.Name
	}
	// Use the locale of the browser that proves the mailbox: a stranger may have
	// sent the form.
	a, err := f.create(ctx, tx, account.New{Address: address, Name: name, Password: d.Password, Locale: c.Locale, Terms: d.Terms}, invited)
	if err != nil {
		return Result{}, err
	}
	method := "mail"
	if d.Identity != nil {
		method = byProvider + d.Identity.Provider
	}
	asked := unasked{signupask.Question{Address: address.Mail, Name: name, Method: method, Language: c.Locale}, address.Key}
	if err := f.asksApp(ctx, tx, c, asked, a.ID, invited); err != nil {
		return Result{}, err
	}
	if err := tx.OwnFlow(ctx, p.ID, a.ID); err != nil {
		return Result{}, err
	}
	if d.Identity != nil {
		if a.Roles, err = f.attach(ctx, tx, c, made(a), *d.Identity, false); err != nil {
			return Result{}, err
		}
	}
	if err := f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: passwordLadder, Subject: address.Key}); err != nil {
		return Result{}, err
	}
	if err := f.record.Add(ctx, tx, fact(c, audit.SignedUp, a.ID, method)); err != nil {
		return Result{}, err
	}
	if a.Terms.Version != "" {
		if err := f.record.Add(ctx, tx, fact(c, audit.TermsAccepted, a.ID, a.Terms.Version)); err != nil {
			return Result{}, err
		}
	}
	var r Result
	if a.State == account.Waiting {
		return f.awaitApproval(ctx, tx, c, a, method)
	}
	if d.Password == "" && d.Identity == nil {
		r, err = f.chooseWayIn(ctx, tx, c, a, p.ReturnTo, d.Passkey)
	} else {
		r, err = f.admitted(ctx, tx, c, entry{account: made(a).judged, returnTo: f.target(p), methods: []string{method}, at: proven, strongAt: f.strongAt(d)})
	}
	r.registered = method
	return r, err
}

// chooseWayIn continues as a recovery does after the mailbox was proven. The owner
// makes a passkey first, or chooses a password.
func (f *Flows) chooseWayIn(ctx context.Context, tx Tx, c Caller, a account.Account, returnTo string, byPasskey bool) (Result, error) {
	p, err := f.begin(ctx, tx, Pending{
		Kind: Recovery, Step: Reset, AccountID: a.ID, Version: Recovery.versionOf(a), AddressKey: a.Address.Key, ReturnTo: returnTo,
	}, data{Address: a.Address.Mail, New: true, Passkey: byPasskey}, c.BrowserCookie)
	return Result{Next: f.pageOfReset(p, data{Passkey: byPasskey}), FlowID: p.ID}, err
}

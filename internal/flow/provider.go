package flow

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/ids"
	"portico/internal/invitation"
	"portico/internal/legible"
)

// ProviderInput is the form of a provider's button.
type ProviderInput struct {
	ProviderID string
	ReturnTo   Target
	JoinFlow   string // flow with another provider's identity that waits to be joined
	Again      bool   // the page asks the signed-in user for a new proof
	Invitation string // token of the link that the page was opened with
}

// StartProvider begins a sign-in with an external provider and returns the
// address of the provider's page.
//
// Faults: provider.unknown, .unavailable, .rejected, .no_proof; throttle.Limited.
func (f *Flows) StartProvider(ctx context.Context, c Caller, in ProviderInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "start-provider", Provider)
	defer w.end(&r, &err)
	if err := f.count(ctx, fromNetwork(providerPeer, c)...); err != nil {
		return Result{}, err
	}
	invited, err := f.openedID(ctx, in.Invitation)
	if err != nil {
		return Result{}, err
	}
	begin := f.providers.Begin
	if in.Again {
		begin = f.providers.BeginAgain
	}
	id := ids.New()
	begun, err := begin(ctx, in.ProviderID, id)
	if err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	err = f.store.Write(ctx, func(tx Tx) error {
		_, err := f.begin(ctx, tx,
			Pending{ID: id, Kind: Provider, Step: Callback, ReturnTo: in.ReturnTo.String()},
			data{ProviderID: in.ProviderID, Attempt: begun.Pending, JoinFlow: in.JoinFlow, Again: in.Again, Invitation: invited.ID}, value)
		return err
	})
	return Result{Next: begun.URL, FlowID: id, BrowserCookie: fresh}, err
}

// Detour is the rest of an attempt that ended without a sign-in. The sign-in page
// continues with it.
type Detour struct {
	Attempt  string // its flow; "" if this browser did not begin it
	ReturnTo Target
	JoinFlow string
	Again    bool
	Connect  bool // the attempt was to connect the provider with an account
}

// FinishProvider handles the provider's response. It signs in to the account that
// has the identity, makes a new account, or asks for a sign-in to the account that
// has the address. It advances the flow before it asks the provider, so a response
// works once. The Detour accompanies a fault.
//
// Faults: Unknown, Moved; provider.cancelled, .rejected, .unavailable,
// .no_address, .address_taken, .no_proof; account.Disabled; SignUpClosed,
// SignUpDomain.
func (f *Flows) FinishProvider(ctx context.Context, c Caller, providerID string, answer url.Values) (r Result, rest Detour, err error) {
	ctx, w := f.watch(ctx, "finish-provider", Provider)
	defer w.end(&r, &err)
	p, d, err := f.takeCallback(ctx, c, providerID, answer.Get("state"))
	if err != nil {
		return Result{}, Detour{ReturnTo: f.target(p), Connect: d.Session != ""}, err
	}
	rest = Detour{p.ID, f.target(p), d.JoinFlow, d.Again, d.Session != ""}
	asked := f.clock.Now()
	who, err := f.providers.Finish(ctx, providerID, d.Attempt, answer)
	if err != nil {
		return Result{}, rest, f.refuseProvider(ctx, c, p, providerID, err)
	}
	said := identityOf(who, asked)
	if rest.Connect {
		if r, err = f.connect(ctx, c, p, d, said); err != nil {
			return Result{}, rest, f.refuseProvider(ctx, c, p, providerID, err)
		}
		return r, Detour{}, nil
	}
	var owner string
	var unproven error // returned after the commit, because the row of learnTime must stay
	err = f.making(ctx, c, func(tx Tx, c Caller) error {
		unproven = nil // this may be a retry
		linked, ok, err := tx.IdentityBySubject(ctx, who.Issuer, who.Subject)
		if err != nil {
			return err
		}
		if !ok {
			r, err = f.arriving(ctx, tx, c, p, d.Invitation, who, said)
			return err
		}
		if err := learnTime(ctx, tx, linked, d.Again, who); err != nil {
			return err
		}
		owner = linked.AccountID
		r, err = f.returning(ctx, tx, c, p, d, linked, who, said)
		if errors.Is(err, noProof) {
			unproven, err = err, nil
		}
		return err
	})
	if err = cmp.Or(err, unproven); err != nil {
		return Result{}, rest, f.refuseProvider(ctx, c, p, providerID, err)
	}
	r, err = f.settled(r, owner, nil)
	return r, Detour{}, err
}

// refuseProvider records a response without a sign-in, and returns its error. The flow keeps the words of an app for
// the page that follows.
func (f *Flows) refuseProvider(ctx context.Context, c Caller, p Pending, providerID string, cause error) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		if errors.Is(cause, SignUpSaid) {
			if _, err := f.renew(ctx, tx, p, data{Said: fault.From(cause).Params["text"]}); err != nil {
				return err
			}
		}
		return f.record.Add(ctx, tx, fact(c, audit.ProviderRefused, "", providerID+" "+fault.From(cause).Code))
	})
	return errors.Join(cause, err)
}

func (f *Flows) takeCallback(ctx context.Context, c Caller, providerID, flowID string) (p Pending, d data, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		if p, d, err = f.at(ctx, tx, c, flowID, Callback); err != nil {
			return err
		}
		if d.ProviderID != providerID {
			return Unknown // mix-up: response of another provider (RFC 9700 4.4)
		}
		err = f.advance(ctx, tx, p, Exchange)
		p.Step = Exchange
		return err
	})
	return p, d, err
}

// returning signs in to the account that has the identity. If a required new proof
// is missing, it changes nothing, because the current session may be better.
func (f *Flows) returning(ctx context.Context, tx Tx, c Caller, p Pending, d data, linked account.Identity, who federation.Identity, said *identity) (Result, error) {
	a, err := f.opens(ctx, tx, linked.AccountID)
	switch {
	case errors.Is(err, account.Missing):
		return Result{}, account.Disabled
	case err != nil:
		return Result{}, err
	case d.Again && !who.ProvenAgain:
		return Result{}, noProof.WithParams(f.named(who.Provider))
	}
	// Read again: it may have been disconnected while this waited for the account.
	if still, _, err := tx.IdentityBySubject(ctx, who.Issuer, who.Subject); err != nil || still.AccountID != a.ID {
		return Result{}, cmp.Or[error](err, Moved)
	}
	if err := f.learnLocale(ctx, tx, c, &a.Account); err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	return f.admitted(ctx, tx, c, entry{
		account: a, returnTo: f.target(p), methods: []string{byProvider + who.Provider}, at: who.SignedInAt,
		strongAt: who.StrongAt, joinFlow: d.JoinFlow, announce: true, through: said,
	})
}

// arriving handles an identity that no account has. It never joins the identity to
// an account by the address alone: the owner signs in to the account first.
//
// The link of an invitation has proven its address, which the account gets in place of the one
// that the provider tells.
func (f *Flows) arriving(ctx context.Context, tx Tx, c Caller, p Pending, link string, who federation.Identity, said *identity) (Result, error) {
	address, bad := account.ParseAddress(who.Email, "email")
	if bad != nil || legible.Check(who.Email) != nil { // a program wrote it, so it is not cleaned
		return Result{}, fault.New(fault.Invalid, CodeProviderNoAddress).WithParams(f.named(who.Provider))
	}
	waiting := data{
		Address: address.Mail, Identity: said, StrongAt: who.StrongAt, Vouched: who.EmailVerified, Invitation: link,
	}
	var invited invitation.Invitation
	if link != "" {
		var err error
		if invited, err = f.invitationAt(ctx, tx, link); err != nil {
			return Result{}, err
		}
		switch {
		case invited.First(): // the operator vouches for what the provider tells, as for what is typed
			who.EmailVerified, waiting.Vouched = true, false
		case invited.Key != "":
			address, who.EmailVerified = account.Address{Mail: invited.Mail, Key: invited.Key}, true
			waiting.Address, waiting.Vouched = address.Mail, false
		}
	}
	to, err := f.addressed(ctx, tx, address.Key)
	if err != nil {
		return Result{}, err
	}
	if known := to.known(SignUp); known != nil && who.EmailVerified {
		return f.askLink(ctx, tx, c, p, *known, waiting)
	}
	if err := f.allows(Pending{Kind: SignUp}, data{}); err != nil && !invited.First() {
		return Result{}, err
	}
	if who.EmailVerified {
		if _, err := f.mayRegister(ctx, tx, address.Key, link); err != nil {
			return Result{}, err
		}
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	if !who.EmailVerified {
		// The provider does not vouch for the address, so the mailbox must prove
		// it. That holds with an account too, of which only the mailbox learns.
		return f.awaitProof(ctx, tx, c, Pending{Kind: SignUp, ReturnTo: f.target(p).String()}, address, to, waiting)
	}
	return f.admitProven(ctx, tx, c, Pending{AddressKey: address.Key, ReturnTo: p.ReturnTo}, waiting, who.SignedInAt)
}

// hasProvider reports whether the settings have a provider.
func (f *core) hasProvider(id string) bool {
	return slices.ContainsFunc(f.providers.List(), func(p federation.Provider) bool { return p.ID == id })
}

// named returns the params of a fault that names a provider.
func (f *core) named(id string) map[string]string {
	for _, p := range f.providers.List() {
		if p.ID == id {
			return map[string]string{"provider": p.Name}
		}
	}
	return map[string]string{"provider": id}
}

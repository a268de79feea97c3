package flow

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Kind is the kind of a pending flow.
//
// To add a kind, change follows and life below, watched in watch.go, the enum of
// form.Flow, the map in doc.go and the table in docs/architecture.md.
// TestKinds_AreComplete holds the code.
type Kind string

const (
	SignUp        Kind = "signup"
	Recovery      Kind = "recovery"
	ByCode        Kind = "code" // a sign-in by an emailed code
	Provider      Kind = "provider"
	SecondFactor  Kind = "mfa"     // the rest of a sign-in to an account that has a second factor
	Acceptance    Kind = "terms"   // the rest of a sign-in or a sign-up, before the terms are accepted
	Return        Kind = "return"  // the rest of a sign-in to an account that its owner has closed
	AddressChange Kind = "address" // gives the account of the signed-in user another address
	Enrolment     Kind = "enrol"   // adds a second factor, or makes recovery codes
	Protection    Kind = "protect" // the rest of a sign-in to an account that needs a second factor and has none
)

// Step is the step that a pending flow waits for.
//
// To add a step, change follows below, View in view.go and the map in doc.go. The
// recipe in CONTRIBUTING.md names the pages. TestSteps_Property walks the steps.
type Step string

const (
	Verify   Step = "verify"   // a mailed code or link
	Reset    Step = "reset"    // a new password
	Callback Step = "callback" // the browser's return from the provider
	Exchange Step = "exchange" // the provider's response to our request
	Join     Step = "join"     // a sign-in to the account that has the address
	Factor   Step = "mfa"      // a second factor
	Accept   Step = "terms"    // the terms of use
	Keep     Step = "keep"     // whether a closed account is kept
	Confirm  Step = "confirm"  // the first code of a new authenticator app
	Codes    Step = "codes"    // recovery codes are on the screen
	Protect  Step = "protect"  // a second factor that the account needs
	Done     Step = "done"
)

// follows returns the steps that may come after a step. It is the whole graph.
func (k Kind) follows(s Step) []Step {
	switch {
	case k == SignUp && s == Verify:
		return []Step{Done}
	case k == Recovery && s == Verify:
		return []Step{Reset, Done} // done: the mailed link was opened in another browser
	case k == ByCode && s == Verify:
		return []Step{Done}
	case k == Recovery && s == Reset:
		return []Step{Done}
	case k == Provider && s == Callback:
		return []Step{Exchange}
	case k == Provider && s == Exchange:
		return []Step{Join, Done}
	case k == Provider && s == Join:
		return []Step{Done}
	case k == SecondFactor && s == Factor:
		return []Step{Done}
	case k == Acceptance && s == Accept:
		return []Step{Done}
	case k == Return && s == Keep:
		return []Step{Done}
	case k == AddressChange && s == Verify:
		return []Step{Done}
	case k == Enrolment && s == Confirm:
		return []Step{Codes, Done} // done: the account has recovery codes
	case k == Enrolment && s == Codes:
		return []Step{Done}
	case k == Protection && s == Protect:
		return []Step{Done}
	}
	return nil
}

// life returns how long a flow of this kind may take in all.
func (k Kind) life() time.Duration {
	switch k {
	case SignUp:
		return 24 * time.Hour // so that a visitor can continue the next day
	case Provider, SecondFactor, Enrolment:
		return 15 * time.Minute
	default:
		return time.Hour
	}
}

// versionOf returns the version of an account that ends flows of the kind. A recovery ends
// with the credential version alone, because it asks for the second factor at its end. A user
// who adds an app or ends other sessions must not keep the owner of the mailbox out.
func (k Kind) versionOf(a account.Account) int64 {
	if k == Recovery {
		return a.Version
	}
	return a.FlowVersion()
}

// Pending is a row of a pending flow.
type Pending struct {
	ID          string
	Kind        Kind
	Step        Step
	AccountID   string // "" if the address has no account
	Version     int64  // the version of that account at the beginning, as versionOf
	AddressKey  string
	BrowserHash []byte // SHA-256 of the browser cookie
	ReturnTo    string // text of a Target, checked again by target
	Sealed      []byte
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// over reports whether the flow has expired. A flow from the future counts as
// expired: after the clock was set back, it would be valid again.
func (p Pending) over(now time.Time) bool {
	return !now.Before(p.ExpiresAt) || clock.Ahead(p.CreatedAt, now)
}

// data is the sealed part of a pending flow.
type data struct {
	Name     string        `json:"name,omitempty"`
	Address  string        `json:"address,omitempty"` // as typed: shown to the browser that typed it, or has proven it
	Password string        `json:"password,omitempty"`
	Terms    account.Terms `json:"terms,omitzero"`     // in a sign-up: what its form accepted
	New      bool          `json:"new,omitempty"`      // in a recovery: the account has never had a password
	Passkey  bool          `json:"passkey,omitempty"`  // in a sign-up, with New after it, and with Handed: a passkey is added instead of a password
	Handed   bool          `json:"handed,omitempty"`   // in a recovery: it began with a link that the operator handed over
	Welcome  bool          `json:"welcome,omitempty"`  // with Handed: the link was emailed to somebody who did not wait for it
	Recovery bool          `json:"recovery,omitempty"` // in a change of the address: the address is for recovery
	Moved    string        `json:"moved,omitempty"`    // in a recovery: the flow that goes on where its link was opened
	Over     bool          `json:"over,omitempty"`     // a change of the account has ended the flow, and its page says so
	Found    bool          `json:"found,omitempty"`    // an emailed link began it: nobody has typed the address in this browser

	Invitation string `json:"invitation,omitempty"` // id of the one whose link began a sign-up

	// For a flow with an external provider.
	ProviderID string    `json:"provider_id,omitempty"`
	Attempt    []byte    `json:"attempt,omitempty"` // for federation.Service.Finish
	JoinFlow   string    `json:"join_flow,omitempty"`
	Again      bool      `json:"again,omitempty"`   // a new proof was asked for
	Session    string    `json:"session,omitempty"` // id of the session that connects the provider
	Identity   *identity `json:"identity,omitempty"`
	Vouched    bool      `json:"vouched,omitempty"` // by the provider, for the address of Identity
	Said       string    `json:"said,omitempty"`    // why the app has refused the sign-up, in its words

	// For a second factor and for the terms: the proofs so far, and whether a new
	// browser is to be announced. JoinFlow waits for them too.
	Methods       []string  `json:"methods,omitempty"`
	ProvenAt      time.Time `json:"proven_at,omitzero"`
	StrongAt      time.Time `json:"strong_at,omitzero"`
	Announce      bool      `json:"announce,omitempty"`
	Trust         bool      `json:"trust,omitempty"` // this browser, once the session begins
	MakesPasskeys bool      `json:"makes,omitempty"` // the browser can make a passkey
	Through       *identity `json:"through,omitempty"`

	// For an enrolment and a protection: what the screen shows until the next step.
	Secret []byte   `json:"secret,omitempty"`
	Codes  []string `json:"codes,omitempty"`
}

// addressOnly returns the part of a sign-up that counts in a browser that did not
// begin it. A stranger may have typed the rest. The user who proves the address
// chooses all credentials, and the wish for a passkey may therefore stay.
func (d data) addressOnly() data {
	return data{Address: d.Address, Passkey: d.Passkey, Invitation: d.Invitation}
}

// identity is a verified external identity that waits for an account.
type identity struct {
	Provider string `json:"provider"`
	Issuer   string `json:"issuer"`
	Subject  string `json:"subject"`
	Name     string `json:"name"`

	Roles  []string  `json:"roles,omitempty"` // that the settings derive from what the provider said
	SaidAt time.Time `json:"said_at,omitzero"`
}

// PendingStore is the part of the database that holds pending flows.
type PendingStore interface {
	InsertFlow(ctx context.Context, p Pending) error
	FlowByID(ctx context.Context, id string) (Pending, bool, error)
	// NewestFlow returns the newest flow of the kind at the step for the address
	// that began in the browser and has not expired at now.
	NewestFlow(ctx context.Context, kind Kind, step Step, addressKey string, browser []byte, now time.Time) (Pending, bool, error)
	// RenewFlow replaces the account, its version, the sealed data, the return target
	// and the expiry. It reports whether the flow existed, was at its step and had not expired at now.
	RenewFlow(ctx context.Context, p Pending, now time.Time) (bool, error)
	// OwnFlow sets the account of a flow that began without one.
	OwnFlow(ctx context.Context, id, accountID string) error
	// AdvanceFlow moves the flow from one step to the next and reports whether
	// this call did it.
	AdvanceFlow(ctx context.Context, id string, from, to Step, now time.Time) (bool, error)
}

// begin stores a new flow for the caller's browser.
func (f *core) begin(ctx context.Context, tx Tx, p Pending, d data, browser string) (Pending, error) {
	if p.ID == "" {
		p.ID = ids.New()
	}
	p.BrowserHash = secret.Hash(browser)
	p.CreatedAt = f.clock.Now()
	if err := f.seal(&p, d); err != nil {
		return Pending{}, err
	}
	return p, tx.InsertFlow(ctx, p)
}

// renew replaces the data and the return target of the flow, and gives it the
// expiry of a new one. It reports false if the flow has advanced or expired.
func (f *core) renew(ctx context.Context, tx Tx, p Pending, d data) (bool, error) {
	if err := f.seal(&p, d); err != nil {
		return false, err
	}
	return tx.RenewFlow(ctx, p, f.clock.Now())
}

// seal stores the data in the flow and sets a new expiry.
func (f *core) seal(p *Pending, d data) error {
	plain, err := json.Marshal(d)
	if err == nil {
		life := p.Kind.life()
		if d.Welcome {
			life = code.WelcomeLife
		}
		p.ExpiresAt = f.clock.Now().Add(life)
		p.Sealed = f.box.Seal(plain, p.ID)
	}
	return err
}

// find returns the flow with the id for the caller's browser, or Unknown.
func (f *core) find(ctx context.Context, tx PendingStore, c Caller, id string) (Pending, data, error) {
	if !ids.Valid(id) || !secret.ValidToken(c.BrowserCookie) {
		return Pending{}, data{}, Unknown
	}
	p, ok, err := tx.FlowByID(ctx, id)
	if err != nil {
		return Pending{}, data{}, err
	}
	if !ok || p.over(f.clock.Now()) || !secret.Equal(p.BrowserHash, secret.Hash(c.BrowserCookie)) {
		return Pending{}, data{}, Unknown
	}
	d, err := f.open(p)
	return p, d, err
}

// at is find for a flow that must wait for the given step, else Moved.
func (f *core) at(ctx context.Context, tx PendingStore, c Caller, id string, step Step) (Pending, data, error) {
	p, d, err := f.find(ctx, tx, c, id)
	if err == nil && p.Step != step {
		return p, d, Moved
	}
	return p, d, err
}

// target returns the return target of a flow. It is checked again, because the
// allowed origins may have changed since the row was written.
func (f *core) target(p Pending) Target { return f.settings.Targets.Check(p.ReturnTo) }

func (f *core) open(p Pending) (data, error) {
	var d data
	plain, err := f.box.Open(p.Sealed, p.ID)
	if err != nil {
		return data{}, err
	}
	return d, json.Unmarshal(plain, &d)
}

// advance is the only function that moves a flow to the next step. One of several
// concurrent callers wins; the others get Moved.
func (f *core) advance(ctx context.Context, tx PendingStore, p Pending, to Step) error {
	if !slices.Contains(p.Kind.follows(p.Step), to) {
		return Moved
	}
	won, err := tx.AdvanceFlow(ctx, p.ID, p.Step, to, f.clock.Now())
	if err == nil && !won {
		return Moved
	}
	return err
}

// browser returns the caller's browser cookie. Without one it makes a cookie, which
// the response must set.
func browser(c Caller) (value, fresh string) {
	if secret.ValidToken(c.BrowserCookie) {
		return c.BrowserCookie, ""
	}
	t := secret.Token()
	return t, t
}

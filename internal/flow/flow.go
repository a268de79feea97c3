package flow

import (
	"context"
	"math"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/assertion"
	"portico/internal/audit"
	"portico/internal/clientdoc"
	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/invitation"
	"portico/internal/job"
	"portico/internal/legacy"
	"portico/internal/once"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/passkey"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/signingkey"
	"portico/internal/signupask"
	"portico/internal/throttle"
	"portico/internal/trust"
	"portico/internal/webhook"
)

// Tx is what flows need from a transaction.
type Tx interface {
	account.Store
	account.IdentityStore
	account.DepartureStore
	account.PortraitStore
	account.SummaryStore
	code.Store
	factor.Store
	passkey.Store
	session.Store
	trust.Store
	throttle.Store
	audit.Store
	invitation.Store
	job.Store
	apikey.Store
	apikey.PersonalStore
	once.Store
	outbox.Store
	webhook.Store
	signingkey.Store
	openid.Store
	PendingStore
	NewcomerStore
	TicketStore
}

// Store runs transactions. Write commits all of fn or nothing, and may run fn
// again. Read sees the newest committed state.
type Store interface {
	Write(ctx context.Context, fn func(Tx) error) error
	Read(ctx context.Context, fn func(Tx) error) error
}

// read returns what fn reads.
func read[T any](ctx context.Context, s Store, fn func(tx Tx) (T, error)) (v T, err error) {
	err = s.Read(ctx, func(tx Tx) error {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// Caller describes the sender of a request. Nothing in it is proven.
type Caller struct {
	Peer          string    // network address, masked for limits
	Around        [2]string // the /56 and the /48 around an IPv6 address, else ""
	Agent         string    // User-Agent, capped
	Locale        string
	Chosen        bool // whether the visitor chose the locale in the menu of a page
	RequestID     string
	BrowserCookie string // binds flows to the browser
	Device        string // says that an account knows the browser
	Trust         string // spares the second factor
	Session       string // session token

	alarmed bool   // the caller has pressed the button of an alarm link
	given   *given // what the app says of the sign-up, nil if it was not asked
	manages string // the admin or the key whose change the emails tell of, "" for others
}

// Result is the result of a step. Its tokens belong in cookies and nowhere else.
type Result struct {
	Next          string // where the browser goes: a page of Portico, a return target or a provider
	FlowID        string
	Session       *Token // a new session
	BrowserCookie string // a new browser cookie, "" if the caller's is valid
	Device        string // a new device cookie
	Trust         string // a new trust cookie
	// Provider is the id of the provider that the new session was started by, ""
	// for another proof.
	Provider string
	// Held is set if the flow has begun and its email was not sent.
	Held *fault.Error

	// Connected is set if the step has connected a provider with the account.
	Connected bool

	// TwoStep is set if the step has turned the second step at sign-in on or off.
	TwoStep bool

	// New is set if the step has signed in an account that never had a password.
	New bool

	wrong      string // kind of the secret that did not match
	left       string // account of the session that the browser had before
	entered    string // proof that started Session
	registered string // proof that the step has made an account by
}

// Token is a session token with its absolute expiry.
type Token struct {
	Value     string
	ExpiresAt time.Time
}

// Config has the parts of All. All fields but Terms, Passkeys, Events, Documents, Legacy, SignUpAsk, Resources,
// Require and Before are required.
type Config struct {
	Store     Store
	Clock     clock.Clock
	Key       *secret.Key
	Passwords *password.Service
	Sessions  *session.Keeper
	Providers *federation.Service
	Passkeys  *passkey.Keeper // nil without passkeys
	Outbox    *outbox.Outbox
	Events    *webhook.Queue // nil without webhooks
	Keys      *signingkey.Keeper
	Clients   openid.Clients
	Asserted  *assertion.Keeper // checks what clients sign
	Legacy    *legacy.Keeper    // asks the system that people have come from; nil without one
	SignUpAsk *signupask.Keeper // asks the app about sign-ups; nil if it is not asked
	Documents *clientdoc.Keeper // loads what unknown clients publish; nil if there are none

	Settings

	Before *All // what these replace, whose counters go on; nil for none
}

// Settings are the settings that the steps read.
type Settings struct {
	Guests    bool     // whether a client may name itself by an address
	Registers bool     // whether a client may register itself
	Resources []string // that unknown clients may ask tokens for
	Audiences []string // of the apps, which are the names of no unknown client
	Targets   Targets
	SignUp    SignUpMode
	Domains   []string // of the addresses that may sign up; empty: all
	Terms     string   // version of the terms that users accept, "" for none
	Names     NameRule
	Trust     bool // whether a user may trust a browser
	Require   Require
	TokenApps []TokenApp // that take personal access tokens
	ByCode    bool       // whether users may sign in by an emailed code

	Locale    func(tag string) string // the language of Portico that a tag means, or ""
	PublicURL string                  // base of the links in emails
	Site      string                  // name that authenticator apps show
}

// All has one of each type, on one core. All of them are safe for concurrent use.
type All struct {
	Flows    *Flows
	Owner    *Owner
	Operator *Operator
	OpenID   *OpenID
}

// Flows carries out the steps of a visitor, who becomes signed in or out.
type Flows struct{ *core }

// Owner carries out what a signed-in user changes and reads on the account pages.
type Owner struct{ reader }

// Operator carries out what an operator does to accounts, OpenID clients and signing
// keys, and the background work on them.
type Operator struct{ reader }

// OpenID carries out what OpenID clients ask for.
type OpenID struct{ *core }

// reader reads an account, for its owner or an operator.
type reader struct{ *core }

// core has the parts, and the code that several of the types need. It exports nothing,
// because each of the types would export it too.
type core struct {
	store     Store
	clock     clock.Clock
	passwords *password.Service
	sessions  *session.Keeper
	passkeys  *passkey.Keeper
	providers *federation.Service
	outbox    *outbox.Outbox
	keys      *signingkey.Keeper
	clients   openid.Clients
	asserted  *assertion.Keeper
	documents *clientdoc.Keeper
	legacy    *legacy.Keeper
	signUpAsk *signupask.Keeper

	master                               *secret.Key
	box, crossings, marks, alarms, parts *secret.Box
	devices, mailboxes, visits, requests *secret.MAC
	tokens                               *secret.MAC // makes the text of personal access tokens

	codes    *code.Issuer
	factors  *factor.Keeper
	limiter  *throttle.Limiter
	accounts *account.Directory
	record   recorder
	trusts   *trust.Keeper
	grants   *openid.Keeper
	counts   *counts
	drawing  *drawing
	exports  *turns // of the record
	imports  *turns // of files of people

	settings Settings
}

// CodeLife is the validity of a mailed code or link (ASVS 6.5.5: ten minutes).
const CodeLife = 10 * time.Minute

// New returns the four types.
func New(cfg Config) All {
	f := &core{
		store:     cfg.Store,
		clock:     cfg.Clock,
		passwords: cfg.Passwords,
		sessions:  cfg.Sessions,
		passkeys:  cfg.Passkeys,
		providers: cfg.Providers,
		outbox:    cfg.Outbox,
		keys:      cfg.Keys,
		clients:   cfg.Clients,
		asserted:  cfg.Asserted,
		documents: cfg.Documents,
		legacy:    cfg.Legacy,
		signUpAsk: cfg.SignUpAsk,

		master:    cfg.Key,
		box:       cfg.Key.Box("flow"),
		crossings: cfg.Key.Box("crossing"),
		marks:     cfg.Key.Box("openid request"),
		alarms:    cfg.Key.Box("alarm"),
		parts:     cfg.Key.Box("job part"),
		devices:   cfg.Key.MAC("device"),
		mailboxes: cfg.Key.MAC("mailbox"),
		visits:    cfg.Key.MAC("admin page"),
		requests:  cfg.Key.MAC("idempotency"),
		tokens:    cfg.Key.MAC("personal token"),
		codes:     code.NewIssuer(cfg.Key, cfg.Clock),
		factors:   factor.NewKeeper(cfg.Key, cfg.Clock),
		limiter:   throttle.NewLimiter(cfg.Key, cfg.Clock),
		accounts:  account.NewDirectory(cfg.Clock),
		record:    recorder{audit.NewRecord(cfg.Clock), cfg.Events},
		trusts:    trust.NewKeeper(cfg.Clock),
		grants:    openid.NewKeeper(openid.Config{Clock: cfg.Clock, Key: cfg.Key, IdleEnd: cfg.Sessions.IdleEnd}),
		counts:    newCounts(),
		drawing:   newDrawing(),
		exports:   newTurns(math.MaxInt),
		imports:   newTurns(readAtOnce),

		settings: cfg.Settings,
	}
	if cfg.Before != nil {
		before := cfg.Before.Flows.core
		f.counts, f.limiter, f.drawing, f.exports, f.imports = before.counts, before.limiter, before.drawing, before.exports, before.imports
		f.grants = before.grants.With(cfg.Sessions.IdleEnd)
	} else {
		cfg.Sessions.Lead(f.grants)
	}
	return All{Flows: &Flows{f}, Owner: &Owner{reader{f}}, Operator: &Operator{reader{f}}, OpenID: &OpenID{f}}
}

// Targets returns the addresses that a browser may be sent to after a flow.
func (f *Flows) Targets() Targets { return f.settings.Targets }

// fact returns an audit record with the data of the caller.
func fact(c Caller, name audit.Name, accountID, detail string) audit.Fact {
	return audit.Fact{
		Name: name, AccountID: accountID, Actor: actorSelf,
		Peer: c.Peer, UserAgent: c.Agent, RequestID: c.RequestID, Detail: detail,
	}
}

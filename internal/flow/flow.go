package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/signingkey"
	"portico/internal/throttle"
)

// Tx is what flows need of one transaction.
type Tx interface {
	account.Store
	account.IdentityStore
	code.Store
	session.Store
	throttle.Store
	audit.Store
	outbox.Store
	signingkey.Store
	PendingStore
	TicketStore
}

// Store runs transactions. Write commits all of fn or nothing; Read sees the
// newest committed state.
type Store interface {
	Write(ctx context.Context, fn func(Tx) error) error
	Read(ctx context.Context, fn func(Tx) error) error
}

// Caller is what a door knows of who asks. Nothing in it is proven.
type Caller struct {
	Peer      string    // network address, masked for limits
	Around    [2]string // the /56 and the /48 around an IPv6 address, else ""
	Agent     string    // User-Agent, capped
	Locale    string
	RequestID string
	Browser   string // value of the browser-binding cookie
	Device    string // value of the device cookie
	Session   string // session token
}

// Result is what a step gives back to the door. Tokens go into cookies and
// nowhere else.
type Result struct {
	Next    string // where to go: a path on this origin or an allowed URL
	FlowID  string
	Session *Token // a fresh session
	Browser string // a fresh browser-binding cookie, "" when the caller's serves
	Device  string // a fresh device cookie
	// Provider is the one that the fresh session was started by, "" for
	// another way in.
	Provider string
	// Held says that the mail of a flow that has begun was not sent.
	Held *fault.Error

	wrong      string // the kind of secret that was compared and did not match
	left       string // whose session the browser had before
	entered    string // how the person of Session proved who they are
	registered string // the same of whom the step has made an account
}

// Token is a session token with its absolute end.
type Token struct {
	Value     string
	ExpiresAt time.Time
}

// Config is what Flows are built from. All fields are needed.
type Config struct {
	Store     Store
	Clock     clock.Clock
	Common    clock.Clock // that the nodes agree on
	Key       *secret.Key
	Passwords *password.Service
	Sessions  *session.Keeper
	Providers *federation.Service
	Outbox    *outbox.Outbox
	Keys      *signingkey.Keeper
	Targets   Targets
	SignUp    bool // whether visitors may sign up
	Names     NameRule

	PublicURL string // the base of the links in mails
}

// Flows carries out the steps. It is safe for concurrent use.
type Flows struct {
	store     Store
	clock     clock.Clock
	common    clock.Clock
	box       *secret.Box
	crossings *secret.Box
	devices   *secret.MAC
	accounts  *account.Directory
	codes     *code.Issuer
	passwords *password.Service
	sessions  *session.Keeper
	gate      *throttle.Gate
	providers *federation.Service
	outbox    *outbox.Outbox
	keys      *signingkey.Keeper
	record    *audit.Record
	targets   Targets
	signUp    bool
	names     NameRule
	publicURL string
	counts    *counts
}

// CodeLife is how long a mailed code or link holds (ASVS 6.5.5: ten minutes).
const CodeLife = 10 * time.Minute

// New returns Flows.
func New(cfg Config) *Flows {
	return &Flows{
		store: cfg.Store, clock: cfg.Clock, common: cfg.Common,
		box: cfg.Key.Box("flow"), devices: cfg.Key.MAC("device"), crossings: cfg.Key.Box("crossing"),
		accounts: account.NewDirectory(cfg.Clock), codes: code.NewIssuer(cfg.Key, cfg.Clock, CodeLife),
		passwords: cfg.Passwords, sessions: cfg.Sessions, gate: throttle.NewGate(cfg.Key, cfg.Clock),
		providers: cfg.Providers, outbox: cfg.Outbox, keys: cfg.Keys, record: audit.NewRecord(cfg.Clock),
		targets: cfg.Targets, signUp: cfg.SignUp, names: cfg.Names, publicURL: cfg.PublicURL,
		counts: newCounts(),
	}
}

// Targets returns the addresses that a browser may be sent to after a flow.
func (f *Flows) Targets() Targets { return f.targets }

// fact returns an entry for the record with what is known of the caller.
func fact(c Caller, name audit.Name, accountID, detail string) audit.Fact {
	return audit.Fact{
		Name: name, AccountID: accountID, Actor: "self",
		Peer: c.Peer, Browser: c.Agent, RequestID: c.RequestID, Detail: detail,
	}
}

package account

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
)

// State says whether an account may be used.
type State string

const (
	Active             State = "active"
	DisabledByOperator State = "disabled" // by an operator or an admin, or because its end came
	Leaving            State = "leaving"  // closed by its owner, who can take it back until it is erased
	Waiting            State = "waiting"  // for the approval of an admin, after the sign-up
)

// States are all states.
func States() []State { return []State{Active, DisabledByOperator, Leaving, Waiting} }

// Account is one person.
type Account struct {
	ID        string
	Address   Address
	Name      string
	State     State
	Roles     []string
	Password  string // opaque verifier; "" for a person who only uses a provider
	Version   int64  // credential version: ends sessions
	Locale    string // language of the emails to the account; "" when it is not known yet
	Terms     Terms  // the terms of use that were accepted last
	Alarm     Alarm  // the newest alarm of the owner
	CreatedAt time.Time

	// FlowEnds counts the changes of how the account is signed in to that have ended
	// its pending flows and no session.
	FlowEnds int64

	// AddressAt is since when the account has its primary address. Zero means that it was
	// never changed, and Always that it counts as the first one.
	AddressAt time.Time

	// FactorToldAt is when a sign-in first told the owner that the account needs a
	// second factor. Zero means never.
	FactorToldAt time.Time

	// Claims is the JSON object that an operator or an admin has given the account for apps, ""
	// for none.
	Claims string

	// EndsAt is when the account ends by itself. Zero means never.
	EndsAt time.Time
}

// FlowVersion returns the number that each change of how the account is signed in to
// raises.
func (a Account) FlowVersion() int64 { return a.Version + a.FlowEnds }

// Alarm is what an owner did who found somebody else in the account. The zero value
// means never.
type Alarm struct {
	Since    time.Time // of the email that it answers: what came later is undone
	RaisedAt time.Time
	AddedAt  time.Time // since when the account had the address of that email
}

// Terms is an acceptance of the terms of use. The zero value means none.
type Terms struct {
	Version    string
	AcceptedAt time.Time
}

// Identity is a person at an external provider: (Issuer, Subject) is the key,
// never the mail address (OpenID Connect Core 5.7).
type Identity struct {
	Issuer    string
	Subject   string
	Provider  string // id of the provider in the configuration
	AccountID string
	CreatedAt time.Time
	TellsTime TellsTime

	// Roles are those roles of the account that the identity gives: the account keeps each of
	// them as long as one of its identities gives it. RolesAt is when that was last decided.
	Roles   []string
	RolesAt time.Time
}

// TellsTime is whether a provider tells when the user of an identity signed in.
type TellsTime int64

// The values are stored.
const (
	NeverAsked TellsTime = iota
	Tells                // it has told once
	Omits                // it was asked, and has never told
)

// Store has the operations of the database that this package needs.
type Store interface {
	OtherStore
	PeopleStore
	EndStore
	// InsertAccount reports false when the canonical address has an account, or is
	// kept for one when the new account is made.
	InsertAccount(ctx context.Context, a Account) (bool, error)
	AccountByID(ctx context.Context, id string) (Account, bool, error)
	// AccountsByID returns the accounts with the ids, without an order and without holding
	// them: only what is shown about them may come from it.
	AccountsByID(ctx context.Context, ids []string) ([]Account, error)
	AccountByKey(ctx context.Context, key string) (Account, bool, error)
	// AccountOfSession returns the account that a session belongs to. Neither changes
	// until the end of the transaction, except for the times of the session.
	AccountOfSession(ctx context.Context, sessionID string) (Account, bool, error)
	// UpdatePassword sets the verifier and adds one to the credential version.
	UpdatePassword(ctx context.Context, id, password string) error
	// RehashPassword sets another verifier, "" for none, and keeps the version: no session and no flow ends.
	RehashPassword(ctx context.Context, id, password string) error
	// UpdateState sets the state and adds one to the credential version.
	UpdateState(ctx context.Context, id string, state State) error
	UpdateRoles(ctx context.Context, id string, roles []string) error
	// UpdateClaims sets what package claim has parsed.
	UpdateClaims(ctx context.Context, id, claims string) error
	// UpdateName sets the name.
	UpdateName(ctx context.Context, id, name string) error
	// UpdateAddress sets the address, which the account has since a time, and adds one to
	// the credential version. It reports false when there is no such account, or another
	// one has the address, or it is kept for another one at now.
	UpdateAddress(ctx context.Context, id string, address Address, since, now time.Time) (bool, error)
	// RaiseVersion adds one to the credential version.
	RaiseVersion(ctx context.Context, id string) error
	// EndFlows adds one to FlowEnds.
	EndFlows(ctx context.Context, id string) error
	// UpdateAlarm stores an alarm of the owner.
	UpdateAlarm(ctx context.Context, id string, alarm Alarm) error
	// UpdateLocale sets the language of the account's emails.
	UpdateLocale(ctx context.Context, id, locale string) error
	// UpdateTerms stores an acceptance of the terms of use.
	UpdateTerms(ctx context.Context, id string, accepted Terms) error
	// UpdateFactorTold stores when the owner was told to add a second factor.
	UpdateFactorTold(ctx context.Context, id string, at time.Time) error
	// DeleteAccount deletes an account and all rows that name it, except its audit
	// records, emails that wait and messages to nodes and clients about its end.
	DeleteAccount(ctx context.Context, id string) (bool, error)
	// AccountData returns the rows of all tables that name an account, without
	// secrets, as they are now.
	AccountData(ctx context.Context, a Account, now time.Time) ([]Rows, error)
}

// Rows are the rows of a table that name an account: values by the names of their
// columns.
type Rows struct {
	Table string
	Rows  []map[string]any
}

// IdentityStore is what linking needs of the database.
type IdentityStore interface {
	IdentityBySubject(ctx context.Context, issuer, subject string) (Identity, bool, error)
	IdentitiesOf(ctx context.Context, accountID string) ([]Identity, error)
	// InsertIdentity reports false when the identity is linked already.
	InsertIdentity(ctx context.Context, i Identity) (bool, error)
	// UpdateTellsTime sets whether the provider tells when the user signed in.
	UpdateTellsTime(ctx context.Context, issuer, subject string, t TellsTime) error
	// UpdateIdentityRoles sets the roles that the identity gives, and when that was decided.
	UpdateIdentityRoles(ctx context.Context, issuer, subject string, roles []string, at time.Time) error
	// DeleteIdentities removes the identities of an account at a provider, and
	// reports whether there were any.
	DeleteIdentities(ctx context.Context, accountID, provider string) (bool, error)
}

// Directory makes and changes accounts. It is safe for concurrent use.
type Directory struct {
	clock clock.Clock
}

// NewDirectory returns a Directory that stamps with the clock.
func NewDirectory(c clock.Clock) *Directory { return &Directory{clock: c} }

// New is what an account is made of. Everything but the address may be empty.
type New struct {
	Address  Address
	Name     string
	Password string // opaque verifier
	Locale   string
	Roles    []string
	Terms    Terms
	EndsAt   time.Time // zero for never
	Waits    bool      // for an approval
}

// Create stores a new account, which is active unless it waits, or returns Exists.
func (d *Directory) Create(ctx context.Context, tx Store, n New) (Account, error) {
	a := Account{
		ID: ids.New(), Address: n.Address, Name: n.Name, State: Active, Roles: n.Roles,
		Password: n.Password, Version: 1, Locale: n.Locale, Terms: n.Terms, EndsAt: n.EndsAt, CreatedAt: d.clock.Now(),
	}
	if n.Waits {
		a.State = Waiting
	}
	ok, err := tx.InsertAccount(ctx, a)
	if err != nil {
		return Account{}, err
	}
	if !ok {
		return Account{}, Exists
	}
	if n.Waits {
		err = tx.InsertApplicant(ctx, a.ID)
	}
	return a, err
}

// Join connects an external identity with an account. It reports whether the
// account has the identity afterwards: false when another account has it.
func (d *Directory) Join(ctx context.Context, tx IdentityStore, i Identity) (bool, error) {
	i.CreatedAt = d.clock.Now()
	inserted, err := tx.InsertIdentity(ctx, i)
	if err != nil || inserted {
		return inserted, err
	}
	known, _, err := tx.IdentityBySubject(ctx, i.Issuer, i.Subject)
	return err == nil && known.AccountID == i.AccountID, err
}

package audit

import (
	"context"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
)

// Name is the kind of an event. Names are stable, because operators search for
// them.
//
// To add an event, add its name here, in words.go and in document_test.go, and record it in
// the transaction of the change. Email it to the owner of the account, or say in
// document_test.go why not. The tests of this package hold all of this.
type Name string

const (
	SignedUp        Name = "signed_up"
	SignUpAsked     Name = "signup_asked"
	SignedIn        Name = "signed_in"
	ProofGiven      Name = "proof_given"
	SignInFailed    Name = "sign_in_failed"
	SignInRefused   Name = "sign_in_refused"
	SignedOut       Name = "signed_out"
	SessionEnded    Name = "session_ended"
	Throttled       Name = "throttled"
	MailHeld        Name = "mail_held"
	CodeFailed      Name = "code_failed"
	CodeReplayed    Name = "code_replayed"
	PasswordChanged Name = "password_changed"
	PasswordRemoved Name = "password_removed"
	AddressChanged  Name = "address_changed"
	AddressProven   Name = "address_proven"
	RecoverySet     Name = "recovery_address_set"
	AddressRemoved  Name = "address_removed"
	AlarmRaised     Name = "alarm_raised"
	NameChanged     Name = "name_changed"
	LocaleChanged   Name = "language_changed"
	PortraitChanged Name = "picture_changed"
	TermsAccepted   Name = "terms_accepted"
	ProviderLinked  Name = "provider_linked"
	ProviderRemoved Name = "provider_removed"
	ProviderRefused Name = "provider_refused"
	FactorAdded     Name = "factor_added"
	FactorRemoved   Name = "factor_removed"
	FactorFailed    Name = "factor_failed"
	CodesMade       Name = "recovery_codes_made"
	CodesRemoved    Name = "recovery_codes_removed"
	CodeSpent       Name = "recovery_code_used"
	PasskeyAdded    Name = "passkey_added"
	PasskeyRenamed  Name = "passkey_renamed"
	PasskeyRemoved  Name = "passkey_removed"
	PasskeySuspect  Name = "passkey_suspect"
	DataDownloaded  Name = "data_downloaded"
	BrowserTrusted  Name = "browser_trusted"
	TrustEnded      Name = "trust_ended"
	AccountCreated  Name = "account_created"
	AccountImported Name = "account_imported"
	LinkMade        Name = "link_made"
	AccountDisabled Name = "account_disabled"
	AccountApproved Name = "account_approved"
	AccountEnabled  Name = "account_enabled"
	EndChanged      Name = "end_changed"
	ClaimsChanged   Name = "claims_changed"
	AccountDeleted  Name = "account_deleted"
	AccountLeft     Name = "account_left"
	AccountKept     Name = "account_kept"
	Restored        Name = "restored"
	RolesChanged    Name = "roles_changed"
	Unlocked        Name = "unlocked"
	KeyRotated      Name = "key_rotated"
	KeyRevoked      Name = "key_revoked"
	KeyChanged      Name = "key_changed"
	RecordExported  Name = "record_exported"
	Exported        Name = "exported"
	MailSentAgain   Name = "mail_sent_again"
	MailDropped     Name = "mail_dropped"
	JobStopped      Name = "job_stopped"
	WebhookTried    Name = "webhook_tested"
	WebhookRetried  Name = "webhook_retried"
	APIKeyMade      Name = "api_key_made"
	APIKeyRotated   Name = "api_key_rotated"
	APIKeyEnded     Name = "api_key_ended"
	TokenMade       Name = "token_made"
	TokenEnded      Name = "token_ended"

	InvitationSent  Name = "invitation_sent"
	InvitationUsed  Name = "invitation_used"
	InvitationEnded Name = "invitation_ended"

	ClientAuthorized Name = "client_authorized"
	GrantReused      Name = "grant_reused"
	ConsentGiven     Name = "consent_given"
	ConsentRevoked   Name = "consent_revoked"
	GrantRevoked     Name = "grant_revoked"

	RegistrationAllowed   Name = "registration_allowed"
	RegistrationWithdrawn Name = "registration_withdrawn"
	RegistrationMade      Name = "registration_made"
	RegistrationChanged   Name = "registration_changed"
	RegistrationEnded     Name = "registration_ended"
)

// Usual reports whether a name has many of all records, in every installation.
func (n Name) Usual() bool {
	return slices.Contains([]Name{SignedIn, SignedOut, SessionEnded, SignInFailed, ProofGiven, ClientAuthorized, Throttled}, n)
}

// Fact is one entry of the record.
type Fact struct {
	ID        string
	At        time.Time
	Name      Name
	AccountID string // the account; "" when it is unknown
	Actor     string // "self", "operator", "admin:" with an account, "key:" with an API key, "provider:" with an id, or "stranger" (a wrong password, a used token)
	Peer      string // network of the caller, masked
	UserAgent string
	RequestID string
	Detail    string // ids and stable words: the method, the roles, the provider's id
}

// Actors that are neither an operator nor an admin.
const (
	Self     = "self"
	Stranger = "stranger"
)

// ByAdmin returns the Actor of a change that an admin makes on the admin page.
func ByAdmin(accountID string) string { return byAdmin + accountID }

// ByKey returns the Actor of a change that a program makes with an API key.
func ByKey(keyID string) string { return byKey + keyID }

const (
	byAdmin = "admin:"
	byKey   = "key:"
)

// ByProvider returns the Actor of a change of roles that follows from a sign-in with a provider.
func ByProvider(id string) string { return byProvider + id }

const byProvider = "provider:"

// Provider returns the id of the provider whose sign-in has made the change, if one did.
func (f Fact) Provider() (id string, ok bool) { return strings.CutPrefix(f.Actor, byProvider) }

// Admin returns the account of the admin who made the change, if one did.
func (f Fact) Admin() (accountID string, ok bool) { return strings.CutPrefix(f.Actor, byAdmin) }

// Key returns the API key that the change was made with, if it was.
func (f Fact) Key() (keyID string, ok bool) { return strings.CutPrefix(f.Actor, byKey) }

// Managed reports whether an operator, an admin or a key has made the change. Its network and
// browser are theirs, which are nothing for the user of the account.
func (f Fact) Managed() bool {
	return f.Actor == "operator" || strings.HasPrefix(f.Actor, byAdmin) || strings.HasPrefix(f.Actor, byKey)
}

// Store has the operations of the database that this package needs.
type Store interface {
	// InsertFact adds one fact or more.
	InsertFact(ctx context.Context, all ...Fact) error
	// FactsOf returns up to limit records of an account, the newest first. With an id in
	// before, it returns the records older than that one, and none if the account has no
	// record with that id. With names, it leaves all other records out.
	FactsOf(ctx context.Context, accountID, before string, limit int, names ...Name) ([]Fact, error)
	// Facts returns the page of a checked query, or a fault of the field "after".
	Facts(ctx context.Context, q Query) (Page, error)
}

// Record adds facts. It is safe for concurrent use.
type Record struct {
	clock clock.Clock
}

// NewRecord returns a Record that stamps with the clock.
func NewRecord(c clock.Clock) *Record { return &Record{clock: c} }

// Add writes the facts in the given transaction.
func (r *Record) Add(ctx context.Context, tx Store, all ...Fact) error {
	now := r.clock.Now()
	for i := range all {
		all[i].At, all[i].ID = now, ids.NewAt(now)
	}
	return tx.InsertFact(ctx, all...)
}

package passkey

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"portico/internal/clock"
	"portico/internal/origin"
	"portico/internal/secret"
)

// Method is the method of a session that a passkey has started.
const Method = "passkey"

// Most is how many passkeys an account may have.
const Most = 20

// Passkey is a passkey of an account.
type Passkey struct {
	ID         string
	AccountID  string
	Credential []byte   // its id at the authenticator
	PublicKey  []byte   // COSE
	Handle     []byte   // by which the authenticator knows the account
	Host       string   // the relying party that it was made for
	Name       string   // "" until its authenticator is known or its owner names it
	Model      string   // AAGUID of the authenticator
	Transports []string // how browsers reach the authenticator
	Counter    int64    // newest signature counter
	Copies     bool     // whether the passkey may be copied to other devices (BE)
	Copied     bool     // whether it is (BS). Without Copies: a former system did not tell, and the first use does
	CreatedAt  time.Time
	UsedAt     time.Time
}

// Store is what this package needs of the database.
type Store interface {
	// InsertPasskey reports whether no account has the credential yet.
	InsertPasskey(ctx context.Context, p Passkey) (bool, error)
	// PasskeysOf returns the passkeys of an account, the last used first.
	PasskeysOf(ctx context.Context, accountID string) ([]Passkey, error)
	// PasskeyByCredential returns the passkey with the id at its authenticator.
	PasskeyByCredential(ctx context.Context, credential []byte) (Passkey, bool, error)
	// UsePasskey sets Counter, Copies, Copied and UsedAt, and reports whether the counter
	// was still before.
	UsePasskey(ctx context.Context, p Passkey, before int64) (bool, error)
	// RenamePasskey names a passkey of the account and reports whether it was
	// there.
	RenamePasskey(ctx context.Context, accountID, id, name string) (bool, error)
	// DeletePasskey deletes a passkey of the account and reports whether it was
	// there.
	DeletePasskey(ctx context.Context, accountID, id string) (bool, error)
	// CountPasskeys counts the passkeys of all accounts that were made for another
	// host.
	CountPasskeys(ctx context.Context, otherThan string) (int64, error)
	// RefusePasskeys stores that the owner of an account does not want to be offered
	// a passkey.
	RefusePasskeys(ctx context.Context, accountID string, at time.Time) error
	// PasskeysRefused reports whether the owner of an account has said so.
	PasskeysRefused(ctx context.Context, accountID string) (bool, error)
	// SpendTicket stores a hash until a time, and reports whether this call was the
	// first for it.
	SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error)
}

// Config of a Keeper.
type Config struct {
	Key     *secret.Key
	Clock   clock.Clock // which all nodes share
	Public  *url.URL    // the address of the sign-in page
	Site    string      // name that authenticators show
	Related []string    // other origins that may use the passkeys
}

// Keeper makes challenges and checks answers. It is safe for concurrent use.
type Keeper struct {
	clock   clock.Clock
	mac     *secret.MAC
	handles *secret.MAC
	host    string
	party   *webauthn.WebAuthn
}

// Usable reports whether browsers can use passkeys at an address: a name with
// https, or localhost. An IP address cannot be a relying party.
func Usable(public *url.URL) bool {
	host := public.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return false
	}
	return public.Scheme == "https" || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// NewKeeper returns a Keeper, or nil for an address where passkeys cannot be used.
func NewKeeper(cfg Config) (*Keeper, error) {
	if !Usable(cfg.Public) {
		return nil, nil
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: cfg.Public.Hostname(), RPDisplayName: cfg.Site, RPOrigins: append([]string{origin.Of(cfg.Public)}, cfg.Related...),
	})
	return &Keeper{
		clock: cfg.Clock, mac: cfg.Key.MAC("passkey challenge"), handles: cfg.Key.MAC("passkey user"),
		host: cfg.Public.Hostname(), party: party,
	}, err
}

// Host returns the relying party: the host of the sign-in page.
func (k *Keeper) Host() string { return k.host }

// Handle returns the user handle of an account: the handle of a passkey that it has, so
// that authenticators keep them together, else 64 bytes that reveal nothing about it. It is
// stored, because the master key may change.
func (k *Keeper) Handle(accountID string, have []Passkey) []byte {
	if len(have) > 0 {
		return have[0].Handle
	}
	return append(k.handles.Sum("1", accountID), k.handles.Sum("2", accountID)...)
}

package people

import (
	"encoding/json"
	"time"
)

// Person is one account in the own format: one JSON object a line. All fields but the
// address are optional.
type Person struct {
	Format        int             `json:"format,omitempty"` // 1
	ID            string          `json:"id,omitempty"`     // of the account, in an export of Portico
	Subject       *Subject        `json:"subject,omitempty"`
	Email         string          `json:"email"`
	EmailVerified bool            `json:"email_verified"`
	Name          string          `json:"name,omitempty"`
	Locale        string          `json:"locale,omitempty"`
	State         string          `json:"state,omitempty"` // active, disabled; "" is active
	CreatedAt     time.Time       `json:"created_at,omitzero"`
	SeenAt        time.Time       `json:"seen_at,omitzero"`
	EndsAt        time.Time       `json:"ends_at,omitzero"`
	Roles         []string        `json:"roles,omitzero"` // without any: none; nil: not said
	Claims        json.RawMessage `json:"claims,omitempty"`
	Password      string          `json:"password,omitempty" secret:"yes"` // a hash
	Addresses     []Address       `json:"addresses,omitempty"`
	Identities    []Identity      `json:"identities,omitempty"`
	TOTP          []TOTP          `json:"totp,omitempty"`
	RecoveryCodes []string        `json:"recovery_codes,omitempty" secret:"yes"` // clear, or hashes
	Passkeys      []Passkey       `json:"passkeys,omitempty"`
	Terms         *Terms          `json:"terms,omitempty"`
}

// Subject is the name that another system has for the person.
type Subject struct {
	Issuer string `json:"issuer"`
	Value  string `json:"value"`
}

// Address is an address in addition to the primary one.
type Address struct {
	Email    string `json:"email"`
	Kind     string `json:"kind,omitempty"` // recovery, other; "" is other
	Verified bool   `json:"verified"`
}

// Identity is the person at an external provider.
type Identity struct {
	Issuer    string    `json:"issuer"`
	Subject   string    `json:"subject"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// TOTP is an authenticator app. Zero values mean six digits, 30 seconds and SHA1.
type TOTP struct {
	Secret    string    `json:"secret" secret:"yes"` // base32
	Digits    int       `json:"digits,omitempty"`
	Period    int       `json:"period,omitempty"` // seconds
	Algorithm string    `json:"algorithm,omitempty"`
	Name      string    `json:"name,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Passkey is a WebAuthn credential. The binary values are base64url.
type Passkey struct {
	RPID           string    `json:"rp_id"`
	ID             string    `json:"id"`
	PublicKey      string    `json:"public_key"` // COSE
	SignCount      int64     `json:"sign_count,omitempty"`
	AAGUID         string    `json:"aaguid,omitempty"`
	Transports     []string  `json:"transports,omitempty"`
	BackupEligible *bool     `json:"backup_eligible,omitempty"` // nil: not said
	BackedUp       bool      `json:"backed_up,omitempty"`
	UserHandle     string    `json:"user_handle,omitempty"`
	Name           string    `json:"name,omitempty"`
	CreatedAt      time.Time `json:"created_at,omitzero"`
}

// Terms is an acceptance of the terms of use.
type Terms struct {
	Version    string    `json:"version"`
	AcceptedAt time.Time `json:"accepted_at"`
}

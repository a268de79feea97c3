package code

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portico/internal/clock"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Length of a code in digits (docs/specification.md section 9; NIST 800-63B-4 3.1.3.2 asks
// for six or more).
const Length = 6

// live is how many secrets of a flow are valid at a time.
const live = 2

// Secret is what the database keeps.
type Secret struct {
	ID        string
	FlowID    string
	Digits    []byte // keyed hash of flow and digits
	Link      []byte // SHA-256 of the link token
	SentAt    time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero while unused
}

// over reports whether the secret is no longer valid. A secret from the future
// is not valid either: after a clock was set back it would live too long.
func (s Secret) over(now time.Time) bool {
	return !now.Before(s.ExpiresAt) || clock.Ahead(s.SentAt, now)
}

// Store has the operations of the database that this package needs.
type Store interface {
	InsertCode(ctx context.Context, s Secret) error
	// CodesOf returns the secrets of a flow, newest first.
	CodesOf(ctx context.Context, flowID string) ([]Secret, error)
	CodeByLink(ctx context.Context, link []byte) (Secret, bool, error)
	// UseCode marks the secret as used and reports whether this call did it:
	// false when it was used before or has expired at now.
	UseCode(ctx context.Context, id string, now time.Time) (bool, error)
	// EndCodes marks all secrets of a flow as used.
	EndCodes(ctx context.Context, flowID string, now time.Time) error
}

// Issuer makes and redeems secrets. It is safe for concurrent use.
type Issuer struct {
	clock clock.Clock
	mac   *secret.MAC
}

// NewIssuer returns an Issuer.
func NewIssuer(key *secret.Key, c clock.Clock) *Issuer {
	return &Issuer{clock: c, mac: key.MAC("code")}
}

// Issued is a fresh secret in plain text, for the mail only.
type Issued struct {
	Digits    string
	Link      string
	ExpiresAt time.Time
}

// HandedLife is the validity of a secret that an operator hands over.
const HandedLife = 15 * time.Minute

// WelcomeLife is the validity of a secret that an operator has emailed to somebody who does not wait for
// it. It is the most that NIST 800-63B-4 4.2.1.2 allows.
const WelcomeLife = 24 * time.Hour

// Issue makes a secret for the flow, which is valid for a time.
func (i *Issuer) Issue(ctx context.Context, tx Store, flowID string, life time.Duration) (Issued, error) {
	now := i.clock.Now()
	fresh := Issued{Digits: secret.Digits(Length), Link: secret.Token(), ExpiresAt: now.Add(life)}
	return fresh, tx.InsertCode(ctx, Secret{
		ID: ids.New(), FlowID: flowID,
		Digits: i.mac.Sum(flowID, fresh.Digits), Link: secret.Hash(fresh.Link),
		SentAt: now, ExpiresAt: fresh.ExpiresAt,
	})
}

// Parse extracts the digits of a code from typed or pasted text. It accepts the digits of
// every script and ignores spaces and hyphens. The fault, if any, belongs to the
// field.
func Parse(typed, field string) (string, *fault.Field) {
	return ParseBetween(Length, Length, typed, field)
}

// ParseBetween is Parse for a code of another system, which has some number of digits.
func ParseBetween(least, most int, typed, field string) (string, *fault.Field) {
	if len(typed) > 256 {
		return "", &fault.Field{Name: field, Code: CodeFormat}
	}
	digits := strings.Map(asciiDigit, norm.NFKC.String(typed))
	switch {
	case strings.TrimSpace(typed) == "":
		return "", &fault.Field{Name: field, Code: CodeRequired}
	case len(digits) < least || most < len(digits):
		return "", &fault.Field{Name: field, Code: CodeFormat}
	}
	return digits, nil
}

// asciiDigit returns the ASCII digit of the same value, or -1 if r is not a digit.
// Unicode keeps the ten digits of a script in a row, from zero to nine.
func asciiDigit(r rune) rune {
	if !unicode.IsDigit(r) {
		return -1
	}
	zero := r
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return '0' + (r-zero)%10
}

// Redeem uses the secret of the flow that has these digits and ends its other
// secrets. It returns Wrong, Expired (right digits, too late) or Used. The
// caller counts the guess before.
func (i *Issuer) Redeem(ctx context.Context, tx Store, flowID, digits string) error {
	secrets, err := tx.CodesOf(ctx, flowID)
	if err != nil {
		return err
	}
	now := i.clock.Now()
	for n, s := range secrets {
		if !i.mac.Is(s.Digits, flowID, digits) {
			continue
		}
		switch {
		case !s.UsedAt.IsZero():
			return Used
		case n >= live, s.over(now):
			return Expired
		}
		return i.use(ctx, tx, s, now, Used)
	}
	return Wrong
}

// Over reports whether no secret of the flow is valid anymore.
func (i *Issuer) Over(ctx context.Context, tx Store, flowID string) (bool, error) {
	secrets, err := tx.CodesOf(ctx, flowID)
	return len(secrets) == 0 || secrets[0].over(i.clock.Now()), err
}

// FindLink returns the secret of a link without using it: opening a link
// changes nothing. It returns LinkMalformed, LinkUsed, LinkReplaced (a newer
// one took its place) or LinkExpired together with the secret, if there is one.
// A link that is not there has expired: its secret was deleted afterwards.
func (i *Issuer) FindLink(ctx context.Context, tx Store, token string) (Secret, error) {
	if !secret.ValidToken(token) {
		return Secret{}, LinkMalformed
	}
	s, ok, err := tx.CodeByLink(ctx, secret.Hash(token))
	switch {
	case err != nil:
		return Secret{}, err
	case !ok:
		return Secret{}, LinkExpired
	case !s.UsedAt.IsZero():
		return s, LinkUsed
	case s.over(i.clock.Now()):
		return s, LinkExpired
	}
	secrets, err := tx.CodesOf(ctx, s.FlowID)
	if err != nil {
		return Secret{}, err
	}
	for n, other := range secrets {
		if other.ID == s.ID && n >= live {
			return s, LinkReplaced
		}
	}
	return s, nil
}

// RedeemLink uses the secret of a link and ends the other secrets of its flow. It
// returns the faults of FindLink.
func (i *Issuer) RedeemLink(ctx context.Context, tx Store, token string) (Secret, error) {
	s, err := i.FindLink(ctx, tx, token)
	if err != nil {
		return s, err
	}
	return s, i.use(ctx, tx, s, i.clock.Now(), LinkUsed)
}

func (i *Issuer) use(ctx context.Context, tx Store, s Secret, now time.Time, used error) error {
	won, err := tx.UseCode(ctx, s.ID, now)
	if err != nil {
		return err
	}
	if !won {
		return used
	}
	return tx.EndCodes(ctx, s.FlowID, now)
}

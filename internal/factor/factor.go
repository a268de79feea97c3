package factor

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Kind is the kind of a second factor. The kinds are also words in the methods of
// a session.
type Kind string

// TOTP is an authenticator app with time-based codes.
const TOTP Kind = "totp"

// Most is how many factors an account may have. Each authenticator app makes a
// random code three times as likely to be right.
const Most = 3

// Factor is a second factor of an account.
type Factor struct {
	ID        string
	AccountID string
	Kind      Kind
	Sealed    []byte
	Form      Form  // of its codes
	LastStep  int64 // newest time step that was used
	CreatedAt time.Time
	UsedAt    time.Time
}

// Store is what this package needs of the database.
type Store interface {
	InsertFactor(ctx context.Context, f Factor) error
	// FactorsOf returns the factors of an account, the last used first.
	FactorsOf(ctx context.Context, accountID string) ([]Factor, error)
	// UseFactor sets the newest step, and reports whether it was older before.
	UseFactor(ctx context.Context, id string, step int64, at time.Time) (bool, error)
	// DeleteFactor deletes one factor of the account and reports whether it was
	// there.
	DeleteFactor(ctx context.Context, accountID, id string) (bool, error)
	// InsertRecoveryCode reports whether the set has no code with the selector yet.
	InsertRecoveryCode(ctx context.Context, c RecoveryCode) (bool, error)
	// RecoveryCodesOf returns the codes of an account that are not used.
	RecoveryCodesOf(ctx context.Context, accountID string) ([]RecoveryCode, error)
	// UseRecoveryCode deletes a code and reports whether this call did it.
	UseRecoveryCode(ctx context.Context, accountID, selector string) (bool, error)
	// DeleteRecoveryCodes deletes all codes of an account.
	DeleteRecoveryCodes(ctx context.Context, accountID string) error
}

// Keeper makes and checks factors. It is safe for concurrent use.
type Keeper struct {
	clock clock.Clock
	box   *secret.Box
}

// NewKeeper returns a Keeper. All nodes need the same clock.
func NewKeeper(key *secret.Key, c clock.Clock) *Keeper {
	return &Keeper{clock: c, box: key.Box("factor")}
}

// Add stores the authenticator app with the secret, if the code is right. This uses the
// code up. It returns Wrong, or Full if the account has Most factors.
func (k *Keeper) Add(ctx context.Context, tx Store, accountID string, s Secret, digits string) (Factor, error) {
	step, ok := s.step(Standard(), digits, k.clock.Now())
	if !ok {
		return Factor{}, Wrong
	}
	have, err := tx.FactorsOf(ctx, accountID)
	if err != nil {
		return Factor{}, err
	}
	if len(have) >= Most {
		return Factor{}, Full
	}
	now := k.clock.Now()
	f := k.Import(accountID, s, Standard(), now)
	f.LastStep = step
	return f, tx.InsertFactor(ctx, f)
}

// Import returns the row of an authenticator app that the account has had since a time, here or in another
// system. Any code is new.
func (k *Keeper) Import(accountID string, s Secret, form Form, at time.Time) Factor {
	f := Factor{ID: ids.New(), AccountID: accountID, Kind: TOTP, Form: form, CreatedAt: at, UsedAt: at}
	f.Sealed = k.box.Seal(s, rowOf(f))
	return f
}

// Right reports whether a code is valid now, without using it up.
func (k *Keeper) Right(s Secret, digits string) bool {
	_, ok := s.step(Standard(), digits, k.clock.Now())
	return ok
}

// Use checks a code against the authenticator apps of the account, and uses it up.
// It returns Wrong, or Replayed for a right code that was used before or is older
// than a used one.
func (k *Keeper) Use(ctx context.Context, tx Store, accountID, digits string) (Factor, error) {
	have, err := tx.FactorsOf(ctx, accountID)
	if err != nil {
		return Factor{}, err
	}
	now, replayed := k.clock.Now(), false
	for _, f := range have {
		s, err := k.box.Open(f.Sealed, rowOf(f))
		if err != nil {
			return Factor{}, err
		}
		step, ok := Secret(s).step(f.Form, digits, now)
		if !ok {
			continue
		}
		won, err := tx.UseFactor(ctx, f.ID, step, now)
		if err != nil {
			return Factor{}, err
		}
		if won {
			return f, nil
		}
		replayed = true
	}
	if replayed {
		return Factor{}, Replayed
	}
	return Factor{}, Wrong
}

// rowOf binds a sealed secret to its row.
func rowOf(f Factor) string { return f.ID + " " + f.AccountID }

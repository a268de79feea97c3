package trust

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Life is how long a browser is trusted.
const Life = 30 * 24 * time.Hour

// MostBrowsers is how many browsers of an account are trusted at a time. One more takes the
// place of the one that was used least recently.
const MostBrowsers = 20

// mostAccounts is how many accounts may trust one browser. One more takes the place of the
// oldest.
const mostAccounts = 5

// Browser is a browser that an account trusts.
type Browser struct {
	ID          string
	AccountID   string
	Hash        []byte // of the token
	Fingerprint []byte // of the credentials for which the trust was given
	UserAgent   string
	CreatedAt   time.Time // when this trust was given: a browser that is trusted anew has a new one
	UsedAt      time.Time
	ExpiresAt   time.Time
}

// Store is what this package needs of the database.
type Store interface {
	InsertTrust(ctx context.Context, b Browser) error
	// TrustsOf returns all rows of an account, the last used first.
	TrustsOf(ctx context.Context, accountID string) ([]Browser, error)
	// UseTrust sets UsedAt and reports whether the row was still there.
	UseTrust(ctx context.Context, id string, at time.Time) (bool, error)
	// DeleteTrust deletes a row of the account and reports whether it was there.
	DeleteTrust(ctx context.Context, accountID, id string) (bool, error)
}

// Fingerprint returns a fingerprint of the credentials of an account, in any order.
func Fingerprint(credentials []string) []byte {
	var text strings.Builder
	for _, c := range slices.Sorted(slices.Values(credentials)) {
		fmt.Fprintf(&text, "%d:%s,", len(c), c)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return sum[:]
}

// Keeper gives, checks and ends trust. It is safe for concurrent use.
type Keeper struct{ clock clock.Clock }

// NewKeeper returns a Keeper.
func NewKeeper(c clock.Clock) *Keeper { return &Keeper{c} }

// Give trusts a browser for an account, and returns the new value of its cookie. A
// row of the same browser and account is replaced, and rows that no longer count
// are deleted.
func (k *Keeper) Give(ctx context.Context, tx Store, accountID string, fingerprint []byte, agent, cookie string) (string, error) {
	all, err := tx.TrustsOf(ctx, accountID)
	if err != nil {
		return "", err
	}
	now, held := k.clock.Now(), tokens(cookie)
	kept := 0
	for _, b := range all {
		at := slices.IndexFunc(held, b.is)
		if at < 0 && b.counts(fingerprint, now) && kept < MostBrowsers-1 {
			kept++
			continue
		}
		if at >= 0 {
			held = slices.Delete(held, at, at+1)
		}
		if _, err := tx.DeleteTrust(ctx, accountID, b.ID); err != nil {
			return "", err
		}
	}
	token := secret.Token()
	held = append([]string{token}, held[:min(len(held), mostAccounts-1)]...)
	return strings.Join(held, "."), tx.InsertTrust(ctx, Browser{
		ID: ids.New(), AccountID: accountID, Hash: secret.Hash(token), Fingerprint: fingerprint, UserAgent: agent,
		CreatedAt: now, UsedAt: now, ExpiresAt: now.Add(Life),
	})
}

// Use reports whether the account trusts the browser with the cookie, and notes the
// use.
func (k *Keeper) Use(ctx context.Context, tx Store, accountID string, fingerprint []byte, cookie string) (bool, error) {
	held := tokens(cookie)
	if len(held) == 0 {
		return false, nil
	}
	all, err := k.List(ctx, tx, accountID, fingerprint)
	for _, b := range all {
		if slices.ContainsFunc(held, b.is) {
			return tx.UseTrust(ctx, b.ID, k.clock.Now())
		}
	}
	return false, err
}

// List returns the browsers that an account trusts now, the last used first.
func (k *Keeper) List(ctx context.Context, tx Store, accountID string, fingerprint []byte) ([]Browser, error) {
	all, err := tx.TrustsOf(ctx, accountID)
	now := k.clock.Now()
	return slices.DeleteFunc(all, func(b Browser) bool { return !b.counts(fingerprint, now) }), err
}

// End ends the trust in one browser, or in all for an empty id. It returns how many
// were trusted until now.
func (k *Keeper) End(ctx context.Context, tx Store, accountID string, fingerprint []byte, id string) (ended int, err error) {
	all, err := tx.TrustsOf(ctx, accountID)
	if err != nil {
		return 0, err
	}
	now := k.clock.Now()
	for _, b := range all {
		if id != "" && b.ID != id {
			continue
		}
		there, err := tx.DeleteTrust(ctx, accountID, b.ID)
		if err != nil {
			return 0, err
		}
		if there && b.counts(fingerprint, now) {
			ended++
		}
	}
	return ended, nil
}

// Has reports whether the cookie of a browser has the token of b.
func (b Browser) Has(cookie string) bool { return slices.ContainsFunc(tokens(cookie), b.is) }

func (b Browser) is(token string) bool { return secret.Equal(b.Hash, secret.Hash(token)) }

// counts reports whether the trust holds for these credentials. Trust from the
// future does not: after the clock was set back, it would last longer than Life.
func (b Browser) counts(fingerprint []byte, now time.Time) bool {
	return secret.Equal(b.Fingerprint, fingerprint) && now.Before(b.ExpiresAt) && !clock.Ahead(b.CreatedAt, now)
}

// tokens returns the tokens in a cookie, the newest first.
func tokens(cookie string) []string {
	list := slices.DeleteFunc(strings.SplitN(cookie, ".", mostAccounts+1), func(t string) bool { return !secret.ValidToken(t) })
	return list[:min(len(list), mostAccounts)]
}

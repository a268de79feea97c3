package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// ByKey returns the program that sends a request with the secret of a key. Each change judges the
// key again (acts).
//
// Faults: as keyOf.
func (f *Operator) ByKey(ctx context.Context, c Caller, text string) (Actor, error) {
	if !apikey.Valid(text) {
		return Actor{}, apikey.Unknown
	}
	held, err := read(ctx, f.store, func(tx Tx) (apikey.Held, error) { return f.keyOf(ctx, tx, secret.Hash(text)) })
	name := audit.ByKey(held.ID)
	return Actor{name: name, caller: managing(name), from: c, key: &held}, err
}

// keyOf returns the key of a secret, and a fault unless the secret works: it was not ended, the end of the key
// has not come, and the account that answers for it is an admin's.
//
// Faults: apikey.Unknown, apikey.Ended, apikey.Stopped.
func (f *Operator) keyOf(ctx context.Context, tx Tx, hash []byte) (apikey.Held, error) {
	held, ok, err := tx.APIKeyBySecret(ctx, hash)
	switch {
	case err != nil:
		return held, err
	case !ok:
		return held, apikey.Unknown
	case !f.clock.Now().Before(held.EndsAt):
		return held, apikey.Ended
	}
	answers, err := f.answers(ctx, tx, held.AccountID)
	if err == nil && !answers {
		err = apikey.Stopped
	}
	return held, err
}

// isAdmin reports whether an account is an admin's, and neither disabled, ended nor closed by its owner.
func (f *core) isAdmin(a account.Account) bool {
	return a.State == account.Active && !a.Ended(f.clock.Now()) && slices.Contains(a.Roles, RoleAdmin)
}

// answers reports whether an account may answer for an API key: it is that of an admin, and open.
func (f *core) answers(ctx context.Context, tx Tx, accountID string) (bool, error) {
	owner, ok, err := tx.AccountByID(ctx, accountID)
	return ok && f.isAdmin(owner), err
}

// keyWorks reports whether any secret of a key works.
func (f *core) keyWorks(ctx context.Context, tx Tx, id string) (bool, error) {
	k, ok, err := tx.APIKeyByID(ctx, id)
	if err != nil || !ok || !f.clock.Now().Before(k.EndsAt) {
		return false, err
	}
	secrets, err := tx.APIKeySecrets(ctx, id)
	for _, s := range secrets {
		if works, err := f.answers(ctx, tx, s.AccountID); works || err != nil {
			return works, err
		}
	}
	return false, err
}

// MayUse returns a fault if the Actor is a key without the scope. An operation without one is for
// admins only.
//
// Faults: apikey.Lacks, apikey.Never.
func (a Actor) MayUse(scope string) error {
	switch {
	case a.key == nil:
		return nil
	case scope == "":
		return apikey.Never
	case !slices.Contains(a.key.Scopes, scope):
		return apikey.Lacks(scope)
	}
	return nil
}

// keyID returns the id of the Actor's key, or "".
func (a Actor) keyID() string {
	if a.key == nil {
		return ""
	}
	return a.key.ID
}

// Quota says how many requests an Actor has left.
type Quota struct {
	Count, Left    int
	Window, Resets time.Duration
}

// Enter counts a request to the admin API, and notes the use of a key.
//
// Faults: throttle.Limited.
func (f *Operator) Enter(ctx context.Context, by Actor) (Quota, error) {
	q := Quota{Count: adminAPI.Count, Window: adminAPI.Window}
	attempt := throttle.Attempt{Limit: adminAPI, Subject: by.name}
	var d throttle.Decision
	err := f.store.Write(ctx, func(tx Tx) (err error) {
		if d, err = f.limiter.Take(ctx, tx, attempt); err != nil {
			return err
		}
		stands, _, err := f.limiter.Stand(ctx, tx, attempt)
		if err != nil {
			return err
		}
		q.Left, q.Resets = max(0, d.Left), throttle.Rounded(stands.Clear.Sub(f.clock.Now()))
		if k := by.key; k != nil && !clock.Valid(k.UsedAt.Add(time.Minute), time.Minute, f.clock.Now()) {
			return tx.TouchAPIKey(ctx, k.ID, f.clock.Now(), by.from.Peer)
		}
		return nil
	})
	if err == nil && !d.Allowed {
		err = throttle.Limited(throttle.Rounded(d.Wait))
	}
	return q, err
}

package flow

import (
	"cmp"
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// APIKey is a key with what a list shows of it.
type APIKey struct {
	apikey.Key
	Secrets      int    // at most two
	OwnerID      string // the admin who answers for the newest secret, "" without one
	OwnerAddress string // of that admin
	State        KeyState
}

// KeyState says whether a key works.
type KeyState string

const (
	KeyWorks   KeyState = "working"
	KeyStopped KeyState = "stopped" // no admin answers for it: the secrets of a former admin end
	KeyEnded   KeyState = "ended"
)

// MakeAPIKey makes a key for which an admin answers, and returns its secret. The admin learns of it
// by email. A key makes no key.
//
// Faults: the fields name, scopes and ends_at, apikey.Never, apikey.NoAdmin for an owner who is no
// admin, throttle.Limited, and as mayOwnKey and acts.
func (f *Operator) MakeAPIKey(ctx context.Context, by Actor, ownerID string, ask apikey.Ask) (made APIKey, text string, err error) {
	now := f.clock.Now()
	k := apikey.Key{ID: ids.NewAt(now), CreatedAt: now}
	var bad *fault.Field
	if k.Name, bad = account.ParseName(ask.Name); bad == nil && k.Name == "" {
		bad = &fault.Field{Name: "name", Code: apikey.CodeName}
	}
	if bad == nil {
		k.Scopes, bad = apikey.Checked(ask.Scopes)
	}
	if bad == nil {
		k.EndsAt, bad = apikey.Until(ask.EndsAt, now)
	}
	if bad != nil {
		return made, "", fault.InvalidFields(*bad)
	}
	k.WarnedAt = f.warned(k)
	return f.newSecret(ctx, by, ownerID, audit.APIKeyMade, func(tx Tx) (apikey.Key, []apikey.Secret, error) {
		return k, nil, tx.InsertAPIKey(ctx, k)
	})
}

// warned returns when the owner of a key has learned of its end: at once, if it comes so soon that a
// second email would tell nothing new.
func (f *Operator) warned(k apikey.Key) time.Time {
	if now := f.clock.Now(); k.EndsAt.Sub(now) <= apikey.WarnBefore {
		return now
	}
	return time.Time{}
}

// RotateAPIKey gives a key another secret and another end, and returns the secret. The newest one
// before works on until EndAPIKey. An older one ends, and one whose owner is no longer an admin (endSecrets).
//
// Faults: the field ends_at, apikey.Missing, apikey.Never, apikey.NoAdmin, throttle.Limited, and as mayOwnKey and acts.
func (f *Operator) RotateAPIKey(ctx context.Context, by Actor, ownerID, id string, ends time.Time) (k APIKey, text string, err error) {
	until, bad := apikey.Until(ends, f.clock.Now())
	if bad != nil {
		return k, "", fault.InvalidFields(*bad)
	}
	return f.newSecret(ctx, by, ownerID, audit.APIKeyRotated, func(tx Tx) (apikey.Key, []apikey.Secret, error) {
		k, err := f.liveKey(ctx, tx, id)
		if err != nil {
			return k, nil, err
		}
		had, err := tx.APIKeySecrets(ctx, id)
		if err != nil {
			return k, nil, err
		}
		var gone []apikey.Secret
		for i, s := range had {
			works, err := f.answers(ctx, tx, s.AccountID)
			if err != nil {
				return k, nil, err
			}
			if i > 0 || !works {
				gone = append(gone, s)
			}
		}
		if err := f.endEach(ctx, tx, by.fact(audit.APIKeyEnded, "", ""), detailOldSecret, gone...); err != nil {
			return k, nil, err
		}
		k.EndsAt = until
		return k, had, tx.UpdateAPIKey(ctx, id, k.EndsAt, f.warned(k))
	})
}

// newSecret stores a new secret of the key that prepare returns with the secrets it had, the newest first.
// It records the secret and tells the owner.
func (f *Operator) newSecret(ctx context.Context, by Actor, ownerID string, event audit.Name, prepare func(tx Tx) (apikey.Key, []apikey.Secret, error)) (made APIKey, text string, err error) {
	if by.key != nil {
		return made, "", apikey.Never
	}
	text = apikey.New()
	err = f.acts(ctx, by, func(tx Tx) error {
		owner, ok, err := tx.AccountByID(ctx, ownerID)
		if err != nil || !ok {
			return cmp.Or[error](err, account.Missing)
		}
		if !f.isAdmin(owner) {
			return apikey.NoAdmin
		}
		k, before, err := prepare(tx)
		if err != nil {
			return err
		}
		if err := f.mayOwnKey(ctx, tx, ownerID, k.ID); err != nil {
			return err
		}
		s := apikey.Secret{Hash: secret.Hash(text), KeyID: k.ID, AccountID: ownerID, CreatedAt: f.clock.Now()}
		if len(before) > 0 && !s.CreatedAt.After(before[0].CreatedAt) {
			s.CreatedAt = before[0].CreatedAt.Add(time.Microsecond) // the clock of another node is ahead
		}
		if err := tx.InsertAPIKeySecret(ctx, s); err != nil {
			return err
		}
		if made, err = f.shownKey(ctx, tx, k); err != nil {
			return err
		}
		return f.reportKey(ctx, tx, by, owner, by.fact(event, ownerID, k.ID))
	})
	if err != nil {
		return APIKey{}, "", err
	}
	return made, text, nil
}

// mayOwnKey returns a fault if an admin answers for as many keys as one may, apart from the one with an id.
//
// Faults: apikey.Full.
func (f *Operator) mayOwnKey(ctx context.Context, tx Tx, ownerID, id string) error {
	secrets, err := tx.APIKeySecretsOf(ctx, ownerID, f.clock.Now())
	others := map[string]bool{}
	for _, s := range secrets {
		others[s.KeyID] = true
	}
	delete(others, id)
	if err == nil && len(others) >= apikey.MostKeys {
		err = apikey.Full
	}
	return err
}

// reportKey records a change of a key and tells its owner. The email has the alarm if the owner
// seems to have made the change: a thief may have. It then counts with the other changes of the owner.
//
// Faults: throttle.Limited.
func (f *Operator) reportKey(ctx context.Context, tx Tx, by Actor, owner account.Account, change audit.Fact) error {
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	told := inWords(owner, change)
	if by.own(owner.ID) {
		if err := f.take(ctx, tx, throttle.Attempt{Limit: changeDay, Subject: owner.ID}); err != nil {
			return err
		}
		told.template = mailChanged
		return f.post(ctx, tx, by.from, told)
	}
	return f.post(ctx, tx, by.caller, told)
}

// liveKey returns a key that has not ended.
func (f *Operator) liveKey(ctx context.Context, tx Tx, id string) (apikey.Key, error) {
	k, ok, err := tx.APIKeyByID(ctx, id)
	if err == nil && (!ok || !f.clock.Now().Before(k.EndsAt)) {
		err = apikey.Missing
	}
	return k, err
}

// EndAPIKey ends a key at once, or only its secrets before the newest, as endSecrets says. It returns apikey.Missing
// for a key that has ended, or has no old secret.
//
// Faults: apikey.Missing, apikey.Never, and as acts.
func (f *Operator) EndAPIKey(ctx context.Context, by Actor, id string, onlyOld bool) error {
	if by.key != nil {
		return apikey.Never
	}
	return f.acts(ctx, by, func(tx Tx) error {
		if _, err := f.liveKey(ctx, tx, id); err != nil {
			return err
		}
		had, err := tx.APIKeySecrets(ctx, id)
		if err != nil {
			return err
		}
		change := by.fact(audit.APIKeyEnded, "", id)
		if len(had) > 0 {
			change.AccountID = had[0].AccountID
		}
		if onlyOld {
			if len(had) < 2 {
				return apikey.Missing
			}
			return f.endEach(ctx, tx, change, detailOldSecret, had[1:]...)
		}
		if err := tx.UpdateAPIKey(ctx, id, f.clock.Now(), f.clock.Now()); err != nil {
			return err
		}
		if err := f.record.Add(ctx, tx, change); err != nil {
			return err
		}
		return f.endSecrets(ctx, tx, change, had...)
	})
}

// detailOldSecret is in the detail of the record of an old secret that was ended, after the id of its key.
const detailOldSecret = "old_secret"

// APIKeys returns a page of the keys, with those that have ended, as long as the record is kept.
func (f *Operator) APIKeys(ctx context.Context, after string, limit int) (page Page[APIKey], err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		page, err = paged(limit, func(k APIKey) string { return k.ID }, nil, func(most int) ([]APIKey, error) {
			keys, err := tx.APIKeys(ctx, after, most)
			if err != nil {
				return nil, err
			}
			return f.shownKeys(ctx, tx, keys)
		})
		return err
	})
	return page, err
}

// APIKey returns a key, or apikey.Missing.
func (f *Operator) APIKey(ctx context.Context, id string) (k APIKey, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		found, ok, err := tx.APIKeyByID(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return apikey.Missing
		}
		k, err = f.shownKey(ctx, tx, found)
		return err
	})
	return k, err
}

func (f *Operator) shownKey(ctx context.Context, tx Tx, k apikey.Key) (APIKey, error) {
	list, err := f.shownKeys(ctx, tx, []apikey.Key{k})
	if err != nil {
		return APIKey{}, err
	}
	return list[0], nil
}

// shownKeys reads who answers for keys.
func (f *Operator) shownKeys(ctx context.Context, tx Tx, keys []apikey.Key) (list []APIKey, err error) {
	var all, owners []string
	for _, k := range keys {
		all = append(all, k.ID)
	}
	secrets, err := tx.APIKeySecrets(ctx, all...)
	if err != nil {
		return nil, err
	}
	for _, s := range secrets {
		owners = append(owners, s.AccountID)
	}
	accounts, err := tx.AccountsByID(ctx, distinct(owners))
	for _, k := range keys {
		shown := APIKey{Key: k, State: KeyStopped}
		for _, s := range secrets { // the newest first
			if s.KeyID != k.ID {
				continue
			}
			if shown.Secrets++; shown.Secrets > 1 {
				continue
			}
			shown.OwnerID = s.AccountID
			for _, a := range accounts {
				if a.ID != s.AccountID {
					continue
				}
				shown.OwnerAddress = a.Address.Mail
				if f.isAdmin(a) {
					shown.State = KeyWorks
				}
			}
		}
		if !f.clock.Now().Before(k.EndsAt) {
			shown.State = KeyEnded
		}
		list = append(list, shown)
	}
	return list, err
}

// warnAtOnce bounds one transaction of WarnOfKeys, so that other writes wait briefly.
const warnAtOnce = 10

// WarnOfKeys tells the owners of keys that end soon, once for each key, and returns these keys. It
// reports whether there may be more.
func (f *Operator) WarnOfKeys(ctx context.Context, tx Tx) (told []apikey.Key, more bool, err error) {
	now := f.clock.Now()
	due, err := tx.EndingAPIKeys(ctx, now, now.Add(apikey.WarnBefore), warnAtOnce)
	if err != nil {
		return nil, false, err
	}
	for _, found := range due {
		k, ok, err := tx.APIKeyByID(ctx, found.ID) // which holds it: an admin may give it another end
		if err != nil {
			return nil, false, err
		}
		if !ok || !k.EndsAt.Equal(found.EndsAt) {
			continue
		}
		told = append(told, k)
		if err := tx.UpdateAPIKey(ctx, k.ID, k.EndsAt, now); err != nil {
			return nil, false, err
		}
		secrets, err := tx.APIKeySecrets(ctx, k.ID)
		if err != nil {
			return nil, false, err
		}
		if len(secrets) == 0 {
			continue
		}
		owner, ok, err := tx.AccountByID(ctx, secrets[0].AccountID)
		if err == nil && ok {
			err = f.post(ctx, tx, ByOperator.caller, email{template: mailKeyEnds, owner: &owner, key: k.Name, endsAt: k.EndsAt})
		}
		if err != nil {
			return nil, false, err
		}
	}
	return told, len(due) == warnAtOnce, nil
}

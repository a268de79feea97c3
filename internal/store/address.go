package store

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
)

// free returns the condition that no account except the one with the id has the address as
// another address at the time.
func free(key, id, at string) string {
	return `NOT EXISTS (SELECT 1 FROM other_address k WHERE k.address_key = ` + key + ` AND k.account_id <> ` + id + ` AND k.expires_at > ` + at + `)`
}

// HoldAddresses implements flow.NewcomerStore. On PostgreSQL two transactions would give an address at once, one as the
// primary address and one as another: neither sees what the other has not committed. The statement after it sees all.
// The rows by which they wait are never committed.
func (t *Tx) HoldAddresses(ctx context.Context, keys []string) error {
	if t.core.Locks.Throttle == "" {
		return nil
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // in one order, so that no two wait for each other
	held := rows{table: "throttle", columns: "key, attempts, last_at, forget_at", after: ` ON CONFLICT (key) DO UPDATE SET attempts = throttle.attempts`}
	for i, key := range keys {
		keys[i] = "address " + key
		held.add(keys[i], 0, 0, 0)
	}
	if err := t.insert(ctx, held); err != nil {
		return err
	}
	return t.runAmong(ctx, `DELETE FROM throttle WHERE key IN (`, nil, keys)
}

const otherColumns = `account_id, address, address_key, kind, added_at, primary_until, expires_at`

func scanOther(row scanner) (account.Other, error) {
	var o account.Other
	var added, at, until int64
	err := row.Scan(&o.AccountID, &o.Address.Mail, &o.Address.Key, &o.Use, &added, &at, &until)
	o.AddedAt, o.PrimaryUntil, o.Until = fromMicros(added), fromMicros(at), fromMicros(until)
	return o, err
}

// AddAddress implements account.OtherStore. An address of the account itself keeps
// the time when it stopped being the primary one.
func (t *Tx) AddAddress(ctx context.Context, o account.Other, now time.Time) (bool, error) {
	if err := t.HoldAddresses(ctx, []string{o.Address.Key}); err != nil {
		return false, err
	}
	return t.one(ctx, `INSERT INTO other_address (`+otherColumns+`)
		SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT 1 FROM account p WHERE p.address_key = $3)
		ON CONFLICT (address_key) DO UPDATE SET account_id = $1, address = $2, kind = $4, added_at = $5, expires_at = $7,
		primary_until = CASE WHEN other_address.account_id = $1 THEN other_address.primary_until ELSE $6 END
		WHERE other_address.account_id = $1 OR other_address.expires_at <= $8`,
		append(otherValues(o), micros(now))...)
}

// KeepAddress implements account.OtherStore.
func (t *Tx) KeepAddress(ctx context.Context, o account.Other) error {
	return t.run(ctx, `INSERT INTO other_address (`+otherColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (address_key) DO UPDATE SET account_id = $1, address = $2, kind = $4, added_at = $5, primary_until = $6, expires_at = $7`,
		otherValues(o)...)
}

// otherValues returns the values of otherColumns.
func otherValues(o account.Other) []any {
	return []any{o.AccountID, o.Address.Mail, o.Address.Key, string(o.Use), micros(o.AddedAt), micros(o.PrimaryUntil), micros(o.Until)}
}

// AddressByKey implements account.OtherStore.
func (t *Tx) AddressByKey(ctx context.Context, key string, now time.Time) (account.Other, bool, error) {
	return first(ctx, t, `SELECT `+otherColumns+` FROM other_address WHERE address_key = $1 AND expires_at > $2
		AND NOT EXISTS (SELECT 1 FROM account p WHERE p.address_key = $1)`, []any{key, micros(now)}, scanOther)
}

// AddressesOf implements account.OtherStore.
func (t *Tx) AddressesOf(ctx context.Context, accountID string, now time.Time) ([]account.Other, error) {
	return collect(ctx, t, `SELECT `+otherColumns+` FROM other_address WHERE account_id = $1 AND expires_at > $2 ORDER BY added_at, address_key`,
		[]any{accountID, micros(now)}, scanOther)
}

// UseAddress implements account.OtherStore.
func (t *Tx) UseAddress(ctx context.Context, o account.Other) error {
	return t.run(ctx, `UPDATE other_address SET kind = $3, expires_at = $4 WHERE address_key = $1 AND account_id = $2`,
		o.Address.Key, o.AccountID, string(o.Use), micros(o.Until))
}

// DropAddress implements account.OtherStore.
func (t *Tx) DropAddress(ctx context.Context, accountID, key string) error {
	return t.run(ctx, `DELETE FROM other_address WHERE address_key = $1 AND account_id = $2`, key, accountID)
}

// DropAddresses implements account.OtherStore.
func (t *Tx) DropAddresses(ctx context.Context, accountID string) error {
	return t.run(ctx, `DELETE FROM other_address WHERE account_id = $1`, accountID)
}

// UpdateAlarm implements account.Store.
func (t *Tx) UpdateAlarm(ctx context.Context, id string, a account.Alarm) error {
	return t.run(ctx, `UPDATE account SET alarm_mail_at = $2, alarm_at = $3, alarm_address_at = $4 WHERE id = $1`,
		id, micros(a.Since), micros(a.RaisedAt), micros(a.AddedAt))
}

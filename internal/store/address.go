package store

import (
	"context"
	"time"

	"portico/internal/account"
)

// free says that an address is not kept for another account than the one with the
// id at the time.
func free(key, id, at string) string {
	return `NOT EXISTS (SELECT 1 FROM other_address k WHERE k.address_key = ` + key + ` AND k.account_id <> ` + id + ` AND k.expires_at > ` + at + `)`
}

// KeepAddress implements account.Store.
func (t *Tx) KeepAddress(ctx context.Context, f account.Former) error {
	_, err := t.exec(ctx, `INSERT INTO other_address (address_key, account_id, address, at, expires_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (address_key) DO UPDATE SET account_id = $2, address = $3, at = $4, expires_at = $5`,
		f.Address.Key, f.AccountID, f.Address.Mail, micros(f.At), micros(f.Until))
	return err
}

// FormersOf implements account.Store.
func (t *Tx) FormersOf(ctx context.Context, accountID string, now time.Time) ([]account.Former, error) {
	return collect(ctx, t, `SELECT account_id, address, address_key, at, expires_at FROM other_address
		WHERE account_id = $1 AND expires_at > $2 ORDER BY at DESC`, []any{accountID, micros(now)},
		func(row scanner) (f account.Former, err error) {
			var at, until int64
			err = row.Scan(&f.AccountID, &f.Address.Mail, &f.Address.Key, &at, &until)
			f.At, f.Until = fromMicros(at), fromMicros(until)
			return f, err
		})
}

// DropFormers implements account.Store.
func (t *Tx) DropFormers(ctx context.Context, accountID string, at time.Time) error {
	_, err := t.exec(ctx, `DELETE FROM other_address WHERE account_id = $1 AND at >= $2`, accountID, micros(at))
	return err
}

// UpdateAlarm implements account.Store.
func (t *Tx) UpdateAlarm(ctx context.Context, id string, a account.Alarm) (bool, error) {
	n, err := t.exec(ctx, `UPDATE account SET alarm_mail_at = $2, alarm_at = $3 WHERE id = $1`, id, micros(a.Since), micros(a.RaisedAt))
	return n == 1, err
}

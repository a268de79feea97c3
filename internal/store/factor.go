package store

import (
	"context"
	"time"

	"portico/internal/factor"
)

const factorColumns = `id, account_id, kind, sealed, digits, period, algorithm, last_step, created_at, used_at`

// factorValues returns the values of factorColumns.
func factorValues(f factor.Factor) []any {
	return []any{f.ID, f.AccountID, string(f.Kind), f.Sealed, f.Form.Digits, f.Form.Period, f.Form.Algorithm, f.LastStep, micros(f.CreatedAt), micros(f.UsedAt)}
}

// InsertFactor implements factor.Store.
func (t *Tx) InsertFactor(ctx context.Context, f factor.Factor) error {
	_, err := t.changePerson(ctx, f.AccountID, `INSERT INTO factor (`+factorColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, factorValues(f)...)
	return err
}

// FactorsOf implements factor.Store.
func (t *Tx) FactorsOf(ctx context.Context, accountID string) ([]factor.Factor, error) {
	return collect(ctx, t, `SELECT `+factorColumns+` FROM factor
		WHERE account_id = $1 ORDER BY used_at DESC, id`, []any{accountID},
		func(row scanner) (factor.Factor, error) {
			var f factor.Factor
			var created, used int64
			err := row.Scan(&f.ID, &f.AccountID, &f.Kind, &f.Sealed, &f.Form.Digits, &f.Form.Period, &f.Form.Algorithm, &f.LastStep, &created, &used)
			f.CreatedAt, f.UsedAt = fromMicros(created), fromMicros(used)
			return f, err
		})
}

// UseFactor implements factor.Store.
func (t *Tx) UseFactor(ctx context.Context, id string, step int64, at time.Time) (bool, error) {
	return t.one(ctx, `UPDATE factor SET last_step = $2, used_at = $3 WHERE id = $1 AND last_step < $2`, id, step, micros(at))
}

// DeleteFactor implements factor.Store.
func (t *Tx) DeleteFactor(ctx context.Context, accountID, id string) (bool, error) {
	return t.changePerson(ctx, accountID, `DELETE FROM factor WHERE id = $1 AND account_id = $2`, id, accountID)
}

// InsertRecoveryCode implements factor.Store.
func (t *Tx) InsertRecoveryCode(ctx context.Context, c factor.RecoveryCode) (bool, error) {
	return t.one(ctx, `INSERT INTO recovery_code (account_id, selector, hash) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, selector) DO NOTHING`, c.AccountID, c.Selector, c.Hash)
}

// RecoveryCodesOf implements factor.Store.
func (t *Tx) RecoveryCodesOf(ctx context.Context, accountID string) ([]factor.RecoveryCode, error) {
	return collect(ctx, t, `SELECT account_id, selector, hash FROM recovery_code WHERE account_id = $1 ORDER BY selector`, []any{accountID},
		func(row scanner) (factor.RecoveryCode, error) {
			var c factor.RecoveryCode
			err := row.Scan(&c.AccountID, &c.Selector, &c.Hash)
			return c, err
		})
}

// UseRecoveryCode implements factor.Store.
func (t *Tx) UseRecoveryCode(ctx context.Context, accountID, selector string) (bool, error) {
	return t.one(ctx, `DELETE FROM recovery_code WHERE account_id = $1 AND selector = $2`, accountID, selector)
}

// DeleteRecoveryCodes implements factor.Store.
func (t *Tx) DeleteRecoveryCodes(ctx context.Context, accountID string) error {
	return t.run(ctx, `DELETE FROM recovery_code WHERE account_id = $1`, accountID)
}

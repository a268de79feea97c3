package store

import (
	"context"
	"time"

	"portico/internal/openid"
)

func consentRow(row scanner) (openid.Consent, error) {
	var c openid.Consent
	var scopes string
	var given int64
	if err := row.Scan(&c.AccountID, &c.ClientID, &scopes, &given); err != nil {
		return openid.Consent{}, err
	}
	c.GivenAt = fromMicros(given)
	var err error
	c.Scopes, err = unlist(scopes)
	return c, err
}

// ConsentOf implements openid.ConsentStore.
func (t *Tx) ConsentOf(ctx context.Context, accountID, clientID string) (openid.Consent, bool, error) {
	return first(ctx, t, `SELECT account_id, client_id, scopes, given_at FROM openid_consent WHERE account_id = $1 AND client_id = $2`,
		[]any{accountID, clientID}, consentRow)
}

// SaveConsent implements openid.ConsentStore.
func (t *Tx) SaveConsent(ctx context.Context, c openid.Consent) error {
	return t.run(ctx, `INSERT INTO openid_consent (account_id, client_id, scopes, given_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, client_id) DO UPDATE SET scopes = excluded.scopes, given_at = excluded.given_at`,
		c.AccountID, c.ClientID, list(c.Scopes), micros(c.GivenAt))
}

// TrimConsents implements openid.ConsentStore.
func (t *Tx) TrimConsents(ctx context.Context, accountID string, keep int) error {
	return t.run(ctx, `DELETE FROM openid_consent WHERE account_id = $1 AND client_id IN (SELECT client_id FROM (
		SELECT client_id, ROW_NUMBER() OVER (ORDER BY given_at DESC, client_id) AS place FROM openid_consent WHERE account_id = $1) ranged
		WHERE place > $2)`, accountID, keep)
}

// DeleteConsent implements openid.ConsentStore.
func (t *Tx) DeleteConsent(ctx context.Context, accountID, clientID string) (bool, error) {
	return t.one(ctx, `DELETE FROM openid_consent WHERE account_id = $1 AND client_id = $2`, accountID, clientID)
}

// DeleteConsents implements openid.ConsentStore.
func (t *Tx) DeleteConsents(ctx context.Context, accountID string) ([]string, error) {
	return collect(ctx, t, `DELETE FROM openid_consent WHERE account_id = $1 RETURNING client_id`, []any{accountID}, scanOne[string])
}

// ConsentsOf implements openid.ConsentStore.
func (t *Tx) ConsentsOf(ctx context.Context, accountID string) ([]openid.Consent, error) {
	return collect(ctx, t, `SELECT account_id, client_id, scopes, given_at FROM openid_consent WHERE account_id = $1 ORDER BY client_id`,
		[]any{accountID}, consentRow)
}

// HoldersOf implements openid.ConsentStore. It walks over the accounts. An index by client
// would make each sign-in of a client slower, and only rare commands would use it.
func (t *Tx) HoldersOf(ctx context.Context, clientID, after string, now time.Time, limit int) (holders []string, last string, err error) {
	walked, err := collect(ctx, t, `SELECT id FROM account WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)`, []any{after, limit}, scanOne[string])
	if err != nil || len(walked) == 0 {
		return nil, "", err
	}
	last = walked[len(walked)-1]
	holders, err = collect(ctx, t, `SELECT account_id FROM openid_consent WHERE account_id > $1 AND account_id <= $2 AND client_id = $3
		UNION SELECT account_id FROM openid_grant WHERE account_id > $1 AND account_id <= $2 AND client_id = $3 AND ended_at = 0 AND expires_at > $4
		ORDER BY account_id`, []any{after, last, clientID, micros(now)}, scanOne[string])
	return holders, last, err
}

// ClientsOf implements openid.ConsentStore.
func (t *Tx) ClientsOf(ctx context.Context, accountID string, now time.Time) ([]openid.Consent, error) {
	return collect(ctx, t, `SELECT g.account_id, g.client_id, '[]', MIN(g.created_at)
		FROM openid_grant g JOIN account a ON a.id = g.account_id AND a.version = g.version
		WHERE g.account_id = $1 AND g.redeemed_at > 0 AND g.ended_at = 0 AND g.expires_at > $2 GROUP BY g.account_id, g.client_id ORDER BY g.client_id`,
		[]any{accountID, micros(now)}, consentRow)
}

package store

import (
	"context"
	"time"

	"portico/internal/account"
)

// SummaryOf implements account.SummaryStore, in one statement. It counts the rows that the
// lists of the account return: AddressesOf, SessionsOf, ConsentsOf with ClientsOf, and so on.
func (t *Tx) SummaryOf(ctx context.Context, accountID string, now, since time.Time) (account.Summary, error) {
	return only(ctx, t, `SELECT CASE a.password WHEN '' THEN 0 ELSE 1 END,
		(SELECT COUNT(*) FROM other_address WHERE account_id = a.id AND expires_at > $2 AND kind IN ($4, $5)),
		(SELECT COUNT(*) FROM passkey WHERE account_id = a.id),
		(SELECT COUNT(*) FROM factor WHERE account_id = a.id),
		(SELECT COUNT(*) FROM session WHERE account_id = a.id AND version = a.version AND expires_at > $2 AND last_seen_at > $3),
		(SELECT COUNT(*) FROM openid_consent WHERE account_id = a.id) + (SELECT COUNT(DISTINCT g.client_id) FROM openid_grant g
			WHERE g.account_id = a.id AND g.version = a.version AND g.redeemed_at > 0 AND g.ended_at = 0 AND g.expires_at > $2
			AND NOT EXISTS (SELECT 1 FROM openid_consent c WHERE c.account_id = a.id AND c.client_id = g.client_id))
		FROM account a WHERE a.id = $1`, []any{accountID, micros(now), micros(since), string(account.Recovery), string(account.Spare)},
		func(row scanner) (s account.Summary, err error) {
			var password int64
			err = row.Scan(&password, &s.Addresses, &s.Passkeys, &s.Apps, &s.Sessions, &s.Clients)
			s.Password = password == 1
			s.Addresses++
			return s, err
		})
}

package store

import (
	"context"
	"time"

	"portico/internal/outbox"
)

// Rewind makes a restored database safe to serve. Pending codes and steps expire; otherwise
// a code used after the backup would work again. Grants of OpenID clients, their pushed
// requests, devices that wait and initial tokens are deleted, because used ones would work
// again. Clients that have registered themselves are ended, because ended ones and
// replaced tokens would work again. Waiting emails are given up with the reason, because
// they were most likely sent already, and so are events for webhooks; Rewind returns the number of these messages. Jobs
// that run are stopped, because what they had left was most likely done since, and imported people who wait for an email
// wait no more. Sessions, personal access tokens, trusted browsers, invitations and
// secrets of API keys that were ended after the copy was made are valid again, unless endSessions is set, which
// ends all of them.
func (t *Tx) Rewind(ctx context.Context, now time.Time, reason string, endSessions bool) (int64, error) {
	queries := []string{
		`UPDATE code SET expires_at = $1 WHERE flow_id IN (SELECT id FROM flow WHERE expires_at > $1) AND expires_at > $1`,
		`UPDATE flow SET expires_at = $1 WHERE expires_at > $1`,
		`DELETE FROM openid_grant WHERE expires_at > $1`,
		`DELETE FROM openid_pushed_request WHERE expires_at > $1`,
		`DELETE FROM openid_device WHERE expires_at > $1`,
		`DELETE FROM openid_initial_token WHERE expires_at > $1`,
		`UPDATE openid_registered_client SET ends_at = 0 WHERE ends_at > $1`,
		`UPDATE job SET state = 'failed', why = 'restored', step = step + 1, ended_at = $1 WHERE state = 'running' AND account_id > ''`,
	}
	if endSessions {
		queries = append(queries, `DELETE FROM session WHERE expires_at > $1`, `UPDATE personal_token SET ends_at = $1 WHERE ends_at > $1`,
			`DELETE FROM trusted_browser WHERE expires_at > $1`, `UPDATE invitation SET state = 'ended', ends_at = $1 WHERE ends_at > $1 AND state = 'open'`,
			`DELETE FROM api_key_secret WHERE key_id IN (SELECT id FROM api_key WHERE ends_at > $1)`)
	}
	for _, query := range queries {
		if _, err := t.exec(ctx, query, micros(now)); err != nil {
			return 0, err
		}
	}
	if err := t.run(ctx, `UPDATE newcomer SET queued_at = 0 WHERE queued_at > 0`); err != nil {
		return 0, err
	}
	if _, err := t.exec(ctx, `UPDATE webhook_delivery SET state = 'dropped', ended_at = $1, answer = $2 WHERE webhook > '' AND ended_at = 0`, micros(now), reason); err != nil {
		return 0, err
	}
	if _, err := t.exec(ctx, `UPDATE email_outcome SET state = $1, state_at = $2, answer = $3 WHERE id IN (SELECT id FROM outbox WHERE dead_at = 0)`,
		string(outbox.GivenUp), micros(now), reason); err != nil {
		return 0, err
	}
	return t.exec(ctx, `UPDATE outbox SET dead_at = $1, reason = $2 WHERE dead_at = 0`, micros(now), reason)
}

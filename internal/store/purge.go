package store

import (
	"context"
	"time"

	"portico/internal/apikey"
	"portico/internal/clock"
	"portico/internal/invitation"
	"portico/internal/job"
	"portico/internal/outbox"
	"portico/internal/session"
	"portico/internal/webhook"
)

// purgeBatch bounds one purge transaction, so that other writes wait briefly.
// Deleting 500 rows of each kind took ten times as long as 100.
const purgeBatch = 100

// retention is how long ended flows stay, so that screens can say why a link or
// a code no longer works. The packages of the other rows say how long theirs stay.
const retention = 24 * time.Hour

// Kind is a kind of row that Purge deletes.
type Kind struct {
	query  string
	before time.Time
}

// Purge deletes up to a batch of rows of a kind, and reports whether more may be left.
func (t *Tx) Purge(ctx context.Context, k Kind) (more bool, err error) {
	n, err := t.exec(ctx, k.query, micros(k.before), purgeBatch)
	return n == purgeBatch, err
}

// Purgeable returns the kinds of rows that ended before now, and of audit records from before a time that the
// chain of seals allows. Each is for a transaction of its own: a table that is locked holds up itself alone. Where a
// row can be renewed, the condition stands twice: PostgreSQL asks the last one again after it has waited for the row.
func Purgeable(now, records time.Time) []Kind {
	return []Kind{
		{`DELETE FROM flow WHERE id IN (SELECT id FROM flow WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-retention)},
		{`DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-session.Remembered)},
		{`DELETE FROM session_end WHERE token_hash IN (SELECT token_hash FROM session_end WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-session.Remembered)},
		{`DELETE FROM throttle WHERE key IN (SELECT key FROM throttle WHERE forget_at < $1 LIMIT CAST($2 AS BIGINT)) AND forget_at < $1`, now},
		{`DELETE FROM spent_ticket WHERE hash IN (SELECT hash FROM spent_ticket WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-clock.MaxSkew)},
		{`DELETE FROM trusted_browser WHERE id IN (SELECT id FROM trusted_browser WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now},
		{`DELETE FROM openid_grant WHERE id IN (SELECT id FROM openid_grant WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-clock.MaxSkew)},
		{`DELETE FROM openid_pushed_request WHERE hash IN (SELECT hash FROM openid_pushed_request WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-clock.MaxSkew)},
		{`DELETE FROM openid_device WHERE hash IN (SELECT hash FROM openid_device WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-clock.MaxSkew)},
		{`DELETE FROM openid_initial_token WHERE hash IN (SELECT hash FROM openid_initial_token WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT))`, now},
		{`DELETE FROM other_address WHERE address_key IN (SELECT address_key FROM other_address WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT)) AND expires_at < $1`, now},
		{`DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE dead_at > 0 AND dead_at < $1 LIMIT CAST($2 AS BIGINT)) AND dead_at > 0 AND dead_at < $1`, now.Add(-outbox.KeepDead)},
		{`DELETE FROM email_outcome WHERE id IN (SELECT id FROM email_outcome WHERE asked_at < $1
			AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.id = email_outcome.id) LIMIT CAST($2 AS BIGINT))`, now.Add(-outbox.KeepDead)},
		{`DELETE FROM mailbox_refusal WHERE mailbox IN (SELECT mailbox FROM mailbox_refusal WHERE refused_at < $1 LIMIT CAST($2 AS BIGINT)) AND refused_at < $1`, now.Add(-outbox.KeepRefusal)},
		// The parts of a job go before it: it can have thousands. Nothing reads those without a problem after its end.
		{`DELETE FROM job_part WHERE id IN (SELECT p.id FROM job JOIN job_part p ON p.job_id = job.id
			WHERE ended_at > 0 AND (ended_at < $1 OR problems = 0) LIMIT CAST($2 AS BIGINT))`, now.Add(-job.Keep)},
		{`DELETE FROM job WHERE id IN (SELECT id FROM job WHERE ended_at > 0 AND ended_at < $1
			AND NOT EXISTS (SELECT 1 FROM job_part WHERE job_id = job.id) LIMIT CAST($2 AS BIGINT))`, now.Add(-job.Keep)},
		{`DELETE FROM job_part WHERE id IN (SELECT p.id FROM job JOIN job_part p ON p.job_id = job.id
			WHERE ended_at = 0 AND state = 'draft' AND created_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-job.KeepDraft - clock.MaxSkew)},
		{`DELETE FROM job WHERE id IN (SELECT id FROM job WHERE ended_at = 0 AND state = 'draft' AND created_at < $1
			AND NOT EXISTS (SELECT 1 FROM job_part WHERE job_id = job.id) LIMIT CAST($2 AS BIGINT))`, now.Add(-job.KeepDraft - clock.MaxSkew)},
		{`DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE ends_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-invitation.Keep)},
		{`DELETE FROM ended_sender WHERE (invited_by, until) IN (SELECT invited_by, until FROM ended_sender WHERE until < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-invitation.MostLife - invitation.Keep)},
		{`DELETE FROM api_key WHERE id IN (SELECT id FROM api_key WHERE ends_at < $1 LIMIT CAST($2 AS BIGINT))`, records},
		{`DELETE FROM personal_token WHERE id IN (SELECT id FROM personal_token WHERE ends_at < $1 LIMIT CAST($2 AS BIGINT))`, now.Add(-apikey.KeepPersonal)},
		{`DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE ended_at > 0 AND ended_at < $1 LIMIT CAST($2 AS BIGINT)) AND ended_at > 0 AND ended_at < $1`, now.Add(-webhook.Keep)},
		{`DELETE FROM once WHERE hash IN (SELECT hash FROM once WHERE expires_at < $1 LIMIT CAST($2 AS BIGINT)) AND expires_at < $1`, now},
		{`DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit WHERE at < $1 AND seal <= 0 LIMIT CAST($2 AS BIGINT))`, records},
		// A write needs its key for seconds. The rest of the time is for machines whose clocks differ.
		{`DELETE FROM commit_key WHERE id IN (SELECT id FROM commit_key WHERE id < CAST(CAST($1 AS BIGINT) AS TEXT) LIMIT CAST($2 AS BIGINT))`, now.Add(-retention)},
	}
}

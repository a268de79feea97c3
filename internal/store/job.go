package store

import (
	"context"
	"encoding/json"

	"portico/internal/job"
)

const jobColumns = `id, account_id, key_id, version, peer, user_agent, request_id, kind, input, total, created_at,
	state, why, step, place, done, skips, skipped, ended_at`

func jobRow(row scanner) (j job.Job, err error) {
	var created, ended int64
	var skipped string
	if err := row.Scan(&j.ID, &j.AccountID, &j.KeyID, &j.Version, &j.Peer, &j.UserAgent, &j.RequestID, &j.Kind, &j.Input, &j.Total, &created,
		&j.State, &j.Why, &j.Step, &j.Place, &j.Done, &j.Skips, &skipped, &ended); err != nil {
		return j, err
	}
	j.CreatedAt, j.EndedAt = fromMicros(created), fromMicros(ended)
	return j, json.Unmarshal([]byte(skipped), &j.Skipped)
}

func skips(list []job.Skip) string {
	if len(list) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(list) // strings always marshal
	return string(text)
}

// InsertJob implements job.Store.
func (t *Tx) InsertJob(ctx context.Context, j job.Job) (bool, error) {
	return t.one(ctx, `INSERT INTO job (`+jobColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
		ON CONFLICT (account_id) WHERE state = 'running' DO NOTHING`,
		j.ID, j.AccountID, j.KeyID, j.Version, j.Peer, j.UserAgent, j.RequestID, string(j.Kind), j.Input, j.Total, micros(j.CreatedAt),
		string(j.State), j.Why, j.Step, j.Place, j.Done, j.Skips, skips(j.Skipped), micros(j.EndedAt))
}

// JobByID implements job.Store.
func (t *Tx) JobByID(ctx context.Context, id string) (job.Job, bool, error) {
	return first(ctx, t, `SELECT `+jobColumns+` FROM job WHERE id = $1`, []any{id}, jobRow)
}

// RunningJobs implements job.Store.
func (t *Tx) RunningJobs(ctx context.Context) ([]job.Job, error) {
	return collect(ctx, t, `SELECT `+jobColumns+` FROM job WHERE state = 'running' AND account_id > '' ORDER BY created_at, id`, nil, jobRow)
}

// LastJobs implements job.Store.
func (t *Tx) LastJobs(ctx context.Context, limit int) ([]job.Job, error) {
	return collect(ctx, t, `SELECT `+jobColumns+` FROM job WHERE ended_at > 0 ORDER BY ended_at DESC LIMIT CAST($1 AS BIGINT)`, []any{limit}, jobRow)
}

// AdvanceJob implements job.Store.
func (t *Tx) AdvanceJob(ctx context.Context, id string, from, to job.Progress) (bool, error) {
	return t.one(ctx, `UPDATE job SET step = step + 1, state = $3, why = $4, place = $5, done = $6, skips = $7, skipped = $8, ended_at = $9
		WHERE id = $1 AND step = $2 AND ended_at = 0`,
		id, from.Step, string(to.State), to.Why, to.Place, to.Done, to.Skips, skips(to.Skipped), micros(to.EndedAt))
}

// StartJob implements job.Store.
func (t *Tx) StartJob(ctx context.Context, j job.Job) (bool, error) {
	return t.one(ctx, `UPDATE job SET state = 'running', step = step + 1, version = $3, peer = $4, user_agent = $5, request_id = $6, total = $7
		WHERE id = $1 AND step = $2 AND state = 'draft' AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.account_id = $8 AND other.state = 'running')`,
		j.ID, j.Step, j.Version, j.Peer, j.UserAgent, j.RequestID, j.Total, j.AccountID)
}

// DeleteDrafts implements job.Store.
func (t *Tx) DeleteDrafts(ctx context.Context, accountID, keyID, place string) (more bool, err error) {
	if _, err := t.exec(ctx, `UPDATE job SET step = step + 1, place = $3 WHERE account_id = $1 AND key_id = $2 AND state = 'draft'`, accountID, keyID, place); err != nil {
		return false, err
	}
	n, err := t.exec(ctx, `DELETE FROM job_part WHERE id IN (SELECT p.id FROM job JOIN job_part p ON p.job_id = job.id
		WHERE account_id = $1 AND key_id = $2 AND state = 'draft' LIMIT CAST($3 AS BIGINT))`, accountID, keyID, purgeBatch)
	if err != nil || n == purgeBatch {
		return true, err
	}
	_, err = t.exec(ctx, `DELETE FROM job WHERE account_id = $1 AND key_id = $2 AND state = 'draft'`, accountID, keyID)
	return false, err
}

// InsertPart implements job.Store.
func (t *Tx) InsertPart(ctx context.Context, p job.Part) error {
	return t.run(ctx, `INSERT INTO job_part (id, job_id, problems, sealed) VALUES ($1, $2, $3, $4)`, p.ID, p.JobID, p.Problems, p.Sealed)
}

// NextPart implements job.Store.
func (t *Tx) NextPart(ctx context.Context, jobID, after string, problems bool) (job.Part, bool, error) {
	least := 0
	if problems {
		least = 1
	}
	return first(ctx, t, `SELECT id, job_id, problems, sealed FROM job_part WHERE job_id = $1 AND id > $2 AND problems >= CAST($3 AS BIGINT) ORDER BY id LIMIT 1`,
		[]any{jobID, after, least}, func(row scanner) (p job.Part, err error) {
			err = row.Scan(&p.ID, &p.JobID, &p.Problems, &p.Sealed)
			return p, err
		})
}

// UpdatePart implements job.Store.
func (t *Tx) UpdatePart(ctx context.Context, p job.Part) error {
	return t.run(ctx, `UPDATE job_part SET problems = $2, sealed = $3 WHERE id = $1`, p.ID, p.Problems, p.Sealed)
}

// DeletePart implements job.Store.
func (t *Tx) DeletePart(ctx context.Context, id string) error {
	return t.run(ctx, `DELETE FROM job_part WHERE id = $1`, id)
}

// DeleteParts implements job.Store.
func (t *Tx) DeleteParts(ctx context.Context, jobID, after string) (more bool, err error) {
	n, err := t.exec(ctx, `DELETE FROM job_part WHERE id IN (SELECT id FROM job_part WHERE job_id = $1 AND id > $2 LIMIT CAST($3 AS BIGINT))`, jobID, after, purgeBatch)
	return n == purgeBatch, err
}

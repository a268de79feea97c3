package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"portico/internal/apikey"
)

const apiKeyColumns = `k.id, k.name, k.scopes, k.created_at, k.ends_at, k.used_at, k.peer, k.warned_at`

func apiKeyRow(row scanner, more ...any) (k apikey.Key, err error) {
	var scopes string
	var created, ends, used, warned int64
	if err := row.Scan(append([]any{&k.ID, &k.Name, &scopes, &created, &ends, &used, &k.Peer, &warned}, more...)...); err != nil {
		return k, err
	}
	k.CreatedAt, k.EndsAt, k.UsedAt, k.WarnedAt = fromMicros(created), fromMicros(ends), fromMicros(used), fromMicros(warned)
	k.Scopes, err = unlist(scopes)
	return k, err
}

func apiKey(row scanner) (apikey.Key, error) { return apiKeyRow(row) }

// InsertAPIKey implements apikey.Store.
func (t *Tx) InsertAPIKey(ctx context.Context, k apikey.Key) error {
	return t.run(ctx, `INSERT INTO api_key (id, name, scopes, created_at, ends_at, used_at, peer, warned_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.ID, k.Name, list(k.Scopes), micros(k.CreatedAt), micros(k.EndsAt), micros(k.UsedAt), k.Peer, micros(k.WarnedAt))
}

// APIKeyByID implements apikey.Store.
func (t *Tx) APIKeyByID(ctx context.Context, id string) (apikey.Key, bool, error) {
	return first(ctx, t, `SELECT `+apiKeyColumns+` FROM api_key k WHERE k.id = $1`+t.core.Locks.Row, []any{id}, apiKey)
}

// APIKeyBySecret implements apikey.Store.
func (t *Tx) APIKeyBySecret(ctx context.Context, hash []byte) (apikey.Held, bool, error) {
	return first(ctx, t, `SELECT `+apiKeyColumns+`, s.account_id FROM api_key_secret s JOIN api_key k ON k.id = s.key_id WHERE s.hash = $1`+t.core.Locks.Row,
		[]any{hash}, func(row scanner) (h apikey.Held, err error) {
			h.Hash = hash
			h.Key, err = apiKeyRow(row, &h.AccountID)
			return h, err
		})
}

// APIKeys implements apikey.Store.
func (t *Tx) APIKeys(ctx context.Context, after string, limit int) ([]apikey.Key, error) {
	if after == "" {
		after = afterAll
	}
	return collect(ctx, t, `SELECT `+apiKeyColumns+` FROM api_key k WHERE k.id < $1 ORDER BY k.id DESC LIMIT CAST($2 AS BIGINT)`, []any{after, limit}, apiKey)
}

// APIKeyNames implements apikey.Store.
func (t *Tx) APIKeyNames(ctx context.Context, ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	in, args := places(ids)
	_, err := collect(ctx, t, `SELECT id, name FROM api_key WHERE id IN (`+in+`)`, args, func(row scanner) (none struct{}, err error) {
		var id, name string
		err = row.Scan(&id, &name)
		names[id] = name
		return none, err
	})
	return names, err
}

// places returns a place for each text of a list, with commas between, and the texts as arguments.
func places(texts []string) (string, []any) {
	in, args := make([]string, len(texts)), make([]any, len(texts))
	for i, text := range texts {
		in[i], args[i] = "$"+strconv.Itoa(i+1), text
	}
	return strings.Join(in, ", "), args
}

// EndingAPIKeys implements apikey.Store.
func (t *Tx) EndingAPIKeys(ctx context.Context, from, to time.Time, limit int) ([]apikey.Key, error) {
	return collect(ctx, t, `SELECT `+apiKeyColumns+` FROM api_key k WHERE k.ends_at > $1 AND k.ends_at <= $2 AND k.warned_at = 0 ORDER BY k.ends_at LIMIT CAST($3 AS BIGINT)`,
		[]any{micros(from), micros(to), limit}, apiKey)
}

// UpdateAPIKey implements apikey.Store.
func (t *Tx) UpdateAPIKey(ctx context.Context, id string, ends, warned time.Time) error {
	return t.run(ctx, `UPDATE api_key SET ends_at = $2, warned_at = $3 WHERE id = $1`, id, micros(ends), micros(warned))
}

// TouchAPIKey implements apikey.Store.
func (t *Tx) TouchAPIKey(ctx context.Context, id string, at time.Time, peer string) error {
	return t.run(ctx, `UPDATE api_key SET used_at = $2, peer = $3 WHERE id = $1`, id, micros(at), peer)
}

const apiKeySecretColumns = `hash, key_id, account_id, created_at`

func apiKeySecret(row scanner) (s apikey.Secret, err error) {
	var created int64
	err = row.Scan(&s.Hash, &s.KeyID, &s.AccountID, &created)
	s.CreatedAt = fromMicros(created)
	return s, err
}

// InsertAPIKeySecret implements apikey.Store.
func (t *Tx) InsertAPIKeySecret(ctx context.Context, s apikey.Secret) error {
	return t.run(ctx, `INSERT INTO api_key_secret (`+apiKeySecretColumns+`) VALUES ($1, $2, $3, $4)`, s.Hash, s.KeyID, s.AccountID, micros(s.CreatedAt))
}

// APIKeySecrets implements apikey.Store.
func (t *Tx) APIKeySecrets(ctx context.Context, ids ...string) ([]apikey.Secret, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := places(ids)
	return collect(ctx, t, `SELECT `+apiKeySecretColumns+` FROM api_key_secret WHERE key_id IN (`+in+`) ORDER BY created_at DESC`, args, apiKeySecret)
}

// APIKeySecretsOf implements apikey.Store.
func (t *Tx) APIKeySecretsOf(ctx context.Context, accountID string, now time.Time) ([]apikey.Secret, error) {
	return collect(ctx, t, `SELECT `+apiKeySecretColumns+` FROM api_key_secret s WHERE account_id = $1
		AND EXISTS (SELECT 1 FROM api_key k WHERE k.id = s.key_id AND k.ends_at > $2)`, []any{accountID, micros(now)}, apiKeySecret)
}

// DeleteAPIKeySecret implements apikey.Store.
func (t *Tx) DeleteAPIKeySecret(ctx context.Context, hash []byte) error {
	return t.run(ctx, `DELETE FROM api_key_secret WHERE hash = $1`, hash)
}

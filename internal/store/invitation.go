package store

import (
	"context"
	"time"

	"portico/internal/invitation"
)

const invitationColumns = `id, link_hash, address, address_key, roles, account_ends_at, words, invited_by, most, used, state,
	created_at, ends_at, opened_at, used_at, account_id, message_id`

func invitationRow(row scanner) (i invitation.Invitation, err error) {
	var roles string
	var closes, created, ends, opened, used int64
	if err := row.Scan(&i.ID, &i.Link, &i.Mail, &i.Key, &roles, &closes, &i.Words, &i.By, &i.Most, &i.Used, &i.State,
		&created, &ends, &opened, &used, &i.AccountID, &i.MessageID); err != nil {
		return i, err
	}
	i.AccountEnds, i.CreatedAt, i.EndsAt = fromMicros(closes), fromMicros(created), fromMicros(ends)
	i.OpenedAt, i.UsedAt = fromMicros(opened), fromMicros(used)
	i.Roles, err = unlist(roles)
	return i, err
}

// InsertInvitation implements invitation.Store.
func (t *Tx) InsertInvitation(ctx context.Context, i invitation.Invitation) (bool, error) {
	return t.one(ctx, `INSERT INTO invitation (`+invitationColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (address_key) WHERE state = 'open' AND address_key > '' DO NOTHING`,
		i.ID, i.Link, i.Mail, i.Key, list(i.Roles), micros(i.AccountEnds), i.Words, i.By, i.Most, i.Used, string(i.State),
		micros(i.CreatedAt), micros(i.EndsAt), micros(i.OpenedAt), micros(i.UsedAt), i.AccountID, i.MessageID)
}

// InvitationByID implements invitation.Store.
func (t *Tx) InvitationByID(ctx context.Context, id string) (invitation.Invitation, bool, error) {
	return first(ctx, t, `SELECT `+invitationColumns+` FROM invitation WHERE id = $1`+t.core.Locks.Row, []any{id}, invitationRow)
}

// InvitationByLink implements invitation.Store.
func (t *Tx) InvitationByLink(ctx context.Context, link []byte) (invitation.Invitation, bool, error) {
	return first(ctx, t, `SELECT `+invitationColumns+` FROM invitation WHERE link_hash = $1`, []any{link}, invitationRow)
}

// InvitationOf implements invitation.Store.
func (t *Tx) InvitationOf(ctx context.Context, key string) (invitation.Invitation, bool, error) {
	return first(ctx, t, `SELECT `+invitationColumns+` FROM invitation WHERE address_key = $1 AND state = 'open' AND address_key > ''`, []any{key}, invitationRow)
}

// OpenInvitation implements invitation.Store.
func (t *Tx) OpenInvitation(ctx context.Context, id string, now time.Time) error {
	return t.run(ctx, `UPDATE invitation SET opened_at = $2 WHERE id = $1 AND opened_at = 0`, id, micros(now))
}

// UseInvitation implements invitation.Store.
func (t *Tx) UseInvitation(ctx context.Context, id, accountID string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE invitation SET used = used + 1, used_at = $3,
		state = CASE WHEN used + 1 >= most THEN 'used' ELSE state END,
		account_id = CASE WHEN address_key > '' THEN $2 ELSE '' END
		WHERE id = $1 AND state = 'open' AND used < most AND ends_at > $3`, id, accountID, micros(now))
}

// EndInvitation implements invitation.Store.
func (t *Tx) EndInvitation(ctx context.Context, id string, state invitation.State, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE invitation SET state = $2, ends_at = CASE WHEN ends_at > $3 THEN $3 ELSE ends_at END WHERE id = $1 AND state = 'open'`,
		id, string(state), micros(now))
}

// EndInvitationsBy implements invitation.Store. All rows have an end, and its index leads through them: few admins stop
// being one.
func (t *Tx) EndInvitationsBy(ctx context.Context, by string, since, now time.Time) (bool, error) {
	n, err := t.exec(ctx, `UPDATE invitation SET state = 'ended', ends_at = CASE WHEN ends_at > $3 THEN $3 ELSE ends_at END
		WHERE ends_at > 0 AND invited_by = $1 AND created_at > $2 AND state = 'open'`, by, micros(since), micros(now))
	return n > 0, err
}

// Invitations implements invitation.Store.
func (t *Tx) Invitations(ctx context.Context, after string, limit int) ([]invitation.Listed, error) {
	if after == "" {
		after = afterAll
	}
	return collect(ctx, t, `SELECT `+invitationColumns+`,
		COALESCE((SELECT state FROM email_outcome o WHERE o.id = message_id), ''), COALESCE((SELECT answer FROM email_outcome o WHERE o.id = message_id), '')
		FROM invitation WHERE id < $1 AND state <> 'replaced' ORDER BY id DESC LIMIT CAST($2 AS BIGINT)`, []any{after, limit},
		func(row scanner) (l invitation.Listed, err error) {
			l.Invitation, err = invitationRow(around{row, nil, []any{&l.Mailed, &l.Answer}})
			return l, err
		})
}

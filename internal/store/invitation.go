package store

import (
	"context"
	"time"

	"portico/internal/invitation"
)

const (
	invitationColumns = `id, link_hash, address, address_key, roles, account_ends_at, words, invited_by, most, used,
	created_at, ends_at, opened_at, used_at, account_id, message_id`

	// invitationState is the state of a row, which EndInvitationsBy leaves as it is.
	invitationState = `CASE WHEN state = 'open' AND EXISTS (SELECT 1 FROM ended_sender e WHERE e.invited_by = invitation.invited_by
		AND e.since < invitation.created_at AND e.until >= invitation.created_at) THEN 'ended' ELSE state END`

	selectInvitation = `SELECT ` + invitationColumns + `, ` + invitationState
)

func invitationRow(row scanner) (i invitation.Invitation, err error) {
	var roles string
	var closes, created, ends, opened, used int64
	if err := row.Scan(&i.ID, &i.Link, &i.Mail, &i.Key, &roles, &closes, &i.Words, &i.By, &i.Most, &i.Used,
		&created, &ends, &opened, &used, &i.AccountID, &i.MessageID, &i.State); err != nil {
		return i, err
	}
	i.AccountEnds, i.CreatedAt, i.EndsAt = fromMicros(closes), fromMicros(created), fromMicros(ends)
	i.OpenedAt, i.UsedAt = fromMicros(opened), fromMicros(used)
	i.Roles, err = unlist(roles)
	return i, err
}

// InsertInvitation implements invitation.Store.
func (t *Tx) InsertInvitation(ctx context.Context, i invitation.Invitation) (bool, error) {
	return t.one(ctx, `INSERT INTO invitation (`+invitationColumns+`, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (address_key) WHERE state = 'open' AND address_key > '' DO NOTHING`,
		i.ID, i.Link, i.Mail, i.Key, list(i.Roles), micros(i.AccountEnds), i.Words, i.By, i.Most, i.Used,
		micros(i.CreatedAt), micros(i.EndsAt), micros(i.OpenedAt), micros(i.UsedAt), i.AccountID, i.MessageID, string(i.State))
}

// InvitationByID implements invitation.Store.
func (t *Tx) InvitationByID(ctx context.Context, id string) (invitation.Invitation, bool, error) {
	return first(ctx, t, selectInvitation+` FROM invitation WHERE id = $1`+t.core.Locks.Row, []any{id}, invitationRow)
}

// InvitationByLink implements invitation.Store.
func (t *Tx) InvitationByLink(ctx context.Context, link []byte) (invitation.Invitation, bool, error) {
	return first(ctx, t, selectInvitation+` FROM invitation WHERE link_hash = $1`, []any{link}, invitationRow)
}

// InvitationOf implements invitation.Store.
func (t *Tx) InvitationOf(ctx context.Context, key string) (invitation.Invitation, bool, error) {
	return first(ctx, t, selectInvitation+` FROM invitation WHERE address_key = $1 AND state = 'open' AND address_key > ''`, []any{key}, invitationRow)
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
		WHERE id = $1 AND `+invitationState+` = 'open' AND used < most AND ends_at > $3`, id, accountID, micros(now))
}

// EndInvitation implements invitation.Store.
func (t *Tx) EndInvitation(ctx context.Context, id string, state invitation.State, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE invitation SET state = $2, ends_at = CASE WHEN ends_at > $3 THEN $3 ELSE ends_at END WHERE id = $1 AND state = 'open'`,
		id, string(state), micros(now))
}

// EndInvitationsBy implements invitation.Store. A thief can have sent more than one transaction has the time to change, so it
// adds one row.
func (t *Tx) EndInvitationsBy(ctx context.Context, by string, since time.Time) (bool, error) {
	return t.one(ctx, `INSERT INTO ended_sender (invited_by, since, until)
		SELECT invited_by, CAST($2 AS BIGINT), created_at FROM invitation WHERE invited_by = $1 AND created_at > $2 AND state = 'open'
		ORDER BY created_at DESC LIMIT 1
		ON CONFLICT (invited_by, until) DO UPDATE SET since = excluded.since WHERE ended_sender.since > excluded.since`, by, micros(since))
}

// Invitations implements invitation.Store.
func (t *Tx) Invitations(ctx context.Context, after string, limit int) ([]invitation.Listed, error) {
	if after == "" {
		after = afterAll
	}
	return collect(ctx, t, selectInvitation+`,
		COALESCE((SELECT state FROM email_outcome o WHERE o.id = message_id), ''), COALESCE((SELECT answer FROM email_outcome o WHERE o.id = message_id), '')
		FROM invitation WHERE id < $1 AND state <> 'replaced' ORDER BY id DESC LIMIT CAST($2 AS BIGINT)`, []any{after, limit},
		func(row scanner) (l invitation.Listed, err error) {
			l.Invitation, err = invitationRow(around{row, nil, []any{&l.Mailed, &l.Answer}})
			return l, err
		})
}

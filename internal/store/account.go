package store

import (
	"context"
	"strings"
	"time"

	"portico/internal/account"
)

const accountColumns = `id, address, address_key, name, state, roles, password, version, locale, terms, terms_at, alarm_mail_at, alarm_at, alarm_address_at, address_at, factor_told_at, flow_ends, ends_at, app_claims, created_at`

func scanAccount(row scanner) (account.Account, error) {
	var a account.Account
	var roles string
	var accepted, since, raised, added, has, told, ends, created int64
	err := row.Scan(&a.ID, &a.Address.Mail, &a.Address.Key, &a.Name, &a.State, &roles, &a.Password, &a.Version, &a.Locale,
		&a.Terms.Version, &accepted, &since, &raised, &added, &has, &told, &a.FlowEnds, &ends, &a.Claims, &created)
	if err != nil {
		return account.Account{}, err
	}
	a.Terms.AcceptedAt, a.FactorToldAt, a.CreatedAt = fromMicros(accepted), fromMicros(told), fromMicros(created)
	a.Alarm = account.Alarm{Since: fromMicros(since), RaisedAt: fromMicros(raised), AddedAt: fromMicros(added)}
	a.AddressAt, a.EndsAt = fromMicros(has), fromMicros(ends)
	a.Roles, err = unlist(roles)
	return a, err
}

// InsertAccount implements account.Store.
func (t *Tx) InsertAccount(ctx context.Context, a account.Account) (bool, error) {
	if err := t.HoldAddresses(ctx, []string{a.Address.Key}); err != nil {
		return false, err
	}
	made, err := t.changePerson(ctx, a.ID, `INSERT INTO account (`+accountColumns+`)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20 WHERE `+free("$3", "$1", "$20")+`
		ON CONFLICT (address_key) DO NOTHING`,
		accountValues(a)...)
	if err == nil && made {
		err = t.addDueEnd(ctx, a.ID, a.EndsAt)
	}
	return made, err
}

// accountValues returns the values of accountColumns.
func accountValues(a account.Account) []any {
	return []any{
		a.ID, a.Address.Mail, a.Address.Key, a.Name, string(a.State), list(a.Roles), a.Password, a.Version, a.Locale,
		a.Terms.Version, micros(a.Terms.AcceptedAt), micros(a.Alarm.Since), micros(a.Alarm.RaisedAt), micros(a.Alarm.AddedAt), micros(a.AddressAt),
		micros(a.FactorToldAt), a.FlowEnds, micros(a.EndsAt), a.Claims, micros(a.CreatedAt),
	}
}

// AccountByID implements account.Store.
func (t *Tx) AccountByID(ctx context.Context, id string) (account.Account, bool, error) {
	return first(ctx, t, `SELECT `+accountColumns+` FROM account WHERE id = $1`+t.core.Locks.Row, []any{id}, scanAccount)
}

// AccountsByID implements account.Store.
func (t *Tx) AccountsByID(ctx context.Context, ids []string) ([]account.Account, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := places(ids)
	return collect(ctx, t, `SELECT `+accountColumns+` FROM account WHERE id IN (`+in+`)`, args, scanAccount)
}

// AccountByKey implements account.Store.
func (t *Tx) AccountByKey(ctx context.Context, key string) (account.Account, bool, error) {
	return first(ctx, t, `SELECT `+accountColumns+` FROM account WHERE address_key = $1`+t.core.Locks.Row, []any{key}, scanAccount)
}

var accountOfSession = `SELECT a.` + strings.ReplaceAll(accountColumns, ", ", ", a.") + `
	FROM account a JOIN session s ON s.account_id = a.id WHERE s.id = $1`

// AccountOfSession implements account.Store.
func (t *Tx) AccountOfSession(ctx context.Context, sessionID string) (account.Account, bool, error) {
	return first(ctx, t, accountOfSession+t.core.Locks.Session, []any{sessionID}, scanAccount)
}

// UpdatePassword implements account.Store.
func (t *Tx) UpdatePassword(ctx context.Context, id, password string) error {
	return t.run(ctx, `UPDATE account SET password = $2, version = version + 1 WHERE id = $1`, id, password)
}

// RehashPassword implements account.Store.
func (t *Tx) RehashPassword(ctx context.Context, id, password string) error {
	return t.run(ctx, `UPDATE account SET password = $2 WHERE id = $1`, id, password)
}

// UpdateState implements account.Store.
func (t *Tx) UpdateState(ctx context.Context, id string, state account.State) error {
	_, err := t.changePerson(ctx, id, `UPDATE account SET state = $2, version = version + 1 WHERE id = $1`, id, string(state))
	return err
}

// UpdateRoles implements account.Store.
func (t *Tx) UpdateRoles(ctx context.Context, id string, roles []string) error {
	_, err := t.changePerson(ctx, id, `UPDATE account SET roles = $2 WHERE id = $1`, id, list(roles))
	return err
}

// UpdateClaims implements account.Store.
func (t *Tx) UpdateClaims(ctx context.Context, id, claims string) error {
	return t.run(ctx, `UPDATE account SET app_claims = $2 WHERE id = $1`, id, claims)
}

// UpdateName implements account.Store.
func (t *Tx) UpdateName(ctx context.Context, id, name string) error {
	_, err := t.changePerson(ctx, id, `UPDATE account SET name = $2 WHERE id = $1`, id, name)
	return err
}

// UpdateAddress implements account.Store.
func (t *Tx) UpdateAddress(ctx context.Context, id string, address account.Address, since, now time.Time) (bool, error) {
	left, err := only(ctx, t, `SELECT address_key FROM account WHERE id = $1`, []any{id}, scanOne[string])
	if err != nil {
		return false, err
	}
	if err := t.HoldAddresses(ctx, []string{left, address.Key}); err != nil { // KeepAddress may follow, for the one that is left
		return false, err
	}
	return t.changePerson(ctx, id, `UPDATE account SET address = $2, address_key = $3, address_at = $5, version = version + 1
		WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM account o WHERE o.address_key = $3 AND o.id <> $1) AND `+free("$3", "$1", "$4"),
		id, address.Mail, address.Key, micros(now), micros(since))
}

// RaiseVersion implements account.Store.
func (t *Tx) RaiseVersion(ctx context.Context, id string) error {
	return t.run(ctx, `UPDATE account SET version = version + 1 WHERE id = $1`, id)
}

// EndFlows implements account.Store.
func (t *Tx) EndFlows(ctx context.Context, id string) error {
	return t.run(ctx, `UPDATE account SET flow_ends = flow_ends + 1 WHERE id = $1`, id)
}

// UpdateLocale implements account.Store.
func (t *Tx) UpdateLocale(ctx context.Context, id, locale string) error {
	return t.run(ctx, `UPDATE account SET locale = $2 WHERE id = $1`, id, locale)
}

// UpdateTerms implements account.Store.
func (t *Tx) UpdateTerms(ctx context.Context, id string, accepted account.Terms) error {
	return t.run(ctx, `UPDATE account SET terms = $2, terms_at = $3 WHERE id = $1`, id, accepted.Version, micros(accepted.AcceptedAt))
}

// UpdateFactorTold implements account.Store.
func (t *Tx) UpdateFactorTold(ctx context.Context, id string, at time.Time) error {
	return t.run(ctx, `UPDATE account SET factor_told_at = $2 WHERE id = $1`, id, micros(at))
}

// DeleteAccount implements account.Store. Most tables refer to the account, so that
// their rows go with it.
func (t *Tx) DeleteAccount(ctx context.Context, id string) (bool, error) {
	for _, query := range []string{
		`DELETE FROM flow WHERE address_key = (SELECT address_key FROM account WHERE id = $1) AND account_id = $1`,
		`DELETE FROM flow WHERE address_key IN (SELECT address_key FROM other_address WHERE account_id = $1) AND account_id = $1`,
		`DELETE FROM outbox WHERE dead_at > 0 AND account_id = $1`,
		`DELETE FROM invitation WHERE account_id = $1 AND account_id > ''`,
		`DELETE FROM webhook_delivery WHERE account_id = $1 AND ended_at > 0`, // what apps have answered
	} {
		if _, err := t.exec(ctx, query, id); err != nil {
			return false, err
		}
	}
	return t.one(ctx, `DELETE FROM account WHERE id = $1`, id)
}

const identityColumns = `issuer, subject, provider, account_id, created_at, tells_time, roles, roles_at`

func scanIdentity(row scanner) (account.Identity, error) {
	var i account.Identity
	var created, given int64
	var roles string
	if err := row.Scan(&i.Issuer, &i.Subject, &i.Provider, &i.AccountID, &created, &i.TellsTime, &roles, &given); err != nil {
		return i, err
	}
	i.CreatedAt, i.RolesAt = fromMicros(created), fromMicros(given)
	var err error
	i.Roles, err = unlist(roles)
	return i, err
}

// IdentityBySubject implements account.IdentityStore.
func (t *Tx) IdentityBySubject(ctx context.Context, issuer, subject string) (account.Identity, bool, error) {
	return first(ctx, t, `SELECT `+identityColumns+` FROM identity WHERE issuer = $1 AND subject = $2`,
		[]any{issuer, subject}, scanIdentity)
}

// IdentitiesOf implements account.IdentityStore.
func (t *Tx) IdentitiesOf(ctx context.Context, accountID string) ([]account.Identity, error) {
	return collect(ctx, t, `SELECT `+identityColumns+` FROM identity WHERE account_id = $1 ORDER BY created_at`,
		[]any{accountID}, scanIdentity)
}

// InsertIdentity implements account.IdentityStore.
func (t *Tx) InsertIdentity(ctx context.Context, i account.Identity) (bool, error) {
	return t.one(ctx, `INSERT INTO identity (`+identityColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (issuer, subject) DO NOTHING`, identityValues(i)...)
}

// identityValues returns the values of identityColumns.
func identityValues(i account.Identity) []any {
	return []any{i.Issuer, i.Subject, i.Provider, i.AccountID, micros(i.CreatedAt), int64(i.TellsTime), list(i.Roles), micros(i.RolesAt)}
}

// UpdateTellsTime implements account.IdentityStore.
func (t *Tx) UpdateTellsTime(ctx context.Context, issuer, subject string, tells account.TellsTime) error {
	return t.run(ctx, `UPDATE identity SET tells_time = $3 WHERE issuer = $1 AND subject = $2`, issuer, subject, int64(tells))
}

// UpdateIdentityRoles implements account.IdentityStore.
func (t *Tx) UpdateIdentityRoles(ctx context.Context, issuer, subject string, roles []string, at time.Time) error {
	return t.run(ctx, `UPDATE identity SET roles = $3, roles_at = $4 WHERE issuer = $1 AND subject = $2`, issuer, subject, list(roles), micros(at))
}

// DeleteIdentities implements account.IdentityStore.
func (t *Tx) DeleteIdentities(ctx context.Context, accountID, provider string) (bool, error) {
	n, err := t.exec(ctx, `DELETE FROM identity WHERE account_id = $1 AND provider = $2`, accountID, provider)
	return n > 0, err
}

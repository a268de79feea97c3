package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
)

// ownedTable is a table that names an account, in the form that a user downloads. Each of its
// columns is in columns or in leftOut.
type ownedTable struct {
	name    string
	columns string   // with commas between
	where   string   // and what follows it. $1 is the id of the account, $2 its canonical address, $3 the time
	leftOut []string // secrets: docs/operating/personal-data.md says why
}

// ownedTables are the tables that AccountData reads, in their order in the file.
//
// A table that a migration adds belongs here, or in ofNobody of the tests with a line in
// docs/operating/personal-data.md, which also names each column that is left out.
// TestPersonal_KnowsEveryTable compares all of them with the schema of each engine.
var ownedTables = []ownedTable{
	{
		name: "account", columns: "id, address, address_key, name, state, roles, version, created_at, locale, terms, terms_at, alarm_mail_at, alarm_at, alarm_address_at, address_at, factor_told_at, flow_ends, ends_at, app_claims",
		where: "id = $1", leftOut: []string{"password"},
	},
	{
		name: "person", columns: "account_id, state, roles, factors, seen_at, created_at",
		where: "account_id = $1", leftOut: []string{"address_key", "name_key"},
	},
	{name: "account_role", columns: "account_id, role", where: "account_id = $1"},
	{name: "portrait", columns: "account_id, id, image, changed_at", where: "account_id = $1"},
	{name: "account_end", columns: "account_id, ends_at", where: "account_id = $1"},
	{name: "applicant", columns: "account_id", where: "account_id = $1"},
	{name: "unproven_address", columns: "account_id, since", where: "account_id = $1"},
	{name: "newcomer", columns: "account_id, queued_at, pace, welcomed_at", where: "account_id = $1"},
	{name: "imported_subject", columns: "account_id, issuer, subject", where: "account_id = $1"},
	{name: "departure", columns: "account_id, left_at, erase_at", where: "account_id = $1"},
	{name: "other_address", columns: "address_key, account_id, address, kind, added_at, primary_until, expires_at", where: "account_id = $1"},
	{name: "identity", columns: "issuer, subject, provider, account_id, created_at, tells_time, roles, roles_at", where: "account_id = $1"},
	{
		name: "passkey", columns: "id, account_id, credential, public_key, handle, host, name, model, transports, counter, copies, copied, created_at, used_at",
		where: "account_id = $1",
	},
	{name: "passkey_refusal", columns: "account_id, at", where: "account_id = $1"},
	{name: "factor", columns: "id, account_id, kind, digits, period, algorithm, last_step, created_at, used_at", where: "account_id = $1", leftOut: []string{"sealed"}},
	{name: "recovery_code", columns: "account_id", where: "account_id = $1", leftOut: []string{"selector", "hash"}},
	{
		name: "session", columns: "id, account_id, version, methods, user_agent, peer, created_at, authenticated_at, strong_at, last_seen_at, expires_at",
		where: "account_id = $1", leftOut: []string{"token_hash"},
	},
	{
		name: "trusted_browser", columns: "id, account_id, user_agent, created_at, used_at, expires_at",
		where: "account_id = $1", leftOut: []string{"token_hash", "mark"},
	},
	{name: "openid_consent", columns: "account_id, client_id, scopes, given_at", where: "account_id = $1"},
	{
		name:  "openid_grant",
		where: "account_id = $1",
		columns: "id, client_id, account_id, version, session_id, sid, scopes, redirect_uri, methods, signed_in_at, created_at, expires_at, " +
			"redeemed_at, ended_at, rotated_at, generation, access_from, resources, proof_key, claims, subject",
		leftOut: []string{"challenge", "may_tell", "nonce"},
	},
	{name: "flow", columns: shownOfFlow, where: "address_key = $2 AND account_id = $1", leftOut: hiddenOfFlow},
	{
		name: "flow", columns: shownOfFlow, leftOut: hiddenOfFlow,
		where: "address_key IN (SELECT address_key FROM other_address WHERE account_id = $1) AND address_key <> $2 AND account_id = $1",
	},
	{
		name: "flow", columns: shownOfFlow, leftOut: hiddenOfFlow,
		where: "expires_at > $3 AND account_id = $1 AND address_key <> $2 AND address_key NOT IN (SELECT address_key FROM other_address WHERE account_id = $1)",
	},
	{name: "outbox", columns: emailColumns, where: "dead_at = 0 AND due_at >= 0 AND account_id = $1", leftOut: []string{"payload"}},
	{name: "outbox", columns: emailColumns, where: "dead_at > 0 AND account_id = $1", leftOut: []string{"payload"}},
	{
		name: "job", columns: "id, account_id, key_id, version, peer, user_agent, request_id, kind, total, created_at, state, why, step, done, skips, ended_at",
		where: "account_id = $1", leftOut: []string{"input", "place", "skipped"},
	},
	{name: "personal_token", columns: "id, account_id, version, name, app, roles, created_at, ends_at, used_at", where: "account_id = $1", leftOut: []string{"hash"}},
	{name: "api_key_secret", columns: "key_id, account_id, created_at", where: "account_id = $1", leftOut: []string{"hash"}},
	{
		name: "invitation", columns: "id, address, address_key, roles, account_ends_at, words, most, used, state, created_at, ends_at, opened_at, used_at, account_id, message_id",
		where: "account_id = $1 AND account_id > ''", leftOut: []string{"link_hash", "invited_by"},
	},
	{name: "webhook_delivery", columns: deliveryColumns, where: "account_id = $1"},
	{name: "revocation", columns: "id, account_id, at", where: "account_id = $1"},
	{name: "audit", columns: factColumns, where: "account_id = $1 ORDER BY at DESC, id DESC LIMIT 10000", leftOut: []string{"seal"}},
}

// emailColumns are the columns of an email without its content. The first of its two
// entries above reads the waiting emails and the second the failed ones, each by its index.
const emailColumns = "id, template, account_id, created_at, not_after, due_at, dead_at, claims, failures, uncertain, reason, client_id, lane"

// shownOfFlow are the columns of a flow without its secrets. Flows are found by an address
// of the account. A flow that waits for the proof of a new address has none of these: the
// last entry above finds it among the flows that have not expired, which are few.
const shownOfFlow = "id, kind, step, account_id, version, address_key, return_to, created_at, expires_at"

var hiddenOfFlow = []string{"browser_hash", "sealed"}

// AccountData implements account.Store.
func (t *Tx) AccountData(ctx context.Context, a account.Account, now time.Time) ([]account.Rows, error) {
	var all []account.Rows
	for _, p := range ownedTables {
		names := strings.Split(p.columns, ", ")
		args := []any{a.ID, a.Address.Key, micros(now)}
		switch {
		case strings.Contains(p.where, "$3"):
		case strings.Contains(p.where, "$2"):
			args = args[:2]
		default:
			args = args[:1]
		}
		rows, err := collect(ctx, t, `SELECT `+p.columns+` FROM `+p.name+` WHERE `+p.where, args,
			func(row scanner) (map[string]any, error) { return cells(row, names) })
		if err != nil {
			return nil, err
		}
		if p.name == "audit" {
			withoutAdmins(rows)
		}
		if last := len(all) - 1; last >= 0 && all[last].Table == p.name {
			all[last].Rows = append(all[last].Rows, rows...)
			continue
		}
		all = append(all, account.Rows{Table: p.name, Rows: rows})
	}
	return all, nil
}

// withoutAdmins names an operator in place of an admin or a key. An admin's account, network and
// browser are nothing for the user whose account was changed.
func withoutAdmins(rows []map[string]any) {
	for _, row := range rows {
		if actor, _ := row["actor"].(string); strings.HasPrefix(actor, audit.ByAdmin("")) || strings.HasPrefix(actor, audit.ByKey("")) {
			row["actor"], row["peer"], row["user_agent"] = "operator", "", ""
		}
	}
}

// cells returns a row by the names of its columns.
func cells(row scanner, names []string) (map[string]any, error) {
	values, dest := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	named := make(map[string]any, len(names))
	for i, name := range names {
		named[name] = cell(name, values[i])
	}
	return named, nil
}

// cell returns a value as JSON shows it: times as text or null for none, lists as
// lists, bytes as base64url.
func cell(name string, value any) any {
	switch v := value.(type) {
	case int64:
		if !slices.Contains([]string{"at", "not_after", "primary_until"}, name) && !strings.HasSuffix(name, "_at") {
			return v
		}
		if v == 0 || v == micros(account.Forever) {
			return nil
		}
		return fromMicros(v).Format(time.RFC3339Nano)
	case []byte:
		return base64.RawURLEncoding.EncodeToString(v)
	case string:
		if slices.Contains([]string{"roles", "methods", "scopes", "transports", "resources", "claims"}, name) {
			return json.RawMessage(v)
		}
	}
	return value
}

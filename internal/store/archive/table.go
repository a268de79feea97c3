package archive

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"portico/internal/masterkey"
	"portico/internal/store"
	"portico/internal/store/engine"
)

// archived are the tables of an archive, each after those that it refers to.
func archived() []string {
	return []string{
		"account", "person", "account_role", "account_end", "applicant", "newcomer", "departure", "unproven_address", "imported_subject", "portrait",
		"other_address", "identity", "passkey", "passkey_refusal", "factor", "recovery_code",
		"session", "session_end", "trusted_browser", "spent_ticket", "flow", "code",
		"openid_registered_client", "openid_initial_token", "openid_consent", "openid_grant", "openid_pushed_request", "openid_device", "openid_watch",
		"invitation", "ended_sender", "api_key", "api_key_secret", "personal_token", "once", "job", "job_part",
		"outbox", "email_outcome", "mailbox_refusal", "webhook_delivery", "throttle",
		"former_master_key", "signing_key",
		"audit", "audit_seal", "audit_chain",
	}
}

// recorded are the tables that an archive has only with the record.
func recorded() []string { return []string{"audit", "audit_seal", "audit_chain"} }

// ofThePlace are the tables that stay, with the reason.
func ofThePlace() map[string]string {
	return map[string]string{
		"installation":      "names the master key, the speed and the copy of this place",
		"node":              "the processes that serve this database",
		"lease":             "what one of these processes does",
		"revocation":        "tells these processes what to drop from memory, for minutes",
		"commit_key":        "tells these processes which commits happened",
		"move":              "the part of this database in a move",
		engine.VersionTable: "the schema, which the first line of an archive names",
	}
}

// tablesOf returns the tables of an archive with or without the record.
func tablesOf(record bool) []string {
	return slices.DeleteFunc(archived(), func(name string) bool { return !record && slices.Contains(recorded(), name) })
}

// column is a column and its type.
type column struct{ name, kind string }

const (
	kindText  = "TEXT"
	kindInt   = "BIGINT"
	kindBytes = "BYTEA"
)

// table is a table of the database.
type table struct {
	name    string
	columns []column
	box     string   // the purpose of the box of its sealed value, "" for none
	sealed  int      // the place of that value
	context []int    // the places of its context
	quoted  []string // the columns in SQL
}

// describe returns a table as the database has it.
func describe(ctx context.Context, conn *sql.Conn, name string) (*table, error) {
	rows, err := conn.QueryContext(ctx, `SELECT * FROM `+quote(name)+` LIMIT 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	t := &table{name: name}
	for _, c := range types {
		kind := c.DatabaseTypeName()
		if kind == "INT8" {
			kind = kindInt // as PostgreSQL calls it
		}
		t.columns = append(t.columns, column{c.Name(), kind})
		t.quoted = append(t.quoted, quote(c.Name()))
	}
	return t, t.findSealed()
}

func (t *table) findSealed() error {
	for _, place := range masterkey.Places() {
		at, err := store.SealedTableOf(place)
		if err != nil {
			return err
		}
		if at.Table != t.name {
			continue
		}
		t.box, t.sealed = string(place), t.place(at.Column)
		for _, name := range at.Context {
			t.context = append(t.context, t.place(name))
		}
	}
	return nil
}

// place returns the place of a column that the table has.
func (t *table) place(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
}

// contextOf returns what the sealed value of a row is bound to.
func (t *table) contextOf(row []any) string {
	var words []string
	for _, i := range t.context {
		word, _ := row[i].(string) // ids are texts
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func quote(name string) string { return `"` + name + `"` }

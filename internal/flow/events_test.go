package flow_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/goldentest"
	"portico/internal/store"
	"portico/internal/webhook"
)

// spoken are the data of accounts, by table or column, with the event that tells apps of a change.
// What is not here is no data of an account: sessions, limits, times of use, records.
var spoken = map[string]string{
	"account.name": "account.updated", "account.locale": "account.updated", "account.terms": "account.updated", "account.ends_at": "account.updated account.state_changed", "account.app_claims": "account.updated",
	"account.address": "account.email_changed", "account.state": "account.state_changed", "account_role": "account.roles_changed",
	"portrait": "account.updated", "unproven_address": "account.email_changed", "imported_subject": "account.created", "departure": "account.state_changed",
	"other_address": "account.addresses_changed account.email_changed", "identity": "account.providers_changed", "passkey": "account.passkeys_changed", "factor": "account.factors_changed",
	"recovery_code": "account.factors_changed account.passkeys_changed", "trusted_browser": "account.browsers_changed account.passkeys_changed account.factors_changed", "openid_consent": "account.apps_changed", "password": "account.password_changed",
}

// used are columns that a sign-in changes.
var used = []string{"roles", "used_at", "last_step", "counter", "copies", "copied", "roles_at", "address_key", "tells_time", "image", "expires_at"}

// stateOf returns the data of each account by the keys of spoken, unless each transaction runs once.
func stateOf(ctx context.Context, tx *store.Tx) (map[string]map[string]string, error) {
	if runs == 1 {
		return nil, nil
	}
	page, err := tx.People(ctx, account.Query{Limit: 500}, time.Time{})
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for _, p := range page.People {
		a, _, err := tx.AccountByID(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		tables, err := tx.AccountData(ctx, a, time.Time{})
		if err != nil {
			return nil, err
		}
		state := map[string]string{"password": a.Password, "version": fmt.Sprint(a.Version)}
		for _, table := range tables {
			if _, counts := spoken[table.Table]; !counts && table.Table != "account" {
				continue
			}
			for _, row := range table.Rows {
				if table.Table == "other_address" && row["kind"] == string(account.Removed) {
					continue // apps were told when it went
				}
				for _, column := range slices.Sorted(maps.Keys(row)) {
					key := table.Table
					if key == "account" {
						key += "." + column
					}
					if _, counts := spoken[key]; counts && !slices.Contains(used, column) {
						state[key] += fmt.Sprintf("%s=%s ", column, row[column])
					}
				}
			}
		}
		all[a.ID] = state
	}
	return all, nil
}

// unspoken returns the changes of accounts of which no event tells.
func unspoken(before, after map[string]map[string]string, told []webhook.Event) (missing []string) {
	ids := maps.Clone(before)
	maps.Copy(ids, after)
	for id := range ids {
		has := func(kind string) bool {
			return slices.ContainsFunc(told, func(e webhook.Event) bool { return e.AccountID == id && e.Type == kind })
		}
		was, is := before[id], after[id]
		if was == nil && has("account.created") || is == nil && has("account.deleted") {
			continue
		}
		for key, kind := range spoken {
			rehashed := key == "password" && was["version"] == is["version"] && is[key] != ""
			if was[key] != is[key] && !rehashed && !slices.ContainsFunc(strings.Fields(kind), has) {
				missing = append(missing, fmt.Sprintf("%s of %s without %s", key, id, kind))
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// The catalogue of docs/integrating/webhooks.md is made from the types. Each audit record of an account is the
// cause of an event, or one of those that change nothing.
func TestEventTypes(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("\n| event | when | `account` has |\n|---|---|---|\n")
	of := map[audit.Name]bool{}
	for _, e := range flow.EventTypes() {
		tells := "-"
		if len(e.Tells) > 0 {
			tells = "`" + strings.Join(e.Tells, "`, `") + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", e.Name, e.About, tells)
		for _, name := range e.Of {
			if of[name] {
				t.Errorf("%s is the cause of two types", name)
			}
			of[name] = true
		}
	}
	for _, name := range audit.Names() {
		if of[name] == slices.Contains(noEvent(), name) {
			t.Errorf("%s: say in EventTypes which event it causes, or here that it changes no account", name)
		}
	}
	goldentest.Part(t, "../../docs/integrating/webhooks.md", "-update. -->\n", "<!-- end of the events -->", table.String()+"\n")
}

// noEvent are the records that change no data of an account, and account_imported, whose detail decides.
func noEvent() []audit.Name {
	return []audit.Name{
		audit.SignUpAsked, audit.SignedIn, audit.ProofGiven, audit.SignInFailed, audit.SignInRefused, audit.SignedOut, audit.SessionEnded, audit.Throttled, audit.MailHeld, audit.CodeFailed, audit.CodeReplayed,
		audit.ProviderRefused, audit.FactorFailed, audit.PasskeySuspect, audit.DataDownloaded, audit.AccountImported, audit.LinkMade, audit.Restored, audit.Unlocked,
		audit.KeyRotated, audit.KeyRevoked, audit.KeyChanged, audit.RecordExported, audit.Exported, audit.MailSentAgain, audit.MailDropped, audit.JobStopped, audit.WebhookTried, audit.WebhookRetried, audit.APIKeyMade, audit.APIKeyRotated, audit.APIKeyEnded, audit.TokenMade, audit.TokenEnded,
		audit.InvitationSent, audit.InvitationUsed, audit.InvitationEnded, audit.ClientAuthorized, audit.GrantReused, audit.GrantRevoked,
		audit.RegistrationAllowed, audit.RegistrationWithdrawn, audit.RegistrationMade, audit.RegistrationChanged, audit.RegistrationEnded,
	}
}

// Each field that an import can change has an event.
func TestImportEvents(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("importupdate.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`difference\{"(\w+)"|append\(changes, "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		field := m[1] + m[2]
		if kinds := flow.EventsOf(audit.Fact{Name: audit.AccountImported, AccountID: "a", Detail: field}); len(kinds) != 1 || kinds[0] == "" {
			t.Errorf("an import that changes %s has the events %q", field, kinds)
		}
	}
}

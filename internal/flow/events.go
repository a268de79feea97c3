package flow

import (
	"context"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/webhook"
)

// EventType is a kind of change of an account, as apps know it. Apps rely on the names.
type EventType struct {
	Name  string
	About string       // when it is sent
	Tells []string     // the fields of EventAccount that it has
	Of    []audit.Name // the audit records that cause it
}

// EventTypes returns all kinds of events. Each audit record of a change of account data is in one of
// them: the tests of this package compare the rows of accounts before and after each transaction.
func EventTypes() []EventType { return eventTypes }

// eventTypes is made once, because each audit record is looked up here.
var eventTypes = []EventType{
	{"account.created", "somebody signed up, or an operator, an admin, a program or an import made the account", []string{"email", "name", "language", "state", "roles", "ends_at"},
		[]audit.Name{audit.SignedUp, audit.AccountCreated}},
	{"account.updated", "the name, language, picture, end, claims or accepted terms changed", []string{"name", "language", "ends_at"},
		[]audit.Name{audit.NameChanged, audit.LocaleChanged, audit.PortraitChanged, audit.EndChanged, audit.ClaimsChanged, audit.TermsAccepted}},
	{"account.email_changed", "the primary address is another one, or an imported one was proven", []string{"email"},
		[]audit.Name{audit.AddressChanged, audit.AddressProven}},
	{"account.addresses_changed", "another address was added or removed", nil, []audit.Name{audit.RecoverySet, audit.AddressRemoved}},
	{"account.roles_changed", "the account has other roles", []string{"roles"}, []audit.Name{audit.RolesChanged}},
	{"account.state_changed", "the account was approved, disabled, enabled, closed by its owner, or taken back", []string{"state", "ends_at"},
		[]audit.Name{audit.AccountApproved, audit.AccountDisabled, audit.AccountEnabled, audit.AccountLeft, audit.AccountKept}},
	{"account.deleted", "the account was erased: delete what you have of it", nil, []audit.Name{audit.AccountDeleted}},
	{"account.password_changed", "the password was set, changed or removed", nil, []audit.Name{audit.PasswordChanged, audit.PasswordRemoved}},
	{"account.passkeys_changed", "a passkey was added, renamed or removed", nil, []audit.Name{audit.PasskeyAdded, audit.PasskeyRenamed, audit.PasskeyRemoved}},
	{"account.factors_changed", "an authenticator app or recovery codes were added, removed or used up", nil,
		[]audit.Name{audit.FactorAdded, audit.FactorRemoved, audit.CodesMade, audit.CodesRemoved, audit.CodeSpent}},
	{"account.browsers_changed", "a browser was trusted, or is not trusted anymore", nil, []audit.Name{audit.BrowserTrusted, audit.TrustEnded}},
	{"account.providers_changed", "an identity of an external provider was connected or removed", nil, []audit.Name{audit.ProviderLinked, audit.ProviderRemoved}},
	{"account.apps_changed", "an OpenID client was allowed or removed", nil, []audit.Name{audit.ConsentGiven, audit.ConsentRevoked}},
	{"account.alarm_raised", "the owner said that a change was not theirs", nil, []audit.Name{audit.AlarmRaised}},
}

// imports are the events of an import that changed an account, by the fields of its record.
var imports = map[string]string{
	"name": "account.updated", "claims": "account.updated", "ends_at": "account.updated", "roles": "account.roles_changed",
	"password": "account.password_changed", "state": "account.state_changed", "identities": "account.providers_changed",
}

// eventsOf returns the types of the events that an audit record causes.
func eventsOf(f audit.Fact) (kinds []string) {
	if f.AccountID == "" {
		return nil
	}
	if f.Name == audit.AccountImported {
		if f.Detail == "" {
			return []string{"account.created"}
		}
		for _, field := range strings.Split(f.Detail, ",") {
			if kind := imports[field]; !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		return kinds
	}
	for _, t := range eventTypes {
		if slices.Contains(t.Of, f.Name) {
			kinds = append(kinds, t.Name)
		}
	}
	return kinds
}

// recorder adds audit records, and tells apps of those that are a change of an account.
type recorder struct {
	audit  *audit.Record
	events *webhook.Queue
}

// Add writes the record and its events in the transaction of the change.
func (r recorder) Add(ctx context.Context, tx Tx, f audit.Fact) error {
	return r.addEach(ctx, tx, f, f.Detail)
}

// addEach is Add for records that differ by their details alone. Their events are the same, and are written once.
func (r recorder) addEach(ctx context.Context, tx Tx, f audit.Fact, details ...string) error {
	all := make([]audit.Fact, len(details))
	for i, detail := range details {
		all[i] = f
		all[i].Detail = detail
	}
	if len(all) == 0 {
		return nil
	}
	if err := r.audit.Add(ctx, tx, all...); err != nil {
		return err
	}
	return r.tell(ctx, tx, f)
}

// tell writes the events of a record that is written elsewhere. With kinds, it writes these.
func (r recorder) tell(ctx context.Context, tx Tx, f audit.Fact, kinds ...string) error {
	if r.events == nil {
		return nil
	}
	if len(kinds) == 0 {
		kinds = eventsOf(f)
	}
	by, _, _ := strings.Cut(f.Actor, ":")
	for _, kind := range kinds {
		if err := r.events.Add(ctx, tx, webhook.Event{AccountID: f.AccountID, Type: kind, Change: string(f.Name), Actor: by}); err != nil {
			return err
		}
	}
	return nil
}

// EventAccount returns what an event of a type tells of an account, nil if the account is gone.
func (f *Operator) EventAccount(ctx context.Context, id, kind string) (any, error) {
	at := slices.IndexFunc(eventTypes, func(t EventType) bool { return t.Name == kind })
	if at < 0 {
		return nil, nil
	}
	var a account.Account
	var known bool
	err := f.store.Read(ctx, func(tx Tx) (err error) {
		a, known, err = tx.AccountByID(ctx, id)
		return err
	})
	if err != nil || !known {
		return nil, err
	}
	told := map[string]any{}
	for _, field := range eventTypes[at].Tells {
		switch field {
		case "email":
			told[field] = a.Address.Mail
		case "name":
			told[field] = a.Name
		case "language":
			told[field] = a.Locale
		case "state":
			told[field] = a.State
		case "roles":
			told[field] = distinct(a.Roles)
		case "ends_at":
			told[field] = endOf(a)
		}
	}
	return told, nil
}

// endOf returns the end of an account as text, "" for none.
func endOf(a account.Account) string {
	if a.EndsAt.IsZero() {
		return ""
	}
	return a.EndsAt.UTC().Format(time.RFC3339)
}

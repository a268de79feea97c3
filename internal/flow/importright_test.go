package flow_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/session"
	"portico/internal/store/sqlitetest"
)

const (
	makesAdmin = `refused roles: "portico:admin": makes an admin, which only the command 'portico user import' does`
	ofAdmin    = `refused roles: "portico:admin": the account is an admin's, which only the command 'portico user import' changes`
	existsHere = ": the account exists, and only the command 'portico user import --update' changes how its user signs in"
)

// key makes a key of the admin.
func (d *desk) key() (id string, by flow.Actor) {
	d.Helper()
	made, text, err := d.Operator.MakeAPIKey(d.Context(), flow.ByOperator, d.found().User.ID, apikey.Ask{Name: "sync", Scopes: apikey.Scopes()})
	if err == nil {
		by, err = d.Operator.ByKey(d.Context(), d.Caller, text)
	}
	if err != nil {
		d.Fatal(err)
	}
	return made.ID, by
}

// An import by an admin or a key makes no admin and changes none, and no way in to an account that exists. A dry run
// says so. The command can do all of it.
func TestImport_ByOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t), withProvider(t))
	other, err := d.Operator.CreateUser(t.Context(), flow.ByOperator, "other@example.org", "", "", flow.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	foreign := people.Person{Email: "foreign@example.org", EmailVerified: true, Password: "$argon2id$foreign"}
	d.brings(how(), foreign)
	foreign.Password = "$argon2id$other"
	of := func(email string, roles ...string) people.Person {
		return people.Person{Email: email, EmailVerified: true, Roles: roles}
	}
	ended := of("p0@example.org", "staff")
	ended.State = "disabled"
	joins := of("p1@example.org")
	joins.Identities = []people.Identity{{Issuer: google, Subject: "mallory"}}
	all := []people.Person{
		of("new@example.org", "staff", flow.RoleAdmin), of("p2@example.org", flow.RoleAdmin), of("admin@example.org", "staff"), of("other@example.org", "staff"),
		of("other@example.org"), foreign, joins, ended, of("p3@example.org", "guest"),
	}
	want := []string{makesAdmin, makesAdmin, ofAdmin, ofAdmin, "unchanged", "refused password" + existsHere, "refused identities" + existsHere, "changed; state", "changed; roles"}
	_, key := d.key()
	for name, by := range map[string]flow.Actor{"an admin": d.by(), "a key": key} {
		if got := d.bringsBy(by, how(update, dry), all...); !slices.Equal(got, want) {
			t.Errorf("a dry run by %s: %q", name, got)
		}
	}
	if got := d.bringsBy(key, how(update), all...); !slices.Equal(got, want) {
		t.Errorf("a key: %q", got)
	}
	want[7], want[8] = "unchanged", "unchanged"
	if got := d.bringsBy(d.by(), how(update), all...); !slices.Equal(got, want) {
		t.Errorf("an admin: %q", got)
	}
	if got := d.brings(how(update), all...); !slices.Equal(got, []string{
		"created", "changed; roles", "changed; roles", "changed; roles", "unchanged", "changed; password", "changed; identities", "unchanged", "unchanged",
	}) {
		t.Errorf("the command: %q", got)
	}
	if a := d.user(other.Address.Mail); !slices.Equal(a.Roles, []string{"staff"}) {
		t.Errorf("the other admin has %q", a.Roles)
	}
}

// Whoever is no longer an admin, or whose key has ended, learns nothing from a dry run and changes nothing.
func TestImport_ByFormerAdmin(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	id, key := d.key()
	by, person := d.by(), people.Person{Email: "new@example.org"}
	fails := func(by flow.Actor, want error) {
		t.Helper()
		for _, h := range []flow.Import{how(), how(dry)} {
			if _, err := d.Operator.Import(t.Context(), by, []people.Person{person}, h); !errors.Is(err, want) {
				t.Errorf("dry %t: %v, want %v", h.DryRun, err, want)
			}
		}
	}
	if err := d.Operator.EndAPIKey(t.Context(), flow.ByOperator, id, false); err != nil {
		t.Fatal(err)
	}
	fails(key, apikey.Unknown)
	d.clock.Advance(time.Hour) // the proof has aged: nothing is changed, and a dry run reads
	if _, err := d.Operator.Import(t.Context(), by, []people.Person{person}, how()); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("without a fresh proof: %v", err)
	}
	if got := d.bringsBy(by, how(dry), person); got[0] != "created" {
		t.Errorf("a dry run without a fresh proof: %q", got)
	}
	if err := d.Operator.SetUserRoles(t.Context(), flow.ByOperator, by.AccountID(), nil); err != nil {
		t.Fatal(err)
	}
	fails(by, flow.ErrNotAdmin)
	if _, err := d.Operator.EndUserSessions(t.Context(), flow.ByOperator, by.AccountID()); err != nil {
		t.Fatal(err)
	}
	fails(by, session.Required)
}

// early finds accounts as they were before somebody was made an admin, as another process may do it meanwhile.
type early struct{ flow.Store }

func (s early) Write(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Write(ctx, func(tx flow.Tx) error { return fn(earlyTx{tx}) })
}

type earlyTx struct{ flow.Tx }

func (t earlyTx) AccountsByKey(ctx context.Context, keys []string) ([]account.Account, error) {
	found, err := t.Tx.AccountsByKey(ctx, keys)
	for i := range found {
		found[i].Roles = []string{"staff"}
	}
	return found, err
}

// An account is judged as it is when it is changed.
func TestImport_AdminSinceTheSearch(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t), func(c *flow.Config) { c.Store = early{c.Store} })
	if err := d.Operator.SetUserRoles(t.Context(), flow.ByOperator, d.people[0].ID, []string{flow.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
	if got := d.bringsBy(d.by(), how(update), people.Person{Email: "p0@example.org", Name: "Renamed"}); got[0] != ofAdmin {
		t.Errorf("%q", got)
	}
	if a := d.user("p0@example.org"); a.Name != "" {
		t.Errorf("the account is %+v", a)
	}
}

package people_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/people"
)

func exported() people.Exported {
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	return people.Exported{Providers: []string{"google"}, Person: people.Person{
		ID: "06h1tyqpawg4cpwtn687mzbbsm", Email: "mara@example.org", EmailVerified: true, Name: "Mara de Vries", Locale: "de", State: "active",
		CreatedAt: at, SeenAt: at, EndsAt: at, Roles: []string{"admin", "staff"}, Claims: json.RawMessage(`{"n":1,"plan":"pro","list":["a","b"],"deep":{"a":1}}`),
		Password: "$argon2id$keyed", RecoveryCodes: []string{"h"}, Passkeys: []people.Passkey{{RPID: "portico.test", ID: "AQ"}},
		Subject: &people.Subject{Issuer: "https://old.test", Value: "=1+1"}, Addresses: []people.Address{{Email: "m@home.test", Kind: "recovery", Verified: true}},
		Identities: []people.Identity{{Issuer: "https://accounts.google.com", Subject: "42"}},
		TOTP:       []people.TOTP{{Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Digits: 6, Period: 30, Algorithm: "SHA1", CreatedAt: at}},
	}}
}

func write(t *testing.T, format string, all ...people.Exported) (text string, left []string) {
	t.Helper()
	var out bytes.Buffer
	w := people.NewWriter(format, `acme "1"`, &out)
	for _, p := range all {
		words, err := w.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, words...)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), left
}

// readBack reads what was written as an export of the other system. Their documents give both the same form.
func readBack(t *testing.T, from, text string) (all []people.Person) {
	t.Helper()
	source, err := people.Find(from, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.Open(strings.NewReader(text), people.Options{Issuer: "https://sso.test/realms/acme"})
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, at, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil || len(at.Ignored) > 0 {
			t.Fatalf("%v, and it ignores %q", err, at.Ignored)
		}
		all = append(all, p)
	}
}

func TestWriter_Keycloak(t *testing.T) {
	t.Parallel()
	off, plain := exported(), people.Exported{Person: people.Person{ID: "2", Email: "b@example.org", State: "active", Roles: []string{"admin"}}}
	off.ID, off.Email, off.State, off.EmailVerified = "1", "off@example.org", "disabled", false
	off.TOTP[0].Digits, off.TOTP[0].Period, off.TOTP[0].Algorithm = 8, 60, "SHA256"
	text, left := write(t, "keycloak", exported(), off, plain)
	want := []string{"password", "recovery codes", "passkeys", "other addresses", "end of the account", "former id", "claims that are objects"}
	if !slices.Equal(left, append(slices.Clone(want), want...)) {
		t.Errorf("left out %q", left)
	}
	var realm struct {
		Realm   string
		Enabled bool
		Roles   struct{ Realm []struct{ Name string } }
		Users   []struct {
			ID, Username, FirstName, LastName string
			Enabled                           bool
			CreatedTimestamp                  int64
			FederatedIdentities               []struct{ IdentityProvider, UserID, UserName string }
		}
	}
	if err := json.Unmarshal([]byte(text), &realm); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	u := realm.Users[0]
	if realm.Realm != `acme "1"` || !realm.Enabled || len(realm.Users) != 3 || len(realm.Roles.Realm) != 2 || realm.Roles.Realm[1].Name != "staff" ||
		u.FirstName != "Mara de" || u.LastName != "Vries" || u.Username != "mara@example.org" || u.ID != exported().ID || u.CreatedTimestamp != exported().CreatedAt.UnixMilli() ||
		len(u.FederatedIdentities) != 1 || u.FederatedIdentities[0].IdentityProvider != "google" || u.FederatedIdentities[0].UserID != "42" {
		t.Errorf("%+v", realm)
	}
	all := readBack(t, "keycloak", text)
	p := all[0]
	if p.Name != "Mara de Vries" || p.Locale != "de" || !slices.Equal(p.Roles, []string{"admin", "staff"}) || !p.EmailVerified || len(p.Identities) != 1 || p.Identities[0].Subject != "42" || p.Subject.Value != exported().ID {
		t.Errorf("%+v", p)
	}
	if got := p.TOTP; len(got) != 1 || got[0].Secret != exported().TOTP[0].Secret || got[0].Digits != 6 || got[0].Period != 30 || got[0].Algorithm != "SHA1" || !got[0].CreatedAt.Equal(exported().CreatedAt) {
		t.Errorf("%+v", got)
	}
	var claims map[string]any
	if err := json.Unmarshal(p.Claims, &claims); err != nil || !reflect.DeepEqual(claims, map[string]any{"n": []any{"1"}, "plan": []any{"pro"}, "list": []any{"a", "b"}}) {
		t.Errorf("%s (%v)", p.Claims, err)
	}
	if p := all[1]; p.State != "disabled" || p.EmailVerified || p.TOTP[0].Digits != 8 || p.TOTP[0].Period != 60 || p.TOTP[0].Algorithm != "SHA256" {
		t.Errorf("%+v", p)
	}
	if empty, _ := write(t, "keycloak"); !json.Valid([]byte(empty)) {
		t.Errorf("a realm of nobody is %s", empty)
	}
}

func TestWriter_Auth0(t *testing.T) {
	t.Parallel()
	off, long := exported(), exported()
	off.State, off.Name = "leaving", ""
	long.TOTP = append(long.TOTP, long.TOTP[0])
	long.TOTP[0].Digits, long.TOTP[0].Secret = 8, "AAAAAAAA"
	text, left := write(t, "auth0", exported(), off, long)
	want := []string{"password", "recovery codes", "passkeys", "other addresses", "end of the account", "former id", "identities"}
	if !slices.Equal(left, slices.Concat(want, want, slices.Insert(slices.Clone(want), 6, "authenticator apps besides one of 6 digits"))) {
		t.Errorf("left out %q", left)
	}
	// The names that the JSON schema of Auth0 has; it refuses others.
	var users []map[string]any
	if err := json.Unmarshal([]byte(text), &users); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	known := []string{"user_id", "email", "email_verified", "name", "blocked", "app_metadata", "mfa_factors"}
	for _, u := range users {
		for name := range u {
			if !slices.Contains(known, name) {
				t.Errorf("the user has %s", name)
			}
		}
	}
	all := readBack(t, "auth0", text)
	p := all[0]
	if p.Email != "mara@example.org" || !p.EmailVerified || p.Name != "Mara de Vries" || len(p.TOTP) != 1 || p.TOTP[0].Secret != exported().TOTP[0].Secret || p.State != "" {
		t.Errorf("%+v", p)
	}
	if meta, _ := json.Marshal(users[0]["app_metadata"]); !strings.Contains(string(meta), `"roles":["admin","staff"]`) || !strings.Contains(string(meta), `"deep":{"a":1}`) {
		t.Errorf("%s", meta)
	}
	if all[1].State != "disabled" || len(all[2].TOTP) != 1 || all[2].TOTP[0].Secret != exported().TOTP[0].Secret {
		t.Errorf("%+v", all[1:])
	}
	if empty, _ := write(t, "auth0"); !json.Valid([]byte(empty)) {
		t.Errorf("a list of nobody is %s", empty)
	}
}

// No cell begins as a formula, whatever people call themselves, and no cell is a secret.
func TestWriter_CSV(t *testing.T) {
	t.Parallel()
	p := exported()
	p.Name, p.Addresses[0].Email = `=HYPERLINK("https://evil.test")`, "+m@home.test"
	text, left := write(t, "csv", p)
	if len(left) > 0 {
		t.Errorf("left out %q", left)
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v\n%s", err, text)
	}
	want := []string{
		p.ID, "mara@example.org", "true", `'=HYPERLINK("https://evil.test")`, "de", "active", "admin;staff", "2026-05-04T10:00:00Z", "2026-05-04T10:00:00Z", "2026-05-04T10:00:00Z",
		"'+m@home.test", "https://accounts.google.com 42", "true", "1", "1", "1", "'=1+1", string(p.Claims),
	}
	if !slices.Equal(rows[1], want) || len(rows[0]) != len(want) {
		t.Errorf("%q\nwant %q", rows[1], want)
	}
	if strings.Contains(text, "argon2") || strings.Contains(text, "GEZDGN") {
		t.Errorf("a secret is in %s", text)
	}
	if empty, _ := write(t, "csv"); !strings.HasPrefix(empty, "id,email,") {
		t.Errorf("a table of nobody is %q", empty)
	}
}

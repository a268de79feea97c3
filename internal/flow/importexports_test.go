package flow_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/password"
	"portico/internal/people"
)

// export reads the good entries of an export of another system.
func (b *bundle) export(name, file string) (all []people.Person) {
	b.Helper()
	in, err := os.ReadFile(filepath.Join("..", "people", "testdata", file))
	if err != nil {
		b.Fatal(err)
	}
	source, err := people.Find(name, in)
	if err != nil {
		b.Fatal(err)
	}
	r, err := source.Open(bytes.NewReader(in), people.Options{Issuer: "https://old.example", Parameters: map[string]string{
		"mem_cost": "14", "rounds": "8", "salt_separator": "Bw==",
		"signer_key": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
	}})
	if err != nil {
		b.Fatal(err)
	}
	for {
		p, _, err := r.Next()
		bad := (*people.Problem)(nil)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case errors.As(err, &bad):
			continue
		case err != nil:
			b.Fatal(err)
		}
		all = append(all, p)
	}
}

// People of each system sign in with the password that they have there, and with the code of
// their authenticator app. Afterwards the hash is Portico's.
func TestImport_ExportsSignIn(t *testing.T) {
	t.Parallel()
	for file, name := range map[string]string{
		"keycloak.json": "keycloak", "auth0.ndjson": "auth0", "clerk.csv": "clerk", "firebase.json": "firebase", "supabase.csv": "supabase",
		"kratos.json": "kratos", "kratos-original.json": "kratos", "authelia.yml": "authelia", "better-auth.json": "better-auth", "better-auth-original.jsonl": "better-auth", "zitadel.json": "zitadel",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var passwords *password.Service
			b := setup(t, withPasswords(&passwords))
			all := b.export(name, file)
			h := how(func(h *flow.Import) {
				h.Hash = func(text string) (string, error) {
					stored, _, err := passwords.Adopt(text)
					return stored, err
				}
			})
			for i, line := range b.brings(h, all...) {
				if line != "created" {
					t.Logf("%s: %s", all[i].Email, line)
				}
			}
			typed := imported
			if name == "firebase" {
				typed = "user1password"
			}
			v := b.visitor("192.0.2.1")
			if _, err := v.signIn("mara@example.com", good); !errors.Is(err, flow.Rejected) {
				t.Errorf("another password: %v", err)
			}
			r := v.must(v.signIn("mara@example.com", typed))
			mara := slices.IndexFunc(all, func(p people.Person) bool { return p.Email == "mara@example.com" })
			if apps := all[mara].TOTP; len(apps) > 0 {
				v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(b.codeOf(apps[0]))))
			}
			if v.signedIn() != "mara@example.com" {
				t.Errorf("signed in as %q", v.signedIn())
			}
			v.wantHash("after the sign-in", "$argon2id$v=19$m=64,t=1,p=1,keyid=")
		})
	}
}

// codeOf returns what an authenticator app shows.
func (b *bundle) codeOf(app people.TOTP) string {
	b.Helper()
	s, ok := factor.ParseSecret(app.Secret)
	if !ok {
		b.Fatalf("the seed %s", app.Secret)
	}
	form := factor.Standard()
	if app.Digits != 0 {
		form = factor.Form{Digits: app.Digits, Period: app.Period, Algorithm: app.Algorithm}
	}
	return s.In(form, b.clock.Now())
}

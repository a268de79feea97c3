package flow_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/password"
	"portico/internal/people"
	"portico/internal/secret"
)

// export reads the good entries of an export of another system.
func (b *bundle) export(name, file string) (all []people.Person) {
	b.Helper()
	in, err := os.ReadFile(filepath.Join("..", "people", "testdata", file))
	if err != nil {
		b.Fatal(err)
	}
	return b.reads(name, in)
}

// reads reads the good entries of a text.
func (b *bundle) reads(name string, in []byte) (all []people.Person) {
	b.Helper()
	source, err := people.Find(name, in)
	if err != nil {
		b.Fatal(err)
	}
	r, err := source.Open(bytes.NewReader(in), people.Options{Issuer: "https://old.example", Parameters: map[string]string{
		"mem_cost": "14", "rounds": "8", "salt_separator": "Bw==", "rp_id": "portico.test",
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

// People of each system sign in with the passkey that they have there, one that their devices share. Keys that cannot sign in stay behind,
// and hinder nobody.
func TestImport_ExportsPasskeys(t *testing.T) {
	t.Parallel()
	std := base64.StdEncoding.EncodeToString
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	type object = map[string]any
	keycloak := func(kind string) func(a *passkeytest.Authenticator) string {
		return func(a *passkeytest.Authenticator) string {
			return text(object{"realm": "acme", "users": []object{{
				"id": string(a.Handle), "email": "mara@example.org", "emailVerified": true, "credentials": []object{{
					"type": kind, "secretData": "{}", "credentialData": text(object{"credentialId": std(a.ID), "credentialPublicKey": std(a.PublicKey()), "counter": 0}),
				}},
			}}})
		}
	}
	kratos := func(kind string, more object) func(a *passkeytest.Authenticator) string {
		return func(a *passkeytest.Authenticator) string {
			key := object{"id": std(a.ID), "public_key": std(a.PublicKey()), "authenticator": object{"sign_count": 0}}
			maps.Copy(key, more)
			return text([]object{{
				"id": "1", "schema_id": "default", "traits": object{"email": "mara@example.org"}, "verifiable_addresses": []object{{"value": "mara@example.org", "verified": true, "via": "email"}},
				"credentials": object{kind: object{"config": object{"user_handle": std(a.Handle), "credentials": []object{key}}}},
			}})
		}
	}
	for name, c := range map[string]struct {
		from    string
		text    func(a *passkeytest.Authenticator) string
		signsIn bool
	}{
		"keycloak":                  {"keycloak", keycloak("webauthn-passwordless"), true},
		"keycloak, a second factor": {"keycloak", keycloak("webauthn"), false},
		"kratos":                    {"kratos", kratos("passkey", object{"is_passwordless": true, "flags": object{"backup_eligible": true, "backup_state": false}, "transport": []string{"internal"}}), true},
		"kratos, without flags":     {"kratos", kratos("webauthn", object{"is_passwordless": true}), true},
		"kratos, a second factor":   {"kratos", kratos("webauthn", object{"is_passwordless": false}), false},
		"pocket-id": {"pocket-id", func(a *passkeytest.Authenticator) string {
			return text(object{"tables": object{
				"users": []object{{"id": string(a.Handle), "email": "mara@example.org", "email_verified": true}},
				"webauthn_credentials": []object{{
					"user_id": string(a.Handle), "credential_id": std(a.ID), "public_key": std(a.PublicKey()), "transport": std([]byte(`["internal"]`)),
					"backup_eligible": true, "backup_state": true, "created_at": "2025-11-25T12:39:02Z",
				}},
			}})
		}, true},
		"better-auth": {"better-auth", func(a *passkeytest.Authenticator) string {
			return text([]object{{"id": "1", "email": "mara@example.org", "emailVerified": true, "accounts": []object{}, "passkeys": []object{{"credentialID": secret.Encode(a.ID), "publicKey": std(a.PublicKey())}}}})
		}, false},
		"authelia": {"authelia", func(a *passkeytest.Authenticator) string {
			return "users:\n  mara: {email: mara@example.org}\n---\nwebauthn_credentials:\n  - {username: mara, rpid: portico.test, kid: '" + std(a.ID) + "', public_key: '" + std(a.PublicKey()) + "'}\n"
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, withPasskeys(t))
			a := passkeytest.New("portico.test", "https://portico.test", []byte("f3f1c1de-0001-4c5e-8f70-2b6a7f1d9c11"))
			a.Flags |= passkeytest.Copies | passkeytest.Copied
			if got := b.brings(how(), b.reads(c.from, []byte(c.text(a)))...); !slices.Equal(got, []string{"created"}) {
				t.Fatalf("imported: %q", got)
			}
			for range 2 {
				v := b.visitor("192.0.2.1")
				r, err := v.uses(a)
				if err == nil {
					v.keep(r)
				}
				if signedIn := v.signedIn() != ""; signedIn != c.signsIn {
					t.Errorf("signed in: %t, %v", signedIn, err)
				}
			}
			if a.Flags &^= passkeytest.Copies | passkeytest.Copied; c.signsIn {
				if _, err := b.visitor("192.0.2.1").uses(a); !errors.Is(err, passkey.Refused) {
					t.Errorf("as another passkey, which may not be copied: %v", err)
				}
			}
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

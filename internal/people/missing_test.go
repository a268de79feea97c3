package people

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An export that was made without passwords or second factors is named, and a complete one is not.
func TestMissing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]map[string]string{
		"id,email,encrypted_password\n1,a@b.c,x":                                                        {"mfa_factors": "authenticator apps", "identities": "identities"},
		"id,email,encrypted_password,mfa_factors,identities\n1,a@b.c,,,":                                {},
		`[{"email":"a@b.c","encrypted_password":""},{"email":"d@b.c","mfa_factors":null}]`:              {"identities": "identities"},
		`{"realm":"a","id":"b","users":[{"email":"a@b.c"}]}`:                                            {"credentials": "passwords and second factors"},
		`{"user_id":"1","email":"a@b.c","password_hash":"x"}`:                                           {"mfa_factors": "authenticator apps"},
		`{"user_id":"1","email":"a@b.c"}`:                                                               {"passwordHash or password_hash or custom_password_hash": "passwords", "mfa_factors": "authenticator apps"},
		"id,primary_email_address\n1,a@b.c":                                                             {"password_digest": "passwords", "totp_secret": "authenticator apps"},
		`{"users":[{"localId":"1","email":"a@b.c"}]}`:                                                   {"passwordHash": "passwords"},
		`[{"schema_id":"x","traits":{"email":"a@b.c"},"credentials":{"password":{"type":"password"}}}]`: {"credentials.password.config.hashed_password": "passwords"},
		`[{"email":"a@b.c","emailVerified":true,"accounts":null}]`:                                      {},
		`{"orgs":[{"humanUsers":[{"user":{"email":{"email":"a@b.c"}}}]}]}`:                              {"user.hashedPassword": "passwords", "user.otpCode": "authenticator apps", "user.idps": "identities"},
		"users:\n  mara: {email: a@b.c}":                                                                {"totp_configurations": "authenticator apps"},
		`{"email":"a@b.c"}`:                                                                             {}, // the own format: whoever wrote it knows
	} {
		if diff := cmp.Diff(want, missingOf(t, in)); diff != "" {
			t.Errorf("%s:\n%s", in, diff)
		}
	}
	for _, file := range []string{"supabase.csv", "supabase.json", "better-auth.json", "keycloak.json", "clerk.csv", "authelia.yml", "kratos.json", "firebase.csv"} {
		in, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if got := missingOf(t, string(in)); len(got) != 0 {
			t.Errorf("%s is complete, and misses %v", file, got)
		}
	}
}

func missingOf(t *testing.T, in string) map[string]string {
	t.Helper()
	r, err := recognized(t, []byte(in)).Open(bytes.NewReader([]byte(in)), Options{})
	for problem := (*Problem)(nil); err == nil || errors.As(err, &problem); {
		_, _, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		t.Fatalf("%s: %v", in, err)
	}
	return Missing(r)
}

// A password that an admin gave, and that its owner has to change, is left out: it would work on for whoever knows it.
func TestGivenPasswords(t *testing.T) {
	t.Parallel()
	keycloak := func(actions, temporary string) string {
		return `{"realm":"a","id":"b","users":[{"email":"a@b.c","requiredActions":` + actions + `,"credentials":[{"type":"password"` + temporary +
			`,"secretData":"{\"value\":\"$2b$05$x\"}","credentialData":"{\"algorithm\":\"bcrypt\"}"}]}]}`
	}
	zitadel := func(change string) string {
		return `{"orgs":[{"humanUsers":[{"user":{"email":{"email":"a@b.c"},"hashedPassword":{"value":"$2b$05$x"},"passwordChangeRequired":` + change + `}}]}]}`
	}
	for in, want := range map[string]string{
		keycloak(`["UPDATE_PASSWORD","CONFIGURE_TOTP"]`, ""): " " + givenPassword + "requiredActions UPDATE_PASSWORD, requiredActions CONFIGURE_TOTP",
		keycloak(`[ ]`, `,"temporary":true`):                 " " + givenPassword + "temporary",
		keycloak(`[]`, `,"temporary":false`):                 "$2b$05$x ",
		keycloak(`["VERIFY_EMAIL"]`, ""):                     "$2b$05$x requiredActions VERIFY_EMAIL",
		zitadel("true"):                                      " " + givenPassword + "passwordChangeRequired",
		zitadel("false"):                                     "$2b$05$x ",
	} {
		r, err := recognized(t, []byte(in)).Open(strings.NewReader(in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, at, err := r.Next()
		if got := p.Password + " " + strings.Join(at.Ignored, ", "); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
}

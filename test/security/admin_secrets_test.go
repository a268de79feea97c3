package security

import (
	"strings"
	"testing"

	"portico/internal/config"
)

// No response of the admin API has a secret of a user, in any column of the database that
// could help to sign in.
func TestSEC167_AdminSeesNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].Rules = []string{"role:owner"} })
	admin, _ := s.admin()
	user, p := s.protected()
	id := user.id()
	texts := admin.calls("GET /auth/api/admin/people", id).must(200).body + admin.calls("GET /auth/api/admin/people/{id}", id).must(200).body
	if !strings.Contains(texts, id) || !strings.Contains(texts, `"Authenticator app"`) || !strings.Contains(texts, `"rule":"role:owner"`) {
		t.Fatalf("the responses lack the user: %s", texts)
	}
	secrets := append([]string{p.secret.Text(), strings.ReplaceAll(p.secret.Text(), " ", ""), user.cookie("session")}, p.codes...)
	db := s.database()
	secrets = append(secrets, s.strings(db, `SELECT password FROM account WHERE id = '`+id+`'`)...)
	for _, secret := range secrets {
		if secret == "" || strings.Contains(texts, secret) {
			t.Errorf("the responses have the secret %q", secret)
		}
	}
	for _, word := range []string{"$argon2", "token_hash", "sealed", "selector", "public_key", "credential"} {
		if strings.Contains(texts, word) {
			t.Errorf("the responses have %q", word)
		}
	}
	for _, action := range []string{"password", "set-password", "factors", "totp", "passkeys", "impersonate", "sessions"} {
		admin.do("POST", "/auth/api/admin/people/"+id+"/"+action, `{"password":"`+other+`","confirm_password":"`+other+`"}`, admin.ours("application/json")).must(404)
	}
}

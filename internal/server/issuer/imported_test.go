package issuer_test

import (
	"encoding/json"
	"testing"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/people"
)

// A client with subject = "imported" calls a user what the former system did, in each place. The
// client next to it, and users who are from here, have Portico's id.
func TestSubject_Imported(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.Clients[0].Subject = "imported" })
	here := s.Person("noah@example.org")
	done, err := s.Operator.Import(t.Context(), flow.ByOperator, []people.Person{
		{Email: "mara@example.org", EmailVerified: true, Password: s.passwordOf("noah@example.org"), Subject: &people.Subject{Issuer: "https://old.test", Value: "user|42"}},
	}, flow.Import{
		KeepSubject: true, Hash: func(text string) (string, error) { return text, nil },
	})
	if err != nil || done[0].Outcome != flow.Created {
		t.Fatalf("%+v, %v", done, err)
	}
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]struct{ imported, other string }{
		"mara@example.org": {"user|42", a.ID}, "noah@example.org": {here, here},
	} {
		b := s.Browser()
		b.SignIn(address)
		got := s.tokens(b, "scope", "openid offline_access")
		renewed := s.token(refreshing(got.Refresh))
		for what, sub := range map[string]string{
			"the ID token": subOf(t, got.ID), "the renewed ID token": subOf(t, renewed.ID), "UserInfo": s.userInfo(renewed.Access).Sub,
			"introspection": s.post("/auth/openid/introspect", change(redemption(""), "token", renewed.Access)).Sub,
		} {
			if sub != want.imported {
				t.Errorf("%s: %s has %q, want %q", address, what, sub, want.imported)
			}
		}
		other := s.token(redemption(s.code(b, "client_id", "other"), "client_id", "other", "client_secret", "other "+rpSecret))
		if sub := subOf(t, other.ID); sub != want.other {
			t.Errorf("%s: another client gets %q, want %q", address, sub, want.other)
		}
	}
}

func (s *site) passwordOf(address string) string {
	s.Helper()
	a, err := s.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	return a.Password
}

func subOf(t *testing.T, token string) string {
	t.Helper()
	var claims struct{ Sub string }
	if err := json.Unmarshal([]byte(payload(t, token)), &claims); err != nil {
		t.Fatal(err)
	}
	return claims.Sub
}

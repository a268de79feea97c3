package security

import (
	"net/url"
	"testing"

	"portico/internal/config"
	"portico/internal/flow"
	format "portico/internal/people"
)

// A server takes a token whose subject is the client for a token of the client itself (RFC 9068 5).
func TestSEC481_AUserNamedLikeTheClient(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].Subject = "imported" })
	former := s.operator(fresh("former"), good)
	address := fresh("imported")
	done, err := s.app.Operator.Import(t.Context(), flow.ByOperator, []format.Person{{
		Email: address, EmailVerified: true, Password: s.of(former.Address.Mail).Password, Subject: &format.Subject{Issuer: "https://old.test", Value: "former"},
	}}, flow.Import{KeepSubject: true, Hash: func(text string) (string, error) { return text, nil }})
	if err != nil || done[0].Outcome != flow.Created {
		t.Fatalf("the import: %+v (%v)", done, err)
	}
	v := s.visitor()
	v.signIn(address, good).must(200)
	subject := func() string {
		t.Helper()
		got := v.rpTokens()
		if hinted := v.authorize(codeRequest("id_token_hint", got.ID, "prompt", "none")).sentBack(rpBack); hinted.Get("code") == "" {
			t.Errorf("the hint of the own ID token: %v", hinted)
		}
		return s.rp("introspect", url.Values{"token": {got.Access}, "client_id": {"rp"}, "client_secret": {rpSecret}}).Sub
	}
	if subject() != "former" {
		t.Error("an imported id does not count")
	}
	// The client came after the import, which refuses the id of one (SEC-474).
	if _, err := s.openDatabase("").Exec(`UPDATE imported_subject SET subject = 'rp' WHERE subject = 'former'`); err != nil {
		t.Fatal(err)
	}
	if subject() != v.id() {
		t.Error("a user has the id of the client")
	}
}

package issuer_test

import (
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
)

// The command 'portico client delete' ends everything for all users of a client, and nothing of
// other clients.
func TestForgetClient(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startGuests(t, p)
	mara, noor := s.signedIn("mara@example.org"), s.signedIn("noor@example.org")
	form := func(token string) reply {
		return s.token(refreshing(token, "client_id", p.id, "client_secret", ""))
	}
	var tokens []reply
	for range 2 {
		code := back(t, answers(mara, s.asked(mara, p.asks("scope", "openid offline_access")...), "allow")).Get("code")
		tokens = append(tokens, s.token(redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb")))
	}
	back(t, answers(noor, s.asked(noor, p.asks()...), "allow")) // a code that no one redeems
	other := s.tokens(mara)
	if n, err := s.Operator.ClientUsers(t.Context(), p.id); err != nil || n != 2 {
		t.Errorf("it has %d users, %v", n, err)
	}
	s.Clock.Advance(time.Second)
	use, err := s.Operator.ForgetClient(t.Context(), flow.ByOperator, p.id)
	if want := (flow.ClientUse{Users: 2, Grants: 2, Consents: 2}); err != nil || use != want {
		t.Errorf("it ended %+v, %v, want %+v", use, err, want)
	}
	for _, got := range tokens {
		s.wants("a refresh", form(got.Refresh), 400, "invalid_grant")
		if s.userInfo(got.Access).StatusCode != 401 {
			t.Error("an access token works")
		}
	}
	if next := s.token(refreshing(other.Refresh)); next.StatusCode != 200 {
		t.Errorf("another client: %d %s", next.StatusCode, next.text)
	}
	if use, err := s.Operator.ForgetClient(t.Context(), flow.ByOperator, p.id); err != nil || use != (flow.ClientUse{}) {
		t.Errorf("again: %+v, %v", use, err)
	}
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	history, _, err := s.Owner.History(t.Context(), a.ID, "")
	if err != nil || len(history) == 0 || history[0].Name != audit.ConsentRevoked || history[0].Detail != p.id || history[0].Actor != "operator" {
		t.Errorf("the record is %+v, %v", history, err)
	}
}

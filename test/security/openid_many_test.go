package security

import (
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/signature"
)

func TestSEC501_ASessionHasSoManyGrants(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].LogoutURI = "http://127.0.0.1:1" }) // no message arrives, and each stays
	v := s.visitor().register(fresh("v"))
	first := v.rpTokens()
	var newest rpAnswer
	for range openid.MostGrants + 49 {
		s.clock.Advance(time.Second)
		newest = v.rpTokens()
	}
	if n := s.count(`SELECT COUNT(*) FROM openid_grant`); n != openid.MostGrants {
		t.Errorf("of one client in one session there are %d grants, want %d", n, openid.MostGrants)
	}
	for range openid.MostGrants + 50 {
		s.clock.Advance(time.Millisecond)
		v.openIDCode()
	}
	if n := s.count(`SELECT COUNT(*) FROM openid_grant WHERE redeemed_at = 0`); n != openid.MostGrants {
		t.Errorf("there are %d codes, want %d", n, openid.MostGrants)
	}
	s.refused("the oldest grant", s.rp("token", refreshForm(first.Refresh)), "invalid_grant")
	if a := s.rp("token", refreshForm(newest.Refresh)); a.status != 200 {
		t.Errorf("the newest grant: %d %s", a.status, a.body)
	}
	v.post("signout", object{})
	if n := s.count(`SELECT COUNT(*) FROM outbox WHERE template = $1`, outbox.LogoutTemplate); n != 1 {
		t.Errorf("the client is told %d times that the session has ended", n)
	}
}

// A sign-in again and again, with a token that outlives the session each time, gives each grant a session of its own.
func TestSEC447_AUserHasSoManyGrants(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].LogoutURI = "http://127.0.0.1:1" }) // as above
	v, _ := s.signedIn()
	first := v.rpTokens()
	plant := func(client string) {
		_, err := s.openDatabase("").Exec(`INSERT INTO openid_grant (id, session_id, sid, client_id, account_id, version, methods, signed_in_at, scopes, claims, resources, redirect_uri, nonce, challenge,
			proof_key, may_tell, generation, access_from, created_at, redeemed_at, rotated_at, ended_at, expires_at, subject)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		SELECT ` + client + ` || '-' || i, 'gone' || i, 'sid' || i, ` + client + `, account_id, version, methods, signed_in_at, '["openid","offline_access"]', claims, resources, redirect_uri, nonce, challenge,
			proof_key, may_tell, generation, access_from, created_at - 1, redeemed_at, created_at - 1, ended_at, expires_at, subject FROM openid_grant, n WHERE id = (SELECT MIN(id) FROM openid_grant)`)
		s.must(err)
		s.clock.Advance(time.Second)
		v.rpTokens()
	}
	plant("client_id")
	if n := s.count(`SELECT COUNT(*) FROM openid_grant`); n != openid.MostOfUser {
		t.Errorf("of one client and one user there are %d grants, want %d", n, openid.MostOfUser)
	}
	if a := s.rp("token", refreshForm(first.Refresh)); a.status != 200 {
		t.Errorf("the grant of before in the session that is open: %d %s", a.status, a.body)
	}
	plant("'of another'")
	if n := s.count(`SELECT COUNT(*) FROM openid_grant`); n != openid.MostOfAny {
		t.Errorf("of all clients and one user there are %d grants, want %d", n, openid.MostOfAny)
	}
	s.must(s.app.Operator.SetUserState(t.Context(), flow.ByOperator, v.id(), account.DisabledByOperator))
	if n := s.count(`SELECT COUNT(*) FROM outbox WHERE template = $1`, outbox.LogoutTemplate); n != openid.MostOfUser-1 {
		t.Errorf("the client gets %d messages, want one for each name of a session, which is %d", n, openid.MostOfUser-1)
	}
}

// Each client has a record, and all together an event.
func TestSEC449_AnAlarmAfterManyClients(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.Webhooks = []config.Webhook{{Name: "shop", URL: "http://127.0.0.1:1/in", Events: []string{"account.apps_changed"}, Secret: signature.NewKey(), Private: true, Key: "webhook.1"}}
	})
	v, address := s.signedIn()
	v.post("account/password", object{"account": v.id(), "password": other, "confirm_password": other}).must(200)
	_, err := s.openDatabase("").Exec(`INSERT INTO openid_consent (account_id, client_id, scopes, given_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT $1, 'https://' || i || '.test/', '["openid"]', 1 FROM n`, v.id())
	s.must(err)
	s.visitor().raises(s.alarm(address)).must(200)
	if n := s.count(`SELECT COUNT(*) FROM openid_consent`); n != 0 {
		t.Errorf("%d clients are let in", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = $1`, audit.ConsentRevoked); n != 5000 {
		t.Errorf("%d records, want one for each client", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM webhook_delivery`); n != 1 {
		t.Errorf("the app is told %d times", n)
	}
}

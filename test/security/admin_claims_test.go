package security

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/store"
)

// The settings of this test were refused by config, which the running site must not rely on.
func TestSEC399_ClaimsPassForNoOthers(t *testing.T) {
	announce(t)
	t.Parallel()
	extra := []string{
		"sub=claim.sub", "iss=claim.iss", "aud=claim.aud", "exp=claim.exp", "email=claim.email", "email_verified=claim.no", "amr=claim.amr", "sid=claim.sub",
		"quota=claim.quota", "city=claim.address.city", "absent=claim.absent", "tenant='acme'",
	}
	behind := newApp(t, func(*http.Request) string { return "the app" })
	s := start(t, protects(behind, "signed-in /*"), func(c *config.Config) {
		c.App.ExtraClaims = append([]string{"roles=claim.roles", "name=claim.name", "iat=claim.exp"}, extra...)
		c.Clients = append(c.Clients, config.Client{
			ID: "asking", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid", "email", "groups"}, PKCE: true,
			ExtraClaims: append([]string{"groups=claim.roles"}, extra...), IDTokenClaims: []string{"all"},
		})
	})
	admin, _ := s.admin()
	v := s.visitor().register(fresh("v"))
	const forged = `"sub":"other","iss":"https://evil.test","aud":"other","exp":9999999999,"email":"boss@x.test","no":false,"amr":["hwk"],"roles":["portico:admin"],"name":"Boss"`
	set := func(text string) *answer { return admin.post("admin/people/"+v.id()+"/claims", object{"claims": text}) }
	if a := set("{" + forged + "}"); a.status != 422 || !strings.Contains(a.body, "the name sub already has a meaning") {
		t.Errorf("reserved names: %d %s", a.status, a.body)
	}
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error { // as if they had come in by another way
		return tx.UpdateClaims(t.Context(), v.id(), "{"+forged+`,"quota":9007199254740993,"address":{"city":"Köln"}}`)
	}))
	s.roles(v.whoami(), "editor")
	s.settle()

	check := func(what, token string) {
		t.Helper()
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(token), &got); err != nil {
			t.Fatal(what, err)
		}
		for name, value := range map[string]string{"quota": "9007199254740993", "city": `"Köln"`, "tenant": `"acme"`, "email": `"` + v.whoami() + `"`, "sub": `"` + v.id() + `"`, "email_verified": "true"} {
			if string(got[name]) != value {
				t.Errorf("%s: %s is %s, want %s", what, name, got[name], value)
			}
		}
		if what == "UserInfo" {
			return // which has none of the others to replace: the settings refuse their names
		}
		for _, bad := range []string{"evil.test", "boss@", "hwk", "portico:admin", "Boss", "9999999999", `"other"`} {
			if strings.Contains(token, bad) {
				t.Errorf("%s has %s: %s", what, bad, token)
			}
		}
		if _, there := got["absent"]; there {
			t.Errorf("%s has a claim that the account has not", what)
		}
	}
	payload := func(token string) string {
		text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	v.get("/page").must(200)
	asked := behind.asked()
	check("the token for the app", payload(asked[len(asked)-1].Header.Get("X-Portico-Token")))
	code := v.authorize(codeRequest("client_id", "asking", "scope", "openid email groups")).sentBack(rpBack).Get("code")
	got := s.rp("token", codeForm(code, "client_id", "asking"))
	got.must(200)
	check("the ID token", payload(got.ID))
	check("UserInfo", s.visitor().do("GET", "/auth/openid/userinfo", "", http.Header{"Authorization": {"Bearer " + got.Access}}).must(200).body)

	// An open session has the next ones at once, and the record and the email have none.
	set(`{"quota":6}`).must(200)
	v.get("/page").must(200)
	asked = behind.asked()
	if token := payload(asked[len(asked)-1].Header.Get("X-Portico-Token")); !strings.Contains(token, `"quota":6`) || strings.Contains(token, "city") {
		t.Errorf("the app still gets %s", token)
	}
	set(`{"quota":6}`).must(200)
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'claims_changed' AND detail = ''`); n != 1 {
		t.Errorf("the record has %d changes", n)
	}
	for what, text := range map[string]string{"not an object": "[1]", "too much": `{"a":"` + strings.Repeat("x", 4096) + `"}`, "two names": "{\"a\":1,\n\"a\":2}"} {
		if a := set(text); a.status != 422 && a.status != 400 || !strings.Contains(a.body, "claims.invalid") || !strings.Contains(a.body, `"line":`) {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	s.clock.Advance(time.Hour)
	if a := set(`{}`); a.status != 401 {
		t.Errorf("an old proof changes the claims: %d", a.status)
	}
}

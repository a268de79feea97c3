package security

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/secret"
)

func TestSEC267_ClaimsOneByOne(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		scopes := []string{"openid", "email", "offline_access"}
		c.Clients = append(c.Clients, config.Client{ID: "asking", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true, Consent: true})
	})
	address := fresh("v")
	v, victim := s.visitor().register(address), s.visitor().register(fresh("v"))
	const email = `{"userinfo":{"email":{"essential":true}},"id_token":{"email":null,"groups":{"essential":true},"name":null}}`
	request := func(claims string, changes ...string) url.Values {
		return codeRequest(append([]string{"client_id", "asking", "scope", "openid offline_access", "claims", claims}, changes...)...)
	}
	agrees := func(q url.Values, scopes string) url.Values {
		t.Helper()
		a := v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {scopes}, "answer": {"allow"}})
		u, err := url.Parse(a.header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return u.Query()
	}
	if agrees(codeRequest("client_id", "asking", "scope", "openid offline_access"), "openid offline_access").Get("code") == "" {
		t.Fatal("the user cannot agree")
	}
	if got := v.authorize(request(email, "prompt", "none")).sentBack(rpBack); got.Get("error") != "consent_required" {
		t.Errorf("a claim to which the user has not agreed: %v", got)
	}
	if got := agrees(request(email), "openid offline_access"); got.Get("code") != "" {
		t.Error("an answer to a page without the claim counts for it")
	}
	got := s.rp("token", codeForm(agrees(request(email), "openid offline_access email").Get("code"), "client_id", "asking"))
	got.must(200)
	told := s.visitor().do("GET", "/auth/openid/userinfo", "", http.Header{"Authorization": {"Bearer " + got.Access}}).body
	if !strings.Contains(told, address) || strings.Contains(told, "groups") || strings.Contains(told, "name") {
		t.Errorf("UserInfo tells %s", told)
	}
	middle, _ := secret.Decode(strings.Split(got.ID, ".")[1])
	if claims := string(middle); !strings.Contains(claims, address) || strings.Contains(claims, "groups") || strings.Contains(claims, "name") {
		t.Errorf("the ID token tells %s", claims)
	}
	v.form("/auth/account/apps", url.Values{"account": {v.id()}, "app": {"asking"}})
	s.refused("after the consent is gone", s.rp("token", refreshForm(got.Refresh, "client_id", "asking")), "invalid_grant")

	// Another user, or a weaker sign-in, never answers for the one that is asked for.
	for what, claims := range map[string]string{
		"another user":              `{"id_token":{"sub":{"value":"` + victim.id() + `"}}}`,
		"another user, in UserInfo": `{"userinfo":{"sub":{"values":["` + victim.id() + `"]}}}`,
		"two users":                 `{"userinfo":{"sub":{"value":"` + v.id() + `"}},"id_token":{"sub":{"value":"` + victim.id() + `"}}}`,
		"a second factor":           `{"id_token":{"acr":{"essential":true,"values":["2"]}}}`,
		"a level that is not there": `{"id_token":{"acr":{"essential":true,"value":"3"}}}`,
	} {
		if got := v.authorize(codeRequest("claims", claims, "prompt", "none")).sentBack(rpBack); got.Get("code") != "" || got.Get("error") == "" {
			t.Errorf("%s: %v", what, got)
		}
		if a := v.authorize(codeRequest("claims", claims)); strings.Contains(a.header.Get("Location"), "code=") {
			t.Errorf("%s: %s", what, a.header.Get("Location"))
		}
	}
	twice := codeRequest("claims", "{}").Encode() + "&claims=" + url.QueryEscape(email)
	if got := v.get("/auth/openid/authorize?" + twice); strings.Contains(got.header.Get("Location"), "code=") {
		t.Error("a parameter that is there twice counts")
	}
}

func TestSEC526_WaitsAtTheSecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withNewProofs)
	address := fresh("v")
	v, waits := s.visitor().register(address), s.visitor()
	waits.signIn(address, good).must(200)
	s.clock.Advance(2 * time.Minute)
	q := codeRequest("client_id", "recent", "claims", `{"id_token":{"acr":{"essential":true,"value":"2"}}}`)
	answered := waits.signInTo(address, waits.sentFor(q))
	v.signIn(address, good).must(200)
	phone := v.enrol()
	for range 3 {
		s.clock.Advance(2 * time.Minute) // the rule wants a sign-in of the last minute
		a := waits.get(answered)
		if !strings.HasPrefix(a.header.Get("Location"), "/auth/mfa?") {
			t.Fatalf("without a second factor: %d %s", a.status, a.header.Get("Location"))
		}
	}
	next := waits.post("mfa", object{"code": phone.code(), "return_to": answered}).next()
	got := s.rp("token", codeForm(waits.get(next).sentBack(rpBack).Get("code"), "client_id", "recent"))
	if middle, _ := secret.Decode(strings.Split(got.ID+"..", ".")[1]); !strings.Contains(string(middle), `"acr":"2"`) {
		t.Errorf("after a second factor, the ID token tells %s", middle)
	}
}

func TestSEC268_LanguageOfAPage(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor().register(address)
	before, err := s.app.Operator.User(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	for _, locales := range []string{"ar", "../../etc/passwd", "<script>", "de\r\nSet-Cookie: x=y", strings.Repeat("a", 3000)} {
		a := v.authorize(codeRequest("ui_locales", locales))
		for _, line := range a.header.Values("Set-Cookie") {
			if !regexp.MustCompile(`^__Host-portico-app(-locale=(ar|de|)|=[A-Za-z0-9_-]+);[ A-Za-z0-9;=/-]+$`).MatchString(line) {
				t.Errorf("%.30q sets %s", locales, line)
			}
		}
	}
	v.post("signout", object{})
	v.signIn(address, good)
	after, err := s.app.Operator.User(t.Context(), address)
	if err != nil || after.Locale != before.Locale {
		t.Errorf("a link changes the language of an account from %q to %q, %v", before.Locale, after.Locale, err)
	}
}

func TestSEC454_IntrospectionTellsNoMoreThanUserInfo(t *testing.T) {
	announce(t)
	t.Parallel()
	const api = "https://api.test"
	s := start(t, func(c *config.Config) {
		c.Clients[0].Resources = []string{api}
		jwt := c.Clients[0]
		jwt.ID, jwt.AccessToken = "jwt", "jwt"
		c.Clients = append(c.Clients, jwt)
		c.Clients[1].Serves = []string{api}
	})
	address := fresh("v")
	v := s.visitor().register(address)
	for scope, tells := range map[string]bool{
		"openid": false, "openid groups": false, "openid offline_access": false, "openid email": true, "openid profile": true, "openid email profile": true,
	} {
		for _, id := range []string{"rp", "jwt"} {
			get := func(more ...string) rpAnswer {
				code := v.authorize(codeRequest(append([]string{"client_id", id, "scope", scope}, more...)...)).sentBack(rpBack).Get("code")
				return s.rp("token", codeForm(code, "client_id", id))
			}
			asks := func(token, by, secret string) string {
				return s.rp("introspect", url.Values{"token": {token}, "client_id": {by}, "client_secret": {secret}}).body
			}
			own := get()
			for what, told := range map[string]string{
				"its access token":               asks(own.Access, id, rpSecret),
				"its refresh token":              asks(own.Refresh, id, rpSecret),
				"a token for an API, which asks": asks(get("resource", api).Access, "rp2", rp2Secret),
			} {
				if !strings.Contains(told, `"active":true`) || strings.Contains(told, address) != tells {
					t.Errorf("%s by %s, %s: %s", scope, id, what, told)
				}
			}
			if less := s.rp("token", refreshForm(get().Refresh, "client_id", id, "scope", "openid")); strings.Contains(asks(less.Access, id, rpSecret), address) {
				t.Errorf("%s by %s: the token for openid alone tells the address", scope, id)
			}
		}
	}
}

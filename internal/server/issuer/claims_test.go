package issuer_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/goldentest"
)

// indented returns a JSON object in the form of the golden files, with texts instead of values
// that differ each time.
func indented(t *testing.T, text string, hide ...string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range hide {
		if _, is := all[name]; is {
			all[name] = "(" + name + ")"
		}
	}
	out, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// The defaults for clients change only on purpose.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := startFor(t, oldClient)
	known := s.send("GET", "/.well-known/openid-configuration", "").text
	goldentest.File(t, "testdata/discovery.json", indented(t, strings.ReplaceAll(known, s.Origin, "https://login.test")))
	id := s.Person("mara@example.org")
	if err := errors.Join(s.Operator.SetUserName(t.Context(), flow.ByOperator, id, "Mara Lind"), s.Operator.SetUserRoles(t.Context(), flow.ByOperator, id, []string{"editor"})); err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	b.SignIn("mara@example.org")
	got := s.tokens(b, "scope", "openid profile email groups")
	hide := []string{"sub", "iss", "sid", "iat", "exp", "auth_time", "at_hash"}
	goldentest.File(t, "testdata/id_token.json", indented(t, payload(t, got.ID), hide...))
	goldentest.File(t, "testdata/userinfo.json", indented(t, s.userInfo(got.Access).text, hide...))
}

// Claims under the names of an app are there when those are that they repeat.
func TestClaims_Extra(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) {
		c.Clients[0].IDTokenClaims = []string{"groups"}
		c.Clients[0].ExtraClaims = []string{"upn=email", "roles=groups", "https://wiki.test/tenant='acme'", "nick=name"}
	})
	b := s.signedIn("mara@example.org")
	for scope, want := range map[string][2][]string{
		"openid profile email groups": {{"roles"}, {"upn", "roles"}},
		"openid email":                {nil, {"upn"}},
		"openid":                      {nil, nil},
	} {
		got := s.tokens(b, "scope", scope)
		for i, text := range []string{payload(t, got.ID), s.userInfo(got.Access).text} {
			var all map[string]any
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"upn", "roles", "nick"} {
				if _, is := all[name]; is != slices.Contains(want[i], name) {
					t.Errorf("scope %s: the claim %s is there: %t, in %s", scope, name, is, text)
				}
			}
			if all["https://wiki.test/tenant"] != "acme" {
				t.Errorf("scope %s: %s", scope, text)
			}
		}
	}
}

// An account without a name gets the claim from another one, where the client asks for that. A name that
// the account has stays.
func TestClaims_Name(t *testing.T) {
	t.Parallel()
	const address = "mara@example.org"
	for _, c := range []struct {
		name, extra, scope string
		inToken            []string
		want               [2]string // in the ID token, in UserInfo
	}{
		{"", "", "openid profile", []string{"all"}, [2]string{}},
		{"", "name=email", "openid profile", []string{"all"}, [2]string{address, address}},
		{"", "name=email", "openid profile", nil, [2]string{"", address}},
		{"", "name='a user'", "openid profile email", []string{"name"}, [2]string{"a user", "a user"}},
		{"", "name=preferred_username", "openid email", []string{"all"}, [2]string{}},
		{"Mara Lind", "name=email", "openid profile email", []string{"name"}, [2]string{"Mara Lind", "Mara Lind"}},
	} {
		s := startFor(t, func(cfg *config.Config) {
			cfg.Clients[0].IDTokenClaims = c.inToken
			if c.extra != "" {
				cfg.Clients[0].ExtraClaims = []string{c.extra}
			}
		})
		if err := s.Operator.SetUserName(t.Context(), flow.ByOperator, s.Person(address), c.name); err != nil {
			t.Fatal(err)
		}
		b := s.Browser()
		b.SignIn(address)
		got := s.tokens(b, "scope", c.scope)
		for i, text := range []string{payload(t, got.ID), s.userInfo(got.Access).text} {
			var all struct{ Name, Email string }
			if err := json.Unmarshal([]byte(text), &all); err != nil || all.Name != c.want[i] {
				t.Errorf("%+v: %v %s", c, err, text)
			}
		}
	}
}

// The ID token names the access token that is issued with it (OpenID Connect Core 3.1.3.6).
func TestIDToken_AccessTokenHash(t *testing.T) {
	t.Parallel()
	s := startFor(t, oldClient)
	b := s.signedIn("mara@example.org")
	for client, secret := range map[string]string{"rp": rpSecret, "modern": "modern " + rpSecret, "old": "old " + rpSecret, "api": rpSecret} {
		got := s.token(redemption(s.code(b, "client_id", client), "client_id", client, "client_secret", secret))
		next := s.token(refreshing(got.Refresh, "client_id", client, "client_secret", secret))
		for what, r := range map[string]reply{"a code": got, "a refresh": next} {
			sum := sha256.Sum256([]byte(r.Access))
			half := sum[:16]
			if client == "modern" { // EdDSA
				sum := sha512.Sum512([]byte(r.Access))
				half = sum[:32]
			}
			if want := `"at_hash":"` + base64.RawURLEncoding.EncodeToString(half) + `"`; !strings.Contains(payload(t, r.ID), want) {
				t.Errorf("%s, %s: %s, want %s", client, what, payload(t, r.ID), want)
			}
		}
	}
}

// A client asks for claims one by one, also in a pushed request, and gets no others of
// their scope.
func TestClaims_OneByOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	asked := []string{"scope", "openid", "claims", `{"userinfo":{"email":{"essential":true}},"id_token":{"preferred_username":null,"groups":null}}`}
	got := s.tokens(b, asked...)
	for what, r := range map[string]reply{"a code": got, "a refresh": s.token(refreshing(got.Refresh))} {
		claims, info := payload(t, r.ID), s.userInfo(r.Access).text
		if !strings.Contains(claims, `"preferred_username":"mara@example.org"`) || !strings.Contains(claims, `"groups":[]`) || strings.Contains(claims, `"email`) {
			t.Errorf("%s: the ID token says %s", what, claims)
		}
		if !strings.Contains(info, `"email":"mara@example.org"`) || strings.Contains(info, "email_verified") || strings.Contains(info, "preferred_username") || strings.Contains(info, "groups") {
			t.Errorf("%s: UserInfo says %s", what, info)
		}
		if r.Scope != "openid" {
			t.Errorf("%s: the scope is %q", what, r.Scope)
		}
	}
	pushed := s.post("/auth/openid/par", s.asserted(ask(append(asked, "client_id", "fapi")...), "fapi"))
	code := back(t, b.Open(authorize(url.Values{"client_id": {"fapi"}, "request_uri": {pushed.Name}}))).Get("code")
	if r := s.token(s.asserted(redemption(code), "fapi")); s.userInfo(r.Access).Email != "mara@example.org" {
		t.Errorf("a pushed request: %d %s", r.StatusCode, r.text)
	}
	if got := back(t, b.Open(authorize(ask("claims", "{")))); got.Get("error") != "invalid_request" || got.Get("state") == "" {
		t.Errorf("a broken parameter: %v", got)
	}
}

// A user agrees to the scope of a claim before it is given.
func TestClaims_Consent(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Scopes = []string{"openid", "email"} })
	b := s.signedIn("mara@example.org")
	asked := []string{"scope", "openid", "claims", `{"userinfo":{"email":null,"groups":null}}`}
	narrow := s.asked(b, "scope", "openid")
	if got := back(t, answers(b, narrow, "allow")); got.Get("code") == "" {
		t.Fatalf("%v", got)
	}
	page := s.asked(b, asked...)
	if page.Client.Asked != "openid email" {
		t.Errorf("the page asks for %q", page.Client.Asked)
	}
	got := s.token(redemption(back(t, answers(b, page, "allow")).Get("code")))
	if info := s.userInfo(got.Access); info.Email != "mara@example.org" || strings.Contains(info.text, "groups") {
		t.Errorf("UserInfo: %s", info.text)
	}
	smuggled := narrow
	smuggled.Client.Request = page.Client.Request
	if got := answers(b, smuggled, "allow"); strings.Contains(got.Next(), "code=") {
		t.Errorf("an answer to a page without the claim: %s", got.Next())
	}
}

// The claims sub and acr say who must be signed in, and how.
func TestClaims_SignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	mara, noor := s.signedIn("mara@example.org"), s.signedIn("noor@example.org")
	id := s.userInfo(s.tokens(mara).Access).Sub
	sub := []string{"prompt", "none", "claims", `{"id_token":{"sub":{"value":"` + id + `"}}}`}
	if got := back(t, mara.Open(authorize(ask(sub...)))); got.Get("code") == "" {
		t.Errorf("the user of sub: %v", got)
	}
	if got := back(t, noor.Open(authorize(ask(sub...)))); got.Get("error") != "login_required" {
		t.Errorf("another user: %v", got)
	}
	hint := s.tokens(noor).ID
	if got := back(t, mara.Open(authorize(ask(append(sub, "id_token_hint", hint)...)))); got.Get("error") != "invalid_request" {
		t.Errorf("sub and id_token_hint of two users: %v", got)
	}
	level := func(values string, more ...string) []string {
		return append([]string{"claims", `{"id_token":{"acr":{"essential":true,"values":[` + values + `]}}}`}, more...)
	}
	if p := mara.Open(authorize(ask(level(`"2"`)...))); !strings.HasPrefix(p.Next(), "/auth/mfa?") {
		t.Errorf("acr 2 without a second factor: %d %s", p.StatusCode, p.Next())
	}
	long := ask(level(`"2"`)...)
	long.Set("unknown", strings.Repeat("x", 5<<10))
	if got := back(t, mara.Open(authorize(long))); got.Get("error") != "invalid_request" || !strings.Contains(got.Get("error_description"), "too long") {
		t.Errorf("acr 2 without a second factor, in a request that cannot wait for it: %v", got)
	}
	for values, want := range map[string]string{`"2"`: "interaction_required", `"gold"`: "unmet_authentication_requirements"} {
		if got := back(t, mara.Open(authorize(ask(level(values, "prompt", "none")...)))); got.Get("error") != want || got.Get("code") != "" {
			t.Errorf("acr %s: %v", values, got)
		}
	}
	if claims := payload(t, s.tokens(mara, level(`"2","1"`)...).ID); !strings.Contains(claims, `"acr":"1"`) {
		t.Errorf("either acr: %s", claims)
	}
	s.addFactor(mara)
	for values, want := range map[string]string{`"2"`: `"acr":"2"`, `"1"`: `"acr":"1"`, `"1","2"`: `"acr":"2"`} {
		if claims := payload(t, s.tokens(mara, level(values)...).ID); !strings.Contains(claims, want) {
			t.Errorf("acr %s: %s", values, claims)
		}
	}
}

// A wish for a second factor is not a condition: with prompt=none the client gets what
// there is.
func TestAuthorize_VoluntaryLevel(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	app := s.addFactor(b)
	b.Send("/auth/signout", url.Values{})
	s.Clock.Advance(time.Minute)
	in := b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}}).Next()
	b.Send("/auth/mfa", url.Values{"flow": {query(t, in).Get("flow")}, "code": {app.At(s.Clock.Now())}, "trust": {"yes"}})
	b.Send("/auth/signout", url.Values{})
	b.SignIn("mara@example.org") // which asks for no code now, and proves none
	for _, asked := range [][]string{{"acr_values", "2"}, {"claims", `{"id_token":{"acr":{"values":["2"]}}}`}} {
		if p := b.Open(authorize(ask(asked...))); !strings.HasPrefix(p.Next(), "/auth/signin?") {
			t.Errorf("%v: %s", asked, p.Next())
		}
		if claims := payload(t, s.tokens(b, append(asked, "prompt", "none")...).ID); !strings.Contains(claims, `"acr":"1"`) {
			t.Errorf("%v: %s", asked, claims)
		}
	}
}

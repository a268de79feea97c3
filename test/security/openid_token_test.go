package security

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

func TestSEC134_RefreshRotation(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	other := v.rpTokens()
	for range rounds(2, 50) {
		first := v.rpTokens()
		next := map[string]bool{}
		answers := make(chan rpAnswer, 20)
		if won := race(20, func() bool {
			got := s.rp("token", refreshForm(first.Refresh))
			answers <- got
			return got.Refresh != ""
		}); won != 20 {
			t.Fatalf("%d of 20 who asked at once got tokens", won)
		}
		for range 20 {
			next[(<-answers).Refresh] = true
		}
		if len(next) != 1 || next[first.Refresh] {
			t.Fatalf("one refresh token has %d successors", len(next))
		}
	}
	one := v.rpTokens()
	two := s.rp("token", refreshForm(one.Refresh))
	s.clock.Advance(29 * time.Second)
	if again := s.rp("token", refreshForm(one.Refresh)); again.Refresh != two.Refresh || !s.works(again.Access) {
		t.Errorf("a lost answer that is asked for again: %d %s", again.status, again.body)
	}
	s.clock.Advance(2 * time.Second)
	s.refused("a used token after 31 seconds", s.rp("token", refreshForm(one.Refresh)), "invalid_grant")
	s.refused("its successor", s.rp("token", refreshForm(two.Refresh)), "invalid_grant")
	if s.works(two.Access) {
		t.Error("an access token of the grant that has ended works")
	}
	if !s.works(other.Access) || s.rp("token", refreshForm(other.Refresh)).status != 200 {
		t.Error("another grant of the same user and client has ended too")
	}
	// A token that is two generations old ends its grant at once.
	one = v.rpTokens()
	two = s.rp("token", refreshForm(one.Refresh))
	three := s.rp("token", refreshForm(two.Refresh))
	s.refused("a token of the generation before the last", s.rp("token", refreshForm(one.Refresh)), "invalid_grant")
	s.refused("the newest token", s.rp("token", refreshForm(three.Refresh)), "invalid_grant")
	// The time in which an answer may be asked for again does not come back when the clock is set back.
	one = v.rpTokens()
	s.clock.Advance(time.Hour)
	two = s.rp("token", refreshForm(one.Refresh))
	s.clock.Advance(-time.Hour)
	s.refused("a used token, after the clock was set back", s.rp("token", refreshForm(one.Refresh)), "invalid_grant")
	s.refused("its successor, after that", s.rp("token", refreshForm(two.Refresh)), "invalid_grant")
}

func TestSEC135_RefreshChecksAgain(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	gone := func(what string, spoil func(v *visitor, address string), changes ...string) {
		t.Helper()
		address := fresh("v")
		v := s.visitor().register(address)
		got := v.rpTokens(changes...)
		spoil(v, address)
		s.refused(what, s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
		if s.works(got.Access) {
			t.Errorf("%s: the access token works", what)
		}
	}
	offline := []string{"scope", "openid offline_access"}
	gone("a disabled account", func(_ *visitor, address string) { s.disable(address) }, offline...)
	gone("a deleted account", func(v *visitor, address string) {
		a, err := s.app.Operator.User(t.Context(), address)
		if err == nil {
			err = s.app.Operator.DeleteUser(t.Context(), flow.ByOperator, a.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}, offline...)
	gone("a new password", func(_ *visitor, address string) {
		a, err := s.app.Operator.User(t.Context(), address)
		if err == nil {
			err = s.app.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, other)
		}
		if err != nil {
			t.Fatal(err)
		}
	}, offline...)
	gone("a session that ended", func(v *visitor, _ string) { v.post("signout", object{}) })
	gone("after 30 days", func(*visitor, string) { s.clock.Advance(30*24*time.Hour + time.Second) }, offline...)
	v := s.visitor().register(fresh("v"))
	got := v.rpTokens("scope", "openid")
	s.refused("another client", s.rp("token", refreshForm(got.Refresh, "client_id", "rp2", "client_secret", rp2Secret)), "invalid_grant")
	s.refused("a wrong secret", s.rp("token", refreshForm(got.Refresh, "client_secret", "wrong")), "invalid_client")
	s.refused("more scopes", s.rp("token", refreshForm(got.Refresh, "scope", "openid email")), "invalid_scope")
	if again := s.rp("token", refreshForm(got.Refresh, "scope", "openid")); again.status != 200 {
		t.Errorf("the same scopes: %d %s", again.status, again.body)
	}
	got = v.rpTokens("scope", "openid email")
	s.stop()
	s.config.Clients[0].Scopes = []string{"openid"}
	s.run()
	s.refused("a scope that the client lost", s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
	s.stop()
	s.config.Clients = s.config.Clients[1:]
	s.run()
	s.refused("a client that is gone", s.rp("token", refreshForm(got.Refresh)), "invalid_client")
}

func TestSEC315_RefreshAfterTheRulesChange(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.Clients = append(c.Clients, config.Client{
			ID: "ruled", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid", "offline_access"}, PKCE: true,
			Consent: true, Rules: []string{"role:editor"},
		})
	})
	address := fresh("v")
	v := s.visitor().register(address)
	owner, err := s.app.Operator.User(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	roles := func(list ...string) {
		t.Helper()
		if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, owner.ID, list); err != nil {
			t.Fatal(err)
		}
	}
	agrees := func() rpAnswer {
		t.Helper()
		q := codeRequest("client_id", "ruled", "scope", "openid offline_access")
		code := v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {"openid offline_access"}, "answer": {"allow"}}).sentBack(rpBack).Get("code")
		got := s.rp("token", codeForm(code, "client_id", "ruled"))
		got.must(200)
		return got
	}
	if got := v.authorize(codeRequest("client_id", "ruled", "scope", "openid")).sentBack(rpBack); got.Get("code") != "" {
		t.Error("a user without the role gets a code")
	}
	roles("editor")
	got := agrees()
	roles("reader")
	s.refused("without the role", s.rp("token", refreshForm(got.Refresh, "client_id", "ruled")), "invalid_grant")
	roles("editor")
	got = agrees()
	v.form("/auth/account/apps", url.Values{"account": {v.id()}, "app": {"ruled"}})
	s.refused("without the consent", s.rp("token", refreshForm(got.Refresh, "client_id", "ruled")), "invalid_grant")
	if s.works(got.Access) {
		t.Error("an access token outlives the consent")
	}
	if asked := v.authorize(codeRequest("client_id", "ruled", "scope", "openid", "prompt", "none")).sentBack(rpBack); asked.Get("error") != "consent_required" {
		t.Errorf("the user is not asked again: %v", asked)
	}
	got = agrees()
	s.stop()
	s.config.Clients[len(s.config.Clients)-1].Secret = "another " + rpSecret
	s.run()
	s.refused("with the former secret", s.rp("token", refreshForm(got.Refresh, "client_id", "ruled")), "invalid_client")
	if next := s.rp("token", refreshForm(got.Refresh, "client_id", "ruled", "client_secret", "another "+rpSecret)); next.status != 200 {
		t.Errorf("with the new one: %d %s", next.status, next.body)
	}
}

func TestSEC136_OwnTokensOnly(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor().register(address)
	own := func(token string, changes ...string) map[string][]string {
		return with(map[string][]string{"token": {token}, "client_id": {"rp"}, "client_secret": {rpSecret}}, changes...)
	}
	foreign := []string{"client_id", "rp2", "client_secret", rp2Secret}
	got := v.rpTokens()
	for _, token := range []string{got.Access, got.Refresh} {
		if !s.rp("introspect", own(token)).Active {
			t.Error("the client does not learn that its token works")
		}
		if a := s.rp("introspect", own(token, foreign...)); a.status != 200 || strings.TrimSpace(a.body) != `{"active":false}` {
			t.Errorf("another client learns %s", a.body)
		}
		s.refused("without a secret", s.rp("introspect", own(token, "client_secret", "")), "invalid_client")
		s.refused("a public client", s.rp("introspect", own(token, "client_id", "spa", "client_secret", "")), "invalid_client")
		if a := s.rp("revoke", own(token, foreign...)); a.Error != "invalid_grant" || !s.works(got.Access) {
			t.Errorf("another client revokes the token: %d", a.status)
		}
	}
	for _, junk := range []string{"x", got.Access + "x", got.Refresh[:20], strings.Repeat("a", 9000)} {
		if a := s.rp("introspect", own(junk)); a.status != 200 || a.Active {
			t.Errorf("%.20q is %d %s", junk, a.status, a.body)
		}
		if a := s.rp("revoke", own(junk)); a.status != 200 {
			t.Errorf("revoking %.20q: %d", junk, a.status)
		}
	}
	for _, path := range []string{"introspect", "revoke"} {
		s.refused(path+" without a token", s.rp(path, own("")), "invalid_request")
	}
	if a := s.rp("revoke", own(got.Access)); a.status != 200 || s.rp("introspect", own(got.Access)).Active || s.works(got.Access) {
		t.Error("the access token works after it was revoked")
	}
	next := s.rp("token", refreshForm(got.Refresh))
	if !s.works(next.Access) {
		t.Error("revoking an access token ended the grant")
	}
	s.rp("revoke", own(next.Refresh))
	s.refused("a revoked refresh token", s.rp("token", refreshForm(next.Refresh)), "invalid_grant")
	if s.rp("introspect", own(next.Access)).Active {
		t.Error("the access token of a revoked grant works")
	}
	got = v.rpTokens()
	s.clock.Advance(10*time.Minute + time.Second)
	if s.rp("introspect", own(got.Access)).Active || s.works(got.Access) {
		t.Error("an access token works after ten minutes")
	}
	if !s.rp("introspect", own(got.Refresh)).Active {
		t.Error("the refresh token has expired as well")
	}
	s.disable(address)
	if s.rp("introspect", own(got.Refresh)).Active {
		t.Error("a token of a disabled account works")
	}
	s.breakStore()
	if a := s.rp("revoke", own(got.Refresh)); a.status < 500 {
		t.Errorf("revoking without a database is answered %d", a.status)
	}
}

func TestSEC141_Registration(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for _, target := range []string{"/auth/openid/register", "/auth/openid/clients", "/auth/openid/clients/rp", "/register", "/connect/register"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			h := v.ours("application/json")
			if a := v.do(method, target, `{"redirect_uris":["https://evil.test/cb"]}`, h); a.status != 404 {
				t.Errorf("%s %s: %d", method, target, a.status)
			}
		}
	}
	if a := v.get("/.well-known/openid-configuration"); strings.Contains(a.body, "registration_endpoint") || strings.Contains(a.body, rpSecret) {
		t.Error(a.body)
	}
	if strings.Contains(s.log.String(), rpSecret) {
		t.Error("the log has a client's secret")
	}
}

func TestSEC271_ForgedTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	got := v.rpTokens()
	code := v.openIDCode()
	parts := strings.Split(got.Access, ".")
	for what, access := range map[string]string{
		"no hash":                parts[0] + "." + parts[1] + "." + parts[2] + ".",
		"a later end":            parts[0] + "." + parts[1] + ".zzzzzz." + parts[3],
		"another generation":     parts[0] + ".1." + parts[2] + "." + parts[3],
		"a refresh token":        got.Refresh,
		"a code":                 code,
		"a session token":        v.cookies["__Host-portico-session"],
		"the id of the grant":    parts[0],
		"upper case":             strings.ToUpper(got.Access),
		"bits after the last":    got.Access[:len(got.Access)-1] + "_",
		"nothing":                "",
		"a line end":             got.Access + "%0a",
		"an ID token":            got.ID,
		"the access token twice": got.Access + "." + got.Access,
	} {
		if access != got.Access && s.works(access) {
			t.Errorf("UserInfo accepts %s", what)
		}
	}
	for what, refresh := range map[string]string{"an access token": got.Access, "a code": code, "a next generation": strings.Replace(got.Refresh, ".0.", ".1.", 1)} {
		s.refused(what+" as a refresh token", s.rp("token", refreshForm(refresh)), "invalid_grant")
	}
	for what, c := range map[string]string{"a refresh token": got.Refresh, "an access token": got.Access, "no hash": strings.Split(code, ".")[0]} {
		s.refused(what+" as a code", s.rp("token", codeForm(c)), "invalid_grant")
	}
	if !s.works(got.Access) {
		t.Error("the attempts have ended the grant")
	}
	for _, target := range []string{"/auth/openid/userinfo?access_token=" + got.Access} {
		if a := s.visitor().get(target); a.status != 401 {
			t.Errorf("a token in the URL: %d", a.status)
		}
	}
}

func TestSEC272_OtherOrigins(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	got := v.rpTokens()
	for _, origin := range []string{"https://evil.test", "https://rp.test", "null", "https://spa.test.evil.test"} {
		for _, endpoint := range []string{"token", "userinfo", "revoke", "introspect"} {
			a := v.do("POST", "/auth/openid/"+endpoint, "client_id=spa", http.Header{"Origin": {origin}, "Content-Type": {"application/x-www-form-urlencoded"}, "Authorization": {"Bearer " + got.Access}})
			if a.header.Get("Access-Control-Allow-Origin") != "" || a.header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("a page of %s may read the answer of %s", origin, endpoint)
			}
		}
	}
	// The session cookie is no access token, wherever the request comes from.
	if a := v.get("/auth/openid/userinfo"); a.status != 401 {
		t.Errorf("UserInfo by cookie: %d", a.status)
	}
	// A request in a form of another site has no effect before it is a GET.
	a := v.do("POST", "/auth/openid/authorize", codeRequest().Encode(), http.Header{"Origin": {"https://rp.test"}, "Content-Type": {"application/x-www-form-urlencoded"}})
	if to := a.header.Get("Location"); a.status != 303 || !strings.HasPrefix(to, "/auth/openid/authorize?") || v.get(to).sentBack(rpBack).Get("code") == "" {
		t.Errorf("a request in a form: %d %s", a.status, to)
	}
}

func TestSEC273_NothingUsableInTheDatabase(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	code := v.openIDCode()
	got := v.rpTokens()
	for where, data := range s.files() {
		for what, text := range map[string]string{"the code": code, "an access token": got.Access, "a refresh token": got.Refresh, "a client's secret": rpSecret} {
			if parts := strings.Split(text, "."); strings.Contains(data, parts[len(parts)-1]) {
				t.Errorf("%s holds %s", where, what)
			}
		}
	}
}

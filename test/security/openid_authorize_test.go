package security

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/openid/openidtest"
	"portico/internal/secret"
)

const (
	rpSecret   = openidtest.Secret
	rp2Secret  = "a secret of rp2 with many characters"
	rpBack     = openidtest.Back
	rpBye      = "https://rp.test/bye"
	rpVerifier = openidtest.Verifier
)

var (
	with        = openidtest.Change
	codeForm    = openidtest.Redemption
	refreshForm = openidtest.Refresh
)

// openIDClients are RP1 (rp), RP2 (rp2), a page (spa) and an app on a device (native).
func openIDClients(c *config.Config) {
	scopes := []string{"openid", "profile", "email", "groups"}
	c.Clients = []config.Client{
		{ID: "rp", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack, "https://rp.test/second"}, Scopes: append(scopes, "offline_access"), PKCE: true, LogoutReturns: []string{rpBye}},
		{ID: "rp2", IDTokenAlg: "ES256", Secret: rp2Secret, RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true},
		{ID: "spa", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"https://spa.test/cb"}, Scopes: scopes, PKCE: true},
		{ID: "native", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"http://127.0.0.1/cb", "com.example.app:/cb", "com.example.app://callback"}, Scopes: scopes, PKCE: true},
	}
}

// openIDRoutes lists the routes for OpenID clients.
func openIDRoutes() map[string]route {
	return map[string]route{
		"GET /.well-known/openid-configuration":           {200, 200, "", false},
		"GET /.well-known/oauth-authorization-server":     {200, 200, "", false},
		"GET /auth/openid/authorize":                      {422, 422, "", false},
		"POST /auth/openid/authorize":                     {303, 303, "client_id=x", true},
		"POST /auth/openid/token":                         {401, 401, "client_id=x", true},
		"POST /auth/openid/par":                           {401, 401, "client_id=x", true},
		"OPTIONS /auth/openid/token":                      {204, 204, "", false},
		"OPTIONS /auth/openid/device":                     {204, 204, "", false},
		"OPTIONS /.well-known/openid-configuration":       {204, 204, "", false},
		"OPTIONS /.well-known/oauth-authorization-server": {204, 204, "", false},
		"GET /auth/openid/userinfo":                       {401, 401, "", false},
		"POST /auth/openid/userinfo":                      {401, 401, "", true},
		"OPTIONS /auth/openid/userinfo":                   {204, 204, "", false},
		"POST /auth/openid/revoke":                        {401, 401, "client_id=x", true},
		"OPTIONS /auth/openid/par":                        {204, 204, "", false},
		"OPTIONS /auth/openid/revoke":                     {204, 204, "", false},
		"POST /auth/openid/introspect":                    {401, 401, "client_id=x", true},
		"POST /auth/openid/consent":                       {422, 422, `{"account":"other","request":"","scopes":"","answer":"allow"}`, false},
		"POST /auth/openid/device":                        {401, 401, "client_id=x", true},
		"GET /auth/device":                                {303, 200, "", false},
		"POST /auth/device":                               {303, 422, `{"code":"BBBB-BBBB"}`, false},
		"GET /auth/openid/logout":                         {303, 200, "", false},
		"POST /auth/openid/logout":                        {303, 303, "client_id=x", true},
		"POST /auth/openid/logout/confirm":                {303, 303, `{"account":"other","request":""}`, false},
	}
}

// codeRequest is a valid request of RP1, with changes.
func codeRequest(changes ...string) url.Values {
	return openidtest.Request(append([]string{"scope", "openid email"}, changes...)...)
}

func (v *visitor) authorize(q url.Values) *answer {
	v.Helper()
	return v.get("/auth/openid/authorize?" + q.Encode())
}

// sentBack returns what the client gets, or nil if the browser does not go there.
func (a *answer) sentBack(to string) url.Values {
	location := a.header.Get("Location")
	u, err := url.Parse(location)
	if err != nil || a.status != http.StatusSeeOther || !strings.HasPrefix(location, to+"?") {
		return nil
	}
	return u.Query()
}

// openIDCode returns a fresh code for RP1.
func (v *visitor) openIDCode(changes ...string) string {
	v.Helper()
	q := codeRequest(changes...)
	a := v.authorize(q)
	got := a.sentBack(q.Get("redirect_uri"))
	if got.Get("code") == "" {
		v.Fatalf("no code: %d %s %.300s", a.status, a.header.Get("Location"), a.body)
	}
	return got.Get("code")
}

// rpAnswer is what a client gets.
type rpAnswer struct {
	*answer
	openidtest.Answer
}

// rp sends the form of a client, which has no cookies and no Origin.
func (s *site) rp(endpoint string, form url.Values) rpAnswer {
	s.Helper()
	return s.rpSend(endpoint, form.Encode(), http.Header{})
}

func (s *site) rpSend(endpoint, body string, header http.Header) rpAnswer {
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	v := s.visitor()
	a, err := v.try("POST", "/auth/openid/"+endpoint, body, header)
	if err != nil {
		s.Error(err)
		return rpAnswer{answer: &answer{visitor: v}}
	}
	got := rpAnswer{answer: a}
	_ = json.Unmarshal([]byte(a.body), &got.Answer)
	return got
}

// rpTokens returns the tokens of a fresh code.
func (v *visitor) rpTokens(changes ...string) rpAnswer {
	v.Helper()
	got := v.rp("token", codeForm(v.openIDCode(changes...)))
	if got.status != 200 || got.Access == "" || got.Refresh == "" {
		v.Fatalf("no tokens: %d %s", got.status, got.body)
	}
	return got
}

// works reports whether UserInfo accepts an access token.
func (s *site) works(access string) bool {
	s.Helper()
	return s.visitor().do("GET", "/auth/openid/userinfo", "", http.Header{"Authorization": {"Bearer " + access}}).status == 200
}

func (s *site) refused(what string, got rpAnswer, code string) {
	s.Helper()
	if got.Error != code || got.Access != "" || got.status < 400 {
		s.Errorf("%s: status %d, error %q, want %q", what, got.status, got.Error, code)
	}
}

func TestSEC130_RedirectURI(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	stays := func(what string, a *answer) {
		t.Helper()
		if a.header.Get("Location") != "" || a.status < 400 || strings.Contains(a.body, "evil") {
			t.Errorf("%s: status %d, location %q", what, a.status, a.header.Get("Location"))
		}
	}
	for _, uri := range []string{
		rpBack + "/", rpBack + "?x=1", rpBack + "?", rpBack + "#f", "https://rp.test/CB", "https://RP.test/cb", "https://rp.test/cb/../evil", "https://rp.test/cb%2f..",
		"https://rp.test@evil.test/cb", "https://rp.test.evil.test/cb", "http://rp.test/cb", "https://rp.test:443/cb", "https://rp.test//cb", "HTTPS://rp.test/cb",
		"//rp.test/cb", "/cb", "cb", " " + rpBack, rpBack + " ", rpBack + "\x00", "javascript:alert(1)", "data:text/html,x", "https://evil.test/cb", rpBack + "\n",
		"http://127.0.0.1/cb", "com.example.app:/cb", `https://rp.test\@evil.test/cb`, "https://rp.test/cb;x", "https://rp.test/%63b",
	} {
		stays(uri, v.authorize(codeRequest("redirect_uri", uri)))
		stays(uri+" of an error", v.authorize(codeRequest("redirect_uri", uri, "response_type", "token")))
		stays(uri+" without a session", s.visitor().authorize(codeRequest("redirect_uri", uri)))
	}
	stays("none", v.authorize(codeRequest("redirect_uri", "")))
	stays("none of one", v.authorize(codeRequest("client_id", "spa", "redirect_uri", "")))
	stays("two", v.get("/auth/openid/authorize?"+codeRequest().Encode()+"&redirect_uri="+url.QueryEscape("https://evil.test/cb")))
	stays("two the other way", v.get("/auth/openid/authorize?redirect_uri="+url.QueryEscape("https://evil.test/cb")+"&"+codeRequest().Encode()))
	stays("an unknown client", v.authorize(codeRequest("client_id", "nobody")))
	for _, twice := range []string{"client_id=rp2", "client_id=rp", "redirect_uri=" + url.QueryEscape(rpBack)} {
		a := v.get("/auth/openid/authorize?" + codeRequest().Encode() + "&" + twice)
		stays(twice, a)
		if name, _, _ := strings.Cut(twice, "="); !strings.Contains(a.body, name+"” twice") {
			t.Errorf("the page does not say that %s is there twice: %d %.300s", name, a.status, a.body)
		}
	}
	for _, uri := range []string{"http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "com.example.app:/cb", "com.example.app://callback"} {
		if a := v.authorize(codeRequest("client_id", "native", "redirect_uri", uri)); a.sentBack(uri).Get("code") == "" {
			t.Errorf("the app on a device does not get back to %s: %d", uri, a.status)
		}
	}
	for _, uri := range []string{
		"http://localhost/cb", "http://localhost:80/cb", "http://127.0.0.1:80", "http://127.0.0.1:80/", "http://127.0.0.1:/cb", "http://127.0.0.1:8o/cb", "http://127.0.0.1:123456/cb", "http://127.0.0.1:65536/cb",
		"http://127.0.0.1:80@evil.test/cb", "http://127.0.0.1:80:90/cb", "http://127.0.0.1.evil.test/cb", "http://127.0.0.1evil.test/cb", "https://127.0.0.1/cb", "http://127.0.0.2/cb", "http://[::1]/cb",
		"com.example.app://evil.test/cb", "com.example.app://callback/", "com.example.app://callback:80", "com.example.app://Callback", "com.example.app:/cb/x", "com.example.app:cb",
	} {
		stays(uri, v.authorize(codeRequest("client_id", "native", "redirect_uri", uri)))
	}
	s.refused("redeemed without one", s.rp("token", codeForm(v.openIDCode(), "redirect_uri", "")), "invalid_request")
	for _, uri := range []string{rpBack + "/", "https://rp.test/second"} {
		s.refused("redeemed with "+uri, s.rp("token", codeForm(v.openIDCode(), "redirect_uri", uri)), "invalid_grant")
	}
}

func TestSEC131_CodeOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for range rounds(3, 50) {
		form := codeForm(v.openIDCode())
		won := race(20, func() bool { return s.rp("token", form).Access != "" })
		if won != 1 {
			t.Fatalf("%d of 20 redemptions of one code gave tokens", won)
		}
	}
	form := codeForm(v.openIDCode())
	got := s.rp("token", form)
	if got.header.Get("Cache-Control") != "no-store" || !s.works(got.Access) {
		t.Errorf("the first redemption: %d %v", got.status, got.header)
	}
	s.refused("the second redemption", s.rp("token", form), "invalid_grant")
	s.refused("the refresh token", s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
	if s.works(got.Access) {
		t.Error("the access token of a code that was used twice works")
	}
}

// race runs something at the same moment many times, and returns how often it was
// true.
func race(times int, try func() bool) (won int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range times {
		all.Go(func() {
			<-begin
			if try() {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	close(begin)
	all.Wait()
	return won
}

func TestSEC132_CodeOfItsClientAndTime(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	s.refused("another client", s.rp("token", codeForm(v.openIDCode(), "client_id", "rp2", "client_secret", rp2Secret)), "invalid_grant")
	s.refused("a public client", s.rp("token", codeForm(v.openIDCode(), "client_id", "spa", "client_secret", "")), "invalid_grant")
	s.refused("no secret", s.rp("token", codeForm(v.openIDCode(), "client_secret", "")), "invalid_client")
	s.refused("the secret of another", s.rp("token", codeForm(v.openIDCode(), "client_secret", rp2Secret)), "invalid_client")
	s.refused("no client", s.rp("token", codeForm(v.openIDCode(), "client_id", "", "client_secret", "")), "invalid_client")
	s.refused("another verifier", s.rp("token", codeForm(v.openIDCode(), "code_verifier", rpVerifier+"x")), "invalid_grant")
	code := v.openIDCode()
	s.clock.Advance(61 * time.Second)
	s.refused("after 61 seconds", s.rp("token", codeForm(code)), "invalid_grant")
	code = v.openIDCode()
	s.clock.Advance(59 * time.Second)
	if got := s.rp("token", codeForm(code)); got.status != 200 {
		t.Errorf("after 59 seconds: %d %s", got.status, got.body)
	}
	code = v.openIDCode()
	v.post("signout", object{})
	s.refused("after signing out", s.rp("token", codeForm(code)), "invalid_grant")
}

func TestSEC133_PKCE(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.Clients = append(c.Clients, config.Client{ID: "loose", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid"}})
	})
	v := s.visitor().register(fresh("v"))
	for _, client := range []struct{ id, back string }{{"rp", rpBack}, {"spa", "https://spa.test/cb"}} {
		for what, changes := range map[string][]string{
			"no challenge":   {"code_challenge", "", "code_challenge_method", ""},
			"a method alone": {"code_challenge", ""},
			"plain":          {"code_challenge_method", "plain"},
			"no method":      {"code_challenge_method", ""},
			"a short one":    {"code_challenge", "abc"},
			"no base64":      {"code_challenge", strings.Repeat("=", 43)},
		} {
			a := v.authorize(with(codeRequest("client_id", client.id, "redirect_uri", client.back), changes...))
			if got := a.sentBack(client.back); got.Get("error") != "invalid_request" || got.Has("code") || got.Get("state") != "s t&<a>" {
				t.Errorf("%s of %s: %d %s", what, client.id, a.status, a.header.Get("Location"))
			}
		}
	}
	for _, verifier := range []string{"", rpVerifier[:42], strings.Repeat("a", 129), strings.Repeat("ä", 43), rpVerifier + "!"} {
		code := v.openIDCode("code_challenge", secret.Encode(secret.Hash(verifier))) // which each of them fits
		s.refused("the verifier "+verifier, s.rp("token", codeForm(code, "code_verifier", verifier)), "invalid_grant")
	}
	// A client that may leave PKCE out cannot have it taken away on the way (RFC 9700 4.8.2).
	without := []string{"client_id", "loose", "scope", "openid", "code_challenge", "", "code_challenge_method", ""}
	s.refused("a verifier without a challenge", s.rp("token", codeForm(v.openIDCode(without...), "client_id", "loose")), "invalid_grant")
	s.refused("a challenge without a verifier", s.rp("token", codeForm(v.openIDCode("client_id", "loose", "scope", "openid"), "client_id", "loose", "code_verifier", "")), "invalid_grant")
	if got := s.rp("token", codeForm(v.openIDCode(without...), "client_id", "loose", "code_verifier", "")); got.status != 200 {
		t.Errorf("a client without PKCE: %d %s", got.status, got.body)
	}
}

func TestSEC140_Prompt(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	if got := s.visitor().authorize(codeRequest("prompt", "none")).sentBack(rpBack); got.Get("error") != "login_required" || got.Has("code") {
		t.Errorf("prompt=none without a session: %v", got)
	}
	s.clock.Advance(10 * time.Second)
	for what, changes := range map[string][]string{
		"prompt=login": {"prompt", "login"}, "max_age=0": {"max_age", "0"}, "max_age=1": {"max_age", "1"}, "both": {"prompt", "login", "max_age", "3600"},
	} {
		a := v.authorize(codeRequest(changes...))
		to, err := url.Parse(a.header.Get("Location"))
		if err != nil || to.Path != "/auth/signin" || to.Query().Get("again") != "1" {
			t.Fatalf("%s: %d %s", what, a.status, a.header.Get("Location"))
		}
		again := to.Query().Get("return_to")
		if got := v.get(again).sentBack(rpBack); got != nil {
			t.Errorf("%s: the browser goes on without a new sign-in: %v", what, got)
		}
	}
	for _, changes := range [][]string{{"prompt", "none login"}, {"prompt", "unknown"}, {"max_age", "-1"}, {"max_age", "1e3"}, {"max_age", "99999999999"}} {
		if got := v.authorize(codeRequest(changes...)).sentBack(rpBack); got.Get("error") != "invalid_request" {
			t.Errorf("%v: %v", changes, got)
		}
	}
}

func TestSEC143_ResponseModes(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	payload := `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
	a := v.authorize(codeRequest("response_mode", "form_post", "state", payload))
	policy := a.header.Get("Content-Security-Policy")
	if a.status != 200 || strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, "<img") || !strings.Contains(a.body, `action="`+rpBack+`"`) ||
		!strings.Contains(a.body, "&lt;script&gt;") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'sha256-") || a.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the form: %d %s\n%s", a.status, policy, a.body)
	}
	if got := v.authorize(codeRequest("response_mode", "form_post", "response_type", "token")); !strings.Contains(got.body, "unsupported_response_type") || got.header.Get("Location") != "" {
		t.Errorf("an error in a form: %d %s", got.status, got.body)
	}
	for _, kind := range []string{"token", "id_token", "id_token token", "code id_token", "code token", "none", "CODE", "code "} {
		if got := v.authorize(codeRequest("response_type", kind)).sentBack(rpBack); got.Get("error") != "unsupported_response_type" || got.Has("code") {
			t.Errorf("response_type %q: %v", kind, got)
		}
	}
	for _, mode := range []string{"fragment", "web_message", "query.jwt", "x"} {
		if got := v.authorize(codeRequest("response_mode", mode)).sentBack(rpBack); got.Get("error") != "invalid_request" {
			t.Errorf("response_mode %s: %v", mode, got)
		}
	}
}

func TestSEC145_Parameters(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for name, value := range map[string]string{"state": "x", "scope": "openid", "nonce": "x", "code_challenge": "x", "response_type": "code", "prompt": "none", "response_mode": "query"} {
		q := codeRequest("prompt", "login", "response_mode", "query").Encode()
		if got := v.get("/auth/openid/authorize?" + q + "&" + name + "=" + value).sentBack(rpBack); got.Get("error") != "invalid_request" || name == "state" && got.Has("state") {
			t.Errorf("%s twice: %v", name, got)
		}
	}
	for name, code := range map[string]string{"request": "request_not_supported", "request_uri": "request_uri_not_supported", "registration": "registration_not_supported"} {
		if got := v.authorize(codeRequest(name, "x")).sentBack(rpBack); got.Get("error") != code {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := v.authorize(codeRequest("nonce", strings.Repeat("n", 513))).sentBack(rpBack); got.Get("error") != "invalid_request" {
		t.Errorf("a long nonce: %v", got)
	}
	for what, text := range map[string]string{"no UTF-8": "\xff", "a half of a pair": "\xed\xa0\x80", "a zero byte": "\x00"} {
		if got := v.authorize(codeRequest("nonce", text)).sentBack(rpBack); got.Get("error") != "invalid_request" || text == "\x00" && !strings.Contains(got.Get("error_description"), what) {
			t.Errorf("a nonce with %s: %v", what, got)
		}
		s.refused("a pushed nonce with "+what, s.rp("par", with(codeRequest("nonce", text), "client_secret", rpSecret)), "invalid_request")
		s.refused("a code with "+what, s.rp("token", codeForm(text)), map[bool]string{true: "invalid_grant", false: "invalid_request"}[text == "\x00"])
	}
	if got := s.visitor().authorize(codeRequest("state", strings.Repeat("s", 4096))).sentBack(rpBack); got.Get("error") != "invalid_request" {
		t.Errorf("a long state, which would be lost: %v", got)
	}
	for name, value := range map[string]string{"grant_type": "authorization_code", "code": "x", "redirect_uri": rpBack, "code_verifier": "x", "client_id": "rp", "client_secret": "x", "extra": "x"} {
		form := codeForm(v.openIDCode(), "extra", "y").Encode()
		s.refused(name+" twice", s.rpSend("token", form+"&"+name+"="+url.QueryEscape(value), http.Header{}), "invalid_request")
	}
	form := codeForm(v.openIDCode())
	s.refused("a query", s.rpSend("token?code=x", form.Encode(), http.Header{}), "invalid_request")
	s.refused("two proofs", s.rpSend("token", form.Encode(), http.Header{"Authorization": {"Basic cnA6eA=="}}), "invalid_request")
	s.refused("another grant", s.rp("token", with(form, "grant_type", "password")), "unsupported_grant_type")
	s.refused("no grant", s.rp("token", with(form, "grant_type", "")), "invalid_request")
	a := v.do("POST", "/auth/openid/token", `{"grant_type":"authorization_code"}`, http.Header{"Content-Type": {"application/json"}})
	if a.status != 400 || !strings.Contains(a.body, "invalid_request") {
		t.Errorf("JSON: %d %s", a.status, a.body)
	}
}

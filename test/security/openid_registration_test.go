package security

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

const (
	registerPath = "/auth/openid/register"
	appBack      = "https://app.test/cb"
)

func withRegistration(c *config.Config) { c.OpenID.Registration = true }

// initialToken returns a token by which so many clients may register within an hour.
func (s *site) initialToken(uses int64) string {
	s.Helper()
	text, _, err := s.app.Operator.AllowRegistrations(s.Context(), flow.ByOperator, uses, time.Hour)
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// registrant is an app that has registered itself, with its answer.
type registrant struct {
	*answer
	ID      string   `json:"client_id"`
	Secret  string   `json:"client_secret"`
	Token   string   `json:"registration_access_token"`
	Address string   `json:"registration_client_uri"`
	Scope   string   `json:"scope"`
	Backs   []string `json:"redirect_uris"`
	Method  string   `json:"token_endpoint_auth_method"`
	Error   string   `json:"error"`
	Why     string   `json:"error_description"`
}

// metadataOf is what an app sends to be registered, with changes: nil removes a member.
func metadataOf(changes object) object {
	m := object{"redirect_uris": []string{appBack}, "client_name": "My Bank", "post_logout_redirect_uris": []string{"https://app.test/bye"}}
	for name, value := range changes {
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
	return m
}

// registering sends a request about a registration, as a server does.
func (s *site) registering(method, target, token, body string) (r registrant) {
	s.Helper()
	h := http.Header{}
	if body != "" {
		h.Set("Content-Type", "application/json")
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	a := s.visitor().do(method, target, body, h)
	if a.body != "" {
		a.parse(&r)
	}
	r.answer = a
	return r
}

func (s *site) registers(token string, changes object) registrant {
	s.Helper()
	return s.registering("POST", registerPath, token, encode(metadataOf(changes)))
}

func (r registrant) path() string { return strings.TrimPrefix(r.Address, r.origin) }

func (r registrant) sends(method, body string) registrant {
	r.Helper()
	return r.registering(method, r.path(), r.Token, body)
}

// request is a valid request of the app for a code.
func (r registrant) request(changes ...string) url.Values {
	return with(codeRequest("client_id", r.ID, "redirect_uri", appBack), changes...)
}

// agrees returns the code that a user gives who was asked.
func (r registrant) agrees(v *visitor) string {
	v.Helper()
	q := r.request()
	return v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {"openid email"}, "answer": {"allow"}}).sentBack(appBack).Get("code")
}

func (r registrant) tokens(v *visitor) rpAnswer {
	v.Helper()
	got := v.rp("token", codeForm(r.agrees(v), "client_id", r.ID, "client_secret", r.Secret, "redirect_uri", appBack))
	got.must(200)
	return got
}

func TestSEC316_Registration(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	if r := s.registers("", nil); r.status != 401 || r.body != "" {
		t.Errorf("no token: %d %s", r.status, r.body)
	}
	for what, token := range map[string]string{"a guess": strings.Repeat("A", 43), "a client's secret": rpSecret} {
		if r := s.registers(token, nil); r.status != 401 || r.Error != "invalid_token" || r.ID != "" {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	five := s.initialToken(5)
	if won := race(20, func() bool { return s.registers(five, nil).status == 201 }); won != 5 {
		t.Errorf("a token for five clients registered %d", won)
	}
	late := s.initialToken(1)
	s.clock.Advance(time.Hour)
	if r := s.registers(late, nil); r.status != 401 {
		t.Errorf("a token after its end: %d", r.status)
	}
	text, withdrawn, err := s.app.Operator.AllowRegistrations(t.Context(), flow.ByOperator, 1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if there, err := s.app.Operator.EndInitialToken(t.Context(), flow.ByOperator, withdrawn.ID); err != nil || there != want {
			t.Errorf("the operator deletes a token: %v, %v", there, err)
		}
	}
	if r := s.registers(text, nil); r.status != 401 {
		t.Errorf("a token that the operator has deleted: %d", r.status)
	}
	once := s.initialToken(1)
	for what, changes := range map[string]object{
		"a script":                {"redirect_uris": []string{"javascript:alert(1)"}},
		"data":                    {"redirect_uris": []string{"data:text/html,x"}},
		"http":                    {"redirect_uris": []string{"http://app.test/cb"}},
		"any host":                {"redirect_uris": []string{"https://*.app.test/cb"}},
		"a user":                  {"redirect_uris": []string{"https://app.test@evil.test/cb"}},
		"a lone bracket":          {"redirect_uris": []string{"https://app.test]/cb"}},
		"a port with a zero":      {"redirect_uris": []string{"https://app.test:0443/cb"}},
		"no such port":            {"redirect_uris": []string{"https://app.test:65536/cb"}},
		"an empty label":          {"redirect_uris": []string{"https://app..test/cb"}},
		"a zone":                  {"redirect_uris": []string{"http://[::1%25lo]/cb"}},
		"a fragment":              {"redirect_uris": []string{appBack + "#x"}},
		"two hosts":               {"redirect_uris": []string{appBack, "https://evil.test/cb"}},
		"another host at the end": {"post_logout_redirect_uris": []string{"https://evil.test/"}},
		"a script at the end":     {"post_logout_redirect_uris": []string{"javascript:alert(1)"}},
		"none":                    {"redirect_uris": []string{}},
		"too many":                {"redirect_uris": strings.Split(strings.Repeat(appBack+" ", 21)[:21*len(appBack)+20], " ")},
		"no list":                 {"redirect_uris": appBack},
		"implicit":                {"grant_types": []string{"implicit"}, "response_types": []string{"token"}},
		"no code":                 {"grant_types": []string{"client_credentials"}},
		"another proof":           {"token_endpoint_auth_method": "tls_client_auth"},
		"no keys":                 {"token_endpoint_auth_method": "private_key_jwt"},
		"keys that are none":      {"token_endpoint_auth_method": "private_key_jwt", "jwks": object{"keys": []int{1}}},
		"keys inside":             {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "http://169.254.169.254/latest"},
		"other subjects":          {"subject_type": "pairwise"},
		"a sector":                {"sector_identifier_uri": "https://evil.test/sector"},
		"a statement":             {"software_statement": "eyJ"},
		"messages to another":     {"backchannel_logout_uri": "https://evil.test/logout"},
		"messages by http":        {"backchannel_logout_uri": "http://app.test/logout"},
		"messages inside":         {"backchannel_logout_uri": "https://127.0.0.1/logout", "redirect_uris": []string{"http://127.0.0.1/cb"}, "post_logout_redirect_uris": nil},
		"messages to a user":      {"backchannel_logout_uri": "https://x@app.test/logout"},
	} {
		s.clock.Advance(10 * time.Second) // no limit refuses the attempts
		if r := s.registers(once, changes); r.status != 400 || r.Error != "invalid_client_metadata" && r.Error != "invalid_redirect_uri" {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	for what, body := range map[string]string{"no object": "[]", "null": "null", "half": `{"redirect_uris":`, "twice": `{"redirect_uris":["https://evil.test/"],"redirect_uris":["` + appBack + `"]}`, "too much": `{"x":"` + strings.Repeat("x", 20<<10) + `"}`} {
		if r := s.visitor().do("POST", registerPath, body, http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + once}}); r.status != 400 && r.status != 413 {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	keys := strings.Replace(string(keySet(t, keyOf().Public())), `{"`, "{\"x\":\"\xff\",\"", 1)
	h := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + once}}
	if a := s.visitor().do("POST", registerPath, `{"redirect_uris":["`+appBack+`"],"token_endpoint_auth_method":"private_key_jwt","jwks":`+keys+`}`, h); a.status != 400 {
		t.Errorf("keys in no UTF-8: %d %s", a.status, a.body)
	}
	r := s.registers(once, nil)
	if r.status != 201 || r.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the refusals have used up the token: %d %s", r.status, r.body)
	}
	for where, data := range s.files() {
		for what, text := range map[string]string{"an initial token": once, "a secret": r.Secret, "a token of a client": r.Token} {
			if strings.Contains(data, text) {
				t.Errorf("%s holds %s", where, what)
			}
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'registration_made'`); n != 6 {
		t.Errorf("%d of 6 registrations are recorded", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'registration_withdrawn' AND detail = '` + withdrawn.ID + `'`); n != 1 {
		t.Errorf("%d records of the token that the operator has deleted", n)
	}
}

// The host that users see is one that they can judge, and the address leads there.
func TestSEC316_Hosts(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	token := s.initialToken(20)
	const (
		scheme = "an address has a private scheme, which no host proves: use https, or http at a loopback host"
		number = "an address has a number in place of a host name"
	)
	for uri, why := range map[string]string{
		"accounts.google.com:/cb":                               scheme,
		"com.example.app:/cb":                                   scheme,
		"Accounts.Google.Com:/cb":                               scheme,
		"https://192.0.2.1/cb":                                  number,
		"https://192.0.2.1:8443/cb":                             number,
		"https://[2001:db8::1]/cb":                              number,
		"https://[2001:db8::1]:8443/cb":                         number,
		"https://3221225985/cb":                                 number,
		"https://0xc0000201/":                                   number,
		"https://0XC0000201:8443/":                              number,
		"https://192.0.0x2.0x1/":                                number,
		"https://app.0301/":                                     number,
		"https://" + strings.Repeat("a", 249) + ".test":         "a host name is longer than 253 bytes",
		"https://app.test:" + strings.Repeat("0", 250) + "443/": "a host name is longer than 253 bytes",
		appBack + strings.Repeat("x", 2<<10):                    "an address is longer than 2048 bytes",
	} {
		for _, changes := range []object{
			{"redirect_uris": []string{uri}, "post_logout_redirect_uris": nil, "token_endpoint_auth_method": "none"},
			{"redirect_uris": []string{uri}, "post_logout_redirect_uris": nil},
			{"post_logout_redirect_uris": []string{uri}},
		} {
			s.clock.Advance(10 * time.Second)
			if r := s.registers(token, changes); r.status != 400 || r.Error != "invalid_redirect_uri" || r.Why != why {
				t.Errorf("%s: %d %s", uri, r.status, r.body)
			}
		}
	}
	for uri, host := range map[string]string{
		"https://App.Test:443/cb": "app.test", "https://app.test:8443/cb": "app.test:8443", "https://0x.app.test/cb": "0x.app.test", "http://127.0.0.1:7000/cb": "127.0.0.1",
		"http://[::1]/cb": "::1", "http://LOCALHOST/cb": "localhost", "https://" + strings.Repeat("a", 248) + ".test/": strings.Repeat("a", 248) + ".test",
	} {
		s.clock.Advance(10 * time.Second)
		r := s.registers(token, object{"redirect_uris": []string{uri}, "post_logout_redirect_uris": nil, "token_endpoint_auth_method": "none"})
		if r.status != 201 || !strings.HasSuffix(r.ID, "-"+host) || r.sends("GET", "").status != 200 {
			t.Errorf("%s: %d %s", uri, r.status, r.body)
		}
	}
}

// A client gets no privilege by naming it, and Portico calls none of the addresses that
// a client names.
func TestSEC316_Privileges(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	var asked atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(inside.Close)
	r := s.registers(s.initialToken(1), object{
		"scope": "openid email groups admin", "consent": false, "rules": []string{}, "id": "rp", "client_id": "rp", "client_secret": rpSecret, "trusted": true, "resources": []string{"https://api.test"},
		"logo_uri": inside.URL, "client_uri": inside.URL, "policy_uri": inside.URL, "tos_uri": inside.URL, "request_uris": []string{inside.URL}, "initiate_login_uri": inside.URL,
		"jwks_uri": inside.URL, "grant_types": []string{"authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"},
	})
	if r.status != 201 || r.Scope != "openid email" || r.ID == "rp" || r.Secret == rpSecret || strings.Contains(r.body, inside.URL) || strings.Contains(r.body, "client_credentials") {
		t.Fatalf("the client gets %d %s", r.status, r.body)
	}
	v := s.visitor().register(fresh("v"))
	a := v.authorize(r.request())
	if a.status != 200 || a.sentBack(appBack) != nil || strings.Contains(a.body, "My Bank") || strings.Contains(a.body, inside.URL) || !strings.Contains(a.body, "app.test") {
		t.Errorf("the page: %d %s %s", a.status, a.header.Get("Location"), a.body)
	}
	if got := v.authorize(r.request("scope", "openid groups", "prompt", "none")).sentBack(appBack); got.Get("error") != "consent_required" {
		t.Errorf("without a question: %v", got)
	}
	got := r.tokens(v)
	if again := v.authorize(r.request("prompt", "none")).sentBack(appBack); again.Get("error") != "consent_required" {
		t.Errorf("the user is not asked again: %v", again)
	}
	next := s.rp("token", refreshForm(got.Refresh, "client_id", r.ID, "client_secret", r.Secret))
	if !s.works(got.Access) || next.status != 200 {
		t.Errorf("what the user has agreed to: %d %s", next.status, next.body)
	}
	for _, uri := range []string{appBack + "/", appBack + "?x=1", "https://app.test/other", "https://evil.test/cb", "https://app.test.evil.test/cb", "http://app.test/cb"} {
		if a := v.authorize(r.request("redirect_uri", uri)); a.status != 422 || a.header.Get("Location") != "" {
			t.Errorf("%s: %d %s", uri, a.status, a.header.Get("Location"))
		}
	}
	for _, grant := range []string{"client_credentials", "urn:ietf:params:oauth:grant-type:device_code"} {
		if a := s.rp("token", url.Values{"grant_type": {grant}, "client_id": {r.ID}, "client_secret": {r.Secret}, "device_code": {"x"}}); a.status < 400 {
			t.Errorf("%s: %d %s", grant, a.status, a.body)
		}
	}
	s.refused("a wrong secret", s.rp("token", refreshForm(next.Refresh, "client_id", r.ID, "client_secret", rpSecret)), "invalid_client")
	s.refused("without a proof", s.rp("token", codeForm(r.agrees(v), "client_id", r.ID, "client_secret", "", "redirect_uri", appBack)), "invalid_client")
	q := url.Values{"client_id": {r.ID}, "post_logout_redirect_uri": {"https://app.test/bye"}}
	if a := v.askLogout(q); a.status != 200 {
		t.Errorf("a sign-out: %d %s", a.status, a.body)
	}
	if a := v.askLogout(with(q, "post_logout_redirect_uri", "https://app.test/other")); a.status < 400 {
		t.Errorf("a sign-out to an address that is not registered: %d", a.status)
	}
	if asked.Load() > 0 {
		t.Errorf("Portico has called an address of the client %d times", asked.Load())
	}
}

func TestSEC316_Floods(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	flood, through := s.visitor(), 0
	for range 50 {
		h := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + strings.Repeat("A", 43)}}
		if flood.do("POST", registerPath, encode(metadataOf(nil)), h).status == 401 {
			through++
		}
	}
	if through != 30 {
		t.Errorf("%d of 50 attempts of one network were judged", through)
	}
	if r := s.registers(s.initialToken(1), nil); r.status != 201 {
		t.Errorf("another network: %d %s", r.status, r.body)
	}
	db := s.openDatabase("")
	for n := range 999 {
		if _, err := db.Exec(`INSERT INTO openid_registered_client (id, metadata, secret_hash, access_hash, created_at, ends_at) SELECT $1, metadata, secret_hash, access_hash, created_at, ends_at FROM openid_registered_client WHERE id LIKE 'registered-%' LIMIT 1`, "filler"+string(rune('a'+n%26))+fresh("")); err != nil {
			t.Fatal(err)
		}
	}
	token := s.initialToken(1)
	if r := s.registers(token, nil); r.status != 400 || r.Error != "access_denied" {
		t.Errorf("one client too many: %d %s", r.status, r.body)
	}
	s.clock.Advance(59 * time.Minute)
	if _, err := db.Exec(`DELETE FROM openid_registered_client WHERE id LIKE 'filler%'`); err != nil {
		t.Fatal(err)
	}
	if r := s.registers(token, nil); r.status != 201 {
		t.Errorf("after the others have gone: %d %s", r.status, r.body)
	}
}

// registeredAs returns an id in the form that registrations make.
func registeredAs(host string) string { return "registered-00000000000000000000000000-" + host }

func TestSEC317_RegisteredClients(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	initial := s.initialToken(10)
	r, other := s.registers(initial, nil), s.registers(initial, object{"token_endpoint_auth_method": "none", "redirect_uris": []string{"http://127.0.0.1/cb"}, "post_logout_redirect_uris": nil})
	if r.status != 201 || other.status != 201 {
		t.Fatal(r.body, other.body)
	}
	change := func(r registrant, changes object) string {
		m := metadataOf(changes)
		if m["client_id"] == nil {
			m["client_id"] = r.ID
		}
		return encode(m)
	}
	for what, token := range map[string]string{"another client": other.Token, "the initial token": initial, "its secret": r.Secret, "none": "", "a guess": strings.Repeat("A", 43)} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.clock.Advance(10 * time.Second)
			body := ""
			if method == "PUT" {
				body = change(r, nil)
			}
			if a := s.registering(method, r.path(), token, body); a.status != 401 || a.ID != "" {
				t.Errorf("%s by %s: %d %s", method, what, a.status, a.body)
			}
		}
	}
	for _, id := range []string{"rp", "registered-", "registered-x-app.test", strings.Repeat("x", 300), registeredAs("app.test")} {
		for _, method := range []string{"GET", "DELETE"} {
			s.clock.Advance(10 * time.Second)
			if a := s.registering(method, registerPath+"/"+id, r.Token, ""); a.status != 401 {
				t.Errorf("%s of the client %s: %d %s", method, id, a.status, a.body)
			}
		}
	}
	for _, id := range []string{"%FF", "%00", registeredAs("%FF")} { // which no path may have
		if a := s.registering("GET", registerPath+"/"+id, r.Token, ""); a.status != 400 {
			t.Errorf("GET of the client %s: %d %s", id, a.status, a.body)
		}
	}
	for _, host := range []string{"\x00", "\xff", "App.test", "app.test/", ""} {
		if a := s.visitor().authorize(r.request("client_id", registeredAs(host))); a.status != 422 || a.header.Get("Location") != "" {
			t.Errorf("the host %q: %d %s", host, a.status, a.body)
		}
	}
	if a := r.sends("GET", ""); a.status != 200 || a.ID != r.ID || a.Secret != "" || a.Token != r.Token {
		t.Errorf("the client itself: %d %s", a.status, a.body)
	}
	for what, changes := range map[string]object{
		"another id": {"client_id": other.ID}, "another host": {"redirect_uris": []string{"https://evil.test/cb"}, "post_logout_redirect_uris": nil},
		"its host as a scheme": {"redirect_uris": []string{"app.test:/cb"}, "post_logout_redirect_uris": nil, "token_endpoint_auth_method": "none"},
		"a token":              {"registration_access_token": r.Token}, "a script": {"redirect_uris": []string{"javascript:alert(1)"}},
	} {
		if a := r.sends("PUT", change(r, changes)); a.status != 400 {
			t.Errorf("a change with %s: %d %s", what, a.status, a.body)
		}
	}
	v := s.visitor().register(fresh("v"))
	got := r.tokens(v)
	changed := r.sends("PUT", change(r, object{"scope": "openid", "consent": false}))
	if changed.status != 200 || changed.Token != r.Token || changed.Scope != "openid" || changed.Secret != "" {
		t.Fatalf("a change: %d %s", changed.status, changed.body)
	}
	if a := r.sends("PUT", change(r, object{"scope": "openid"})); a.status != 200 || a.Secret != "" {
		t.Errorf("a client that has lost the answer: %d %s", a.status, a.body)
	}
	lost := ""
	for _, method := range []string{"client_secret_post", "none", "client_secret_post"} {
		a := other.sends("PUT", change(other, object{"token_endpoint_auth_method": method, "redirect_uris": []string{"http://127.0.0.1/cb"}, "post_logout_redirect_uris": nil}))
		if a.status != 200 || (a.Secret == "") != (method == "none") || a.Secret == lost {
			t.Errorf("a client that changes to %s: %d %s", method, a.status, a.body)
		}
		if a.Secret != "" {
			lost = a.Secret
		}
	}
	s.refused("a scope that the client has given up", s.rp("token", refreshForm(got.Refresh, "client_id", r.ID, "client_secret", r.Secret)), "invalid_grant")
	if a := v.authorize(r.request("prompt", "none", "scope", "openid")).sentBack(appBack); a.Get("error") != "consent_required" {
		t.Errorf("without a question after a change: %v", a)
	}
	if a := changed.sends("DELETE", ""); a.status != 204 {
		t.Fatalf("the client deletes itself: %d %s", a.status, a.body)
	}
	gone := func(what string, r registrant, access string) {
		t.Helper()
		if s.works(access) {
			t.Errorf("%s: the access token works", what)
		}
		if a := v.authorize(r.request()); a.status != 422 || a.header.Get("Location") != "" {
			t.Errorf("%s: %d %s", what, a.status, a.header.Get("Location"))
		}
		s.refused(what, s.rp("token", codeForm("x", "client_id", r.ID, "client_secret", r.Secret)), "invalid_client")
		if a := r.sends("GET", ""); a.status != 401 {
			t.Errorf("%s: its registration is there: %d", what, a.status)
		}
	}
	gone("a deleted client", changed, got.Access)

	r = s.registers(initial, nil)
	got = r.tokens(v)
	if there, err := s.app.Operator.DeleteRegistered(t.Context(), flow.ByOperator, r.ID); err != nil || !there {
		t.Fatal(there, err)
	}
	gone("a client that the operator has deleted", r, got.Access)
	s.clock.Advance(55 * time.Minute)
	unused, used := s.registers(s.initialToken(1), nil), s.registers(s.initialToken(1), nil)
	v = s.visitor().register(fresh("v"))
	used.tokens(v)
	s.clock.Advance(8 * 24 * time.Hour)
	if unused.sends("GET", "").status != 401 || used.sends("GET", "").status != 200 {
		t.Error("not the client that was never used, and that alone, has ended after a week")
	}
	s.clock.Advance(90 * 24 * time.Hour)
	if used.sends("GET", "").status != 401 {
		t.Error("a client that was not used for 90 days is there")
	}
	r = s.registers(s.initialToken(1), nil)
	v = s.visitor().register(fresh("v"))
	got = r.tokens(v)
	s.stop()
	s.config.OpenID.Registration = false
	s.run()
	if s.works(got.Access) || v.authorize(r.request()).status != 422 || r.sends("GET", "").status != 404 {
		t.Error("a registered client works after the setting was turned off")
	}
}

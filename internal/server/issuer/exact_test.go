package issuer_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

// A refresh may ask for fewer scopes: for the tokens of this answer, not for later ones
// (RFC 6749 6).
func TestRefresh_FewerScopes(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	first := s.tokens(b, "scope", "openid profile email offline_access")
	for asked, want := range map[string]string{"email": "openid email", "openid email": "openid email", "email email openid": "openid email"} {
		got := s.token(refreshing(first.Refresh, "scope", asked))
		if got.StatusCode != 200 || got.Scope != want {
			t.Fatalf("%s: %d %s", asked, got.StatusCode, got.text)
		}
		for what, info := range map[string]reply{"from memory": s.userInfo(got.Access), "introspection": s.post("/auth/openid/introspect", change(refreshing(""), "token", got.Access))} {
			if info.StatusCode != 200 || strings.Contains(info.text, "profile") || what == "from memory" && strings.Contains(info.text, "preferred_username") || what == "introspection" && info.Scope != want {
				t.Errorf("%s, %s: %s", asked, what, info.text)
			}
		}
		if info := s.userInfo(first.Access); !strings.Contains(info.text, "preferred_username") {
			t.Errorf("the earlier token: %s", info.text)
		}
	}
	next := s.token(refreshing(s.token(refreshing(first.Refresh)).Refresh))
	if next.Scope != first.Scope || !strings.Contains(s.userInfo(next.Access).text, "preferred_username") {
		t.Errorf("the next refresh: %s", next.text)
	}

	k := s.holder()
	bound := k.token(redemption(s.code(b)))
	few := k.token(refreshing(bound.Refresh, "scope", "openid"))
	const path = "/auth/openid/userinfo"
	info := s.send("GET", path, "", "Authorization", "DPoP "+few.Access, "DPoP", k.proof("GET", path, few.Access))
	if few.Type != "DPoP" || info.StatusCode != 200 || info.text != `{"sub":"`+info.Sub+`"}` {
		t.Errorf("with a key: %s %s", few.text, info.text)
	}
	api := s.token(redemption(s.code(b, "client_id", "api"), "client_id", "api"))
	few = s.token(refreshing(api.Refresh, "client_id", "api", "scope", "openid"))
	if info := s.userInfo(few.Access); !strings.Contains(payload(t, few.Access), `"scope":"openid"`) || info.text != `{"sub":"`+info.Sub+`"}` {
		t.Errorf("in JWT form: %s %s", few.text, info.text)
	}
}

// Each missing parameter or proof of a client has the error that the standards name.
func TestErrors_OfWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, grant := range map[string]string{"code": "authorization_code", "refresh_token": "refresh_token"} {
		got := s.token(refreshing("", "grant_type", grant))
		s.wants("no "+name, got, 400, "invalid_request")
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Pragma") != "no-cache" {
			t.Errorf("no %s: %v", name, got.Header)
		}
	}
	s.wants("no redirect_uri", s.token(redemption("x", "redirect_uri", "")), 400, "invalid_request")
	s.wants("another redirect_uri", s.token(redemption(s.code(s.signedIn("mara@example.org")), "redirect_uri", rpBack+"/x")), 400, "invalid_grant")
	for _, grant := range []string{"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"} {
		s.wants("a client that may not use "+grant, s.token(redemption("x", "client_id", "robot", "grant_type", grant, "refresh_token", "x", "device_code", "x")), 400, "unauthorized_client")
	}
	for _, path := range []string{"introspect", "revoke"} {
		s.wants(path+" without a token", s.post("/auth/openid/"+path, refreshing("")), 400, "invalid_request")
	}
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for what, header := range map[string]string{"no Basic": "Bearer x", "no Base64": "Basic !", "no secret": encode("rp"), "no percent-encoding": encode("rp:50% off")} {
		got := s.post("/auth/openid/token", change(refreshing("x"), "client_secret", ""), "Authorization", header)
		if s.wants(what, got, 401, "invalid_client"); !strings.HasPrefix(got.Header.Get("Www-Authenticate"), "Basic realm=") {
			t.Errorf("%s: %v", what, got.Header)
		}
	}
}

// The client of another token learns that it was not revoked (RFC 7009 2.1). A text that is no token
// is no error (2.2).
func TestRevoke_AnotherClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	rp, api := s.tokens(b), s.token(redemption(s.code(b, "client_id", "api"), "client_id", "api"))
	self := s.token(refreshing("", "client_id", "api", "grant_type", "client_credentials"))
	revoke := func(token string, changes ...string) reply {
		return s.post("/auth/openid/revoke", refreshing("", append([]string{"token", token}, changes...)...))
	}
	// The refresh token of rp comes after its access token, because its end is the end of both.
	for _, given := range []struct{ what, owner, token string }{
		{"an access token", "rp", rp.Access},
		{"a refresh token", "rp", rp.Refresh},
		{"an access token in JWT form", "api", api.Access},
		{"an access token of a client itself", "api", self.Access},
	} {
		what, owner, token := given.what, given.owner, given.token
		works := func() bool {
			return s.post("/auth/openid/introspect", refreshing("", "token", token, "client_id", owner)).Active
		}
		s.wants(what, revoke(token, "client_id", "other", "client_secret", "other "+rpSecret), 400, "invalid_grant")
		s.wants(what+", a public client", revoke(token, "client_id", "spa", "client_secret", ""), 400, "invalid_grant")
		if !works() {
			t.Errorf("%s: another client has revoked it", what)
		}
		if got := revoke(token, "client_id", owner); got.StatusCode != 200 || got.text != "" || works() {
			t.Errorf("%s: its client gets %d %s", what, got.StatusCode, got.text)
		}
	}
	if got := revoke(s.code(b), "token_type_hint", "anything"); got.StatusCode != 200 {
		t.Errorf("a code: %d %s", got.StatusCode, got.text)
	}
}

// A client that sends no token is told which kind is needed, and of no error (RFC 6750 3.1).
func TestRegister_WithoutToken(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.OpenID.Registration = true })
	asJSON := []string{"Content-Type", "application/json"}
	const path = "/auth/openid/register"
	for _, target := range []string{"POST " + path, "GET " + path + "/x", "PUT " + path + "/x", "DELETE " + path + "/x"} {
		method, path, _ := strings.Cut(target, " ")
		for what, header := range map[string][]string{"no token": nil, "Basic": {"Authorization", "Basic eDp5"}, "DPoP": {"Authorization", "DPoP x"}, "an empty token": {"Authorization", "Bearer "}} {
			got := s.send(method, path, "{}", append(header, asJSON...)...)
			if got.StatusCode != 401 || got.Header.Get("Www-Authenticate") != `Bearer realm="portico"` || got.text != "" {
				t.Errorf("%s, %s: %d %v %s", target, what, got.StatusCode, got.Header, got.text)
			}
		}
		got := s.send(method, path, "{}", append(asJSON, "Authorization", "Bearer x")...)
		if s.wants(target+", a wrong token", got, 401, "invalid_token"); !strings.HasPrefix(got.Header.Get("Www-Authenticate"), `Bearer error="invalid_token"`) {
			t.Errorf("%s, a wrong token: %v", target, got.Header)
		}
		s.wants(target+", two tokens", s.send(method, path, "{}", append(asJSON, "Authorization", "Bearer x", "Authorization", "Bearer y")...), 400, "invalid_request")
	}
}

// A client that changes its registration may name its secret, and no other one (RFC 7592 2.2).
func TestRegister_ChangeWithSecret(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.OpenID.Registration = true })
	initial, _, err := s.Operator.AllowRegistrations(t.Context(), flow.ByOperator, 1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, token string, metadata map[string]any) reply {
		metadata["redirect_uris"] = []string{"https://app.test/cb"}
		text, err := json.Marshal(metadata)
		if err != nil {
			t.Fatal(err)
		}
		return s.send(method, path, string(text), "Content-Type", "application/json", "Authorization", "Bearer "+token)
	}
	var made struct {
		Secret  string `json:"client_secret"`
		Token   string `json:"registration_access_token"`
		Address string `json:"registration_client_uri"`
	}
	got := send("POST", "/auth/openid/register", initial, map[string]any{"client_secret": "its own choice"})
	if err := json.Unmarshal([]byte(got.text), &made); err != nil || made.Secret == "" || made.Secret == "its own choice" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	for secret, want := range map[string]string{made.Secret: "", "": "", "its own choice": "invalid_client_metadata"} {
		changed := send("PUT", strings.TrimPrefix(made.Address, s.Origin), made.Token, map[string]any{"client_id": got.Client, "client_secret": secret})
		if changed.Error != want || want == "" && changed.StatusCode != 200 {
			t.Errorf("with the secret %q: %d %s", secret, changed.StatusCode, changed.text)
		}
	}
}

// A wrong request is answered alike in a query and in a form (OpenID Connect Core 3.1.2.1).
func TestAuthorize_WrongForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	for what, change := range map[string][]string{"state": {"x", "y"}, "nonce": {"\xff"}, "prompt": {"none", "none"}} {
		form := ask()
		form[what] = change
		sent := b.Send("/auth/openid/authorize", form)
		if sent.StatusCode != 303 {
			t.Fatalf("%s: %d %s", what, sent.StatusCode, sent.Body)
		}
		if got := back(t, b.Open(sent.Next())); got.Get("error") != "invalid_request" {
			t.Errorf("%s: the client gets %v", what, got)
		}
	}
	sent := b.Send("/auth/openid/logout", url.Values{"client_id": {"rp", "rp"}})
	if page := b.Open(sent.Next()); page.StatusCode != 422 {
		t.Errorf("a sign-out with two clients: %d", page.StatusCode)
	}
}

// A form becomes a URL. When that is too long, the client hears of it and not the user.
func TestAuthorize_LongForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	const limit = 7 << 10
	form := ask()
	form.Set("unknown", strings.Repeat("x", limit-len(authorize(form))-len("&unknown=")))
	sent := b.Send("/auth/openid/authorize", form)
	if len(sent.Next()) != limit || back(t, b.Open(sent.Next())).Get("code") == "" {
		t.Errorf("at the limit: %d %d", sent.StatusCode, len(sent.Next()))
	}
	form.Set("unknown", form.Get("unknown")+"x")
	if got := back(t, b.Send("/auth/openid/authorize", form)); got.Get("error") != "invalid_request" || got.Get("state") != "s t&<a>" || !strings.Contains(got.Get("error_description"), "pushed_authorization_request_endpoint") {
		t.Errorf("above the limit, the client gets %v", got)
	}
	form.Set("redirect_uri", "https://evil.test/")
	if p := b.Send("/auth/openid/authorize", form); p.StatusCode != 422 || p.Next() != "" {
		t.Errorf("an unregistered address: %d %s", p.StatusCode, p.Next())
	}
}

// The server refuses these bodies before it reads them, and clients understand only the errors of
// OAuth (RFC 6749 5.2, RFC 9126 2.3).
func TestErrors_OfABodyThatIsNotRead(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.OpenID.Registration = true })
	for _, path := range []string{"token", "par", "revoke", "introspect", "device", "userinfo", "register"} {
		send := func(body io.Reader) reply {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), "POST", s.Origin+"/auth/openid/"+path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return answered(t, r)
		}
		for what, tt := range map[string]struct {
			body   io.Reader
			status int
		}{
			"a long body": {strings.NewReader("x=" + strings.Repeat("x", 16<<10-1)), 413},
			"chunks":      {io.MultiReader(strings.NewReader("x=x")), 411},
		} {
			got := send(tt.body)
			s.wants(path+", "+what, got, tt.status, "invalid_request")
			if !got.Close || got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s, %s: closes %v, %v", path, what, got.Close, got.Header)
			}
		}
		if got := send(strings.NewReader("x=" + strings.Repeat("x", 16<<10-2))); got.StatusCode == 413 {
			t.Errorf("%s: 16 KiB are refused", path)
		}
	}
}

// A body that ends early is the fault of the client.
func TestErrors_OfABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.OpenID.Registration = true })
	host := strings.TrimPrefix(s.Origin, "http://")
	const form = "application/x-www-form-urlencoded"
	for path, head := range map[string]string{
		"token": form, "userinfo": form, "register": "application/json\r\nAuthorization: Bearer x",
		"authorize": form, "logout": form,
	} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /auth/openid/%s HTTP/1.1\r\nHost: %s\r\nContent-Length: 9\r\nContent-Type: %s\r\n\r\nx=", path, host, head)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Body.Close(); got.StatusCode != 400 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
}

package security

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/testform"
)

func (v *visitor) askLogout(q url.Values) *answer {
	v.Helper()
	return v.get("/auth/openid/logout?" + q.Encode())
}

func TestSEC142_Logout(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	id := v.rpTokens().ID
	foreign := s.visitor().register(fresh("w")).rpTokens().ID
	stays := func(what string, q url.Values) {
		t.Helper()
		for who, a := range map[string]*answer{"a user": v.askLogout(q), "a visitor": s.visitor().askLogout(q), "the form": v.form("/auth/openid/logout/confirm", url.Values{"account": {v.id()}, "request": {q.Encode()}})} {
			if to := a.header.Get("Location"); a.status < 400 || to != "" || strings.Contains(a.body, "evil") {
				t.Errorf("%s, %s: %d %q", what, who, a.status, to)
			}
		}
		if v.whoami() == "" {
			t.Fatalf("%s: the user is signed out", what)
		}
	}
	for _, uri := range []string{
		rpBye + "/", rpBye + "?x=1", rpBye + "#f", "https://rp.test/BYE", "https://rp.test/bye/../evil", "https://rp.test@evil.test/bye", "http://rp.test/bye",
		"https://rp.test:443/bye", "//rp.test/bye", "/bye", " " + rpBye, "javascript:alert(1)", "data:text/html,evil", "https://evil.test/", rpBack, rpBye + "\n",
	} {
		stays(uri, url.Values{"client_id": {"rp"}, "post_logout_redirect_uri": {uri}})
		stays(uri+" with a hint", url.Values{"id_token_hint": {id}, "post_logout_redirect_uri": {uri}})
	}
	stays("another client", url.Values{"client_id": {"rp2"}, "post_logout_redirect_uri": {rpBye}})
	stays("a forged hint", url.Values{"id_token_hint": {id[:len(id)-6] + "AAAAAA"}, "post_logout_redirect_uri": {rpBye}})
	stays("a hint without a signature", url.Values{"id_token_hint": {"eyJhbGciOiJub25lIn0." + strings.Split(id, ".")[1] + "."}, "post_logout_redirect_uri": {rpBye}})
	stays("two addresses", url.Values{"client_id": {"rp"}, "post_logout_redirect_uri": {rpBye, "https://evil.test/"}})
	for what, q := range map[string]url.Values{"no hint": {"client_id": {"rp"}}, "a hint": {"id_token_hint": {id}}, "a hint of another user": {"id_token_hint": {foreign}}} {
		q.Set("post_logout_redirect_uri", rpBye)
		if a := v.askLogout(q); a.status != 200 || v.whoami() == "" {
			t.Errorf("%s: %d, and the user must be asked", what, a.status)
		}
		a := v.do("POST", "/auth/openid/logout/confirm", `{"account":"`+v.id()+`","request":"`+q.Encode()+`"}`, http.Header{"Origin": {"https://evil.test"}, "Content-Type": {"application/json"}})
		if a.status != http.StatusForbidden || v.whoami() == "" {
			t.Errorf("%s: a page of another origin presses the button: %d", what, a.status)
		}
	}
	q := url.Values{"client_id": {"rp"}, "post_logout_redirect_uri": {rpBye}, "state": {`"><script>`}}
	a := v.form("/auth/openid/logout/confirm", url.Values{"account": {v.id()}, "request": {q.Encode()}})
	if got := a.sentBack(rpBye); got.Get("state") != `"><script>` || v.whoami() != "" {
		t.Errorf("the answer to the question: %d %q", a.status, a.header.Get("Location"))
	}
}

func TestSEC276_OneSignOut(t *testing.T) {
	announce(t)
	t.Parallel()
	told := make(chan string, 10)
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told <- r.FormValue("logout_token") }))
	t.Cleanup(client.Close)
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "signed-in /*"), func(c *config.Config) { c.Clients[0].LogoutURI = client.URL })
	for what, leave := range map[string]func(v *visitor, address string){
		"the app behind the gateway": func(v *visitor, _ string) { v.post("signout", object{}) },
		"the OpenID client": func(v *visitor, _ string) {
			v.form("/auth/openid/logout/confirm", url.Values{"account": {v.id()}, "request": {"client_id=rp"}})
		},
		"an operator": func(_ *visitor, address string) { s.disable(address) },
	} {
		address := fresh("v")
		v := s.visitor().register(address)
		got := v.rpTokens()
		if a := v.get("/page"); a.status != 200 || !s.works(got.Access) {
			t.Fatalf("%s: one sign-in does not open both: %d", what, a.status)
		}
		leave(v, address)
		if a := v.get("/page"); a.status == 200 {
			t.Errorf("%s: the app behind the gateway is open", what)
		}
		if s.works(got.Access) {
			t.Errorf("%s: the access token works", what)
		}
		s.refused(what, s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
		select {
		case token := <-told:
			if strings.Count(token, ".") != 2 {
				t.Errorf("%s: the client is told %q", what, token)
			}
		case <-time.After(testform.Patience):
			t.Errorf("%s: the client is not told", what)
		}
	}
}

func TestSEC277_BackChannelStaysOnItsWay(t *testing.T) {
	announce(t)
	t.Parallel()
	inside := make(chan string, 10)
	secret := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside <- r.URL.Path }))
	t.Cleanup(secret.Close)
	asked := make(chan string, 10)
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method
		http.Redirect(w, r, secret.URL+"/inside", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(client.Close)
	s := start(t, func(c *config.Config) {
		c.Clients[0].LogoutURI = client.URL
		c.Clients[1].LogoutURI = "http://169.254.169.254/latest" // where clouds keep their metadata
	})
	v := s.visitor().register(fresh("v"))
	v.rpTokens()
	second := v.rp("token", codeForm(v.openIDCode("client_id", "rp2"), "client_id", "rp2", "client_secret", rp2Secret))
	if second.status != 200 {
		t.Fatal(second.body)
	}
	v.post("signout", object{})
	if method := <-asked; method != http.MethodPost {
		t.Errorf("the client is asked by %s", method)
	}
	for _, reason := range []string{"not a public address", "answers 307"} { // both fail
		for deadline := time.Now().Add(testform.Patience); !strings.Contains(s.log.String(), reason); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no message fails because of %q", reason)
			}
		}
	}
	if len(inside) > 0 {
		t.Errorf("Portico follows the client to %s", <-inside)
	}
}

func TestSEC278_ConsentForged(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].Consent = true })
	v := s.visitor().register(fresh("v"))
	form := url.Values{"account": {v.id()}, "request": {codeRequest().Encode()}, "scopes": {"openid email"}, "answer": {"allow"}}
	asks := func(what string) {
		t.Helper()
		if a := v.authorize(codeRequest()); a.status != 200 || a.sentBack(rpBack) != nil {
			t.Fatalf("%s: the user is not asked: %d %s", what, a.status, a.header.Get("Location"))
		}
	}
	asks("at first")
	for _, origin := range []string{"https://evil.test", "null", "https://rp.test"} {
		header := http.Header{"Origin": {origin}, "Content-Type": {"application/x-www-form-urlencoded"}}
		if a := v.do("POST", "/auth/openid/consent", form.Encode(), header); a.status != http.StatusForbidden {
			t.Errorf("a page of %s answers: %d", origin, a.status)
		}
		asks(origin)
	}
	if a := v.get("/auth/openid/consent?" + form.Encode()); a.sentBack(rpBack) != nil {
		t.Error("a link answers")
	}
	for what, changes := range map[string][]string{
		"another user": {"account", s.visitor().register(fresh("w")).id()}, "no user": {"account", ""}, "fewer scopes shown": {"scopes", "openid"}, "no scopes shown": {"scopes", ""},
		"a wider request": {"request", codeRequest("scope", "openid email offline_access").Encode()},
	} {
		if a := v.form("/auth/openid/consent", with(url.Values(http.Header(form).Clone()), changes...)); a.sentBack(rpBack) != nil {
			t.Errorf("%s: the client gets %v", what, a.sentBack(rpBack))
		}
		asks(what)
	}
	if got := v.form("/auth/openid/consent", form).sentBack(rpBack); got.Get("code") == "" {
		t.Errorf("the user's own answer: %v", got)
	}
	if got := v.authorize(codeRequest("prompt", "none")).sentBack(rpBack); got.Get("code") == "" {
		t.Errorf("afterwards: %v", got)
	}
}

// A code that is redeemed while its user signs out either gives nothing, or its
// client is told.
func TestSEC279_RedeemedDuringASignOut(t *testing.T) {
	announce(t)
	t.Parallel()
	told := make(chan string, 100)
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told <- r.FormValue("logout_token") }))
	t.Cleanup(client.Close)
	s := start(t, func(c *config.Config) { c.Clients[0].LogoutURI = client.URL })
	for range 20 {
		v := s.visitor().register(fresh("v"))
		code := v.openIDCode()
		done := make(chan rpAnswer, 1)
		go func() { done <- s.rp("token", codeForm(code)) }()
		v.post("signout", object{})
		got := <-done
		if got.status != 200 {
			continue
		}
		select {
		case <-told:
		case <-time.After(testform.Patience):
			t.Fatal("a client with tokens is not told")
		}
		s.refused("after the sign-out", s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
	}
}

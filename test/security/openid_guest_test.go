package security

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

// stranger is the site of an app that describes itself and means no good.
type stranger struct {
	*httptest.Server
	id     string
	answer atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int32
}

func newStranger(t *testing.T) *stranger {
	p := &stranger{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		(*p.answer.Load())(w, r)
	}))
	t.Cleanup(p.Close)
	p.id = p.URL + "/client.json"
	p.says(nil)
	return p
}

func (p *stranger) answers(answer http.HandlerFunc) { p.answer.Store(&answer) }

// says publishes a document with changes, of which nil removes a member.
func (p *stranger) says(changes object) {
	members := object{"client_id": p.id, "client_name": "Portico", "redirect_uris": []string{"https://rp3.test/cb"}, "token_endpoint_auth_method": "none"}
	for name, value := range changes {
		if members[name] = value; value == nil {
			delete(members, name)
		}
	}
	text, _ := json.Marshal(members)
	p.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	})
}

func (p *stranger) request(changes ...string) url.Values {
	return codeRequest(append([]string{"client_id", p.id, "redirect_uri", "https://rp3.test/cb"}, changes...)...)
}

// only makes the documents of one site count.
func only(p *stranger) option {
	return func(c *config.Config) { c.OpenID.ClientDocuments, c.OpenID.ClientOrigins = true, []string{p.URL} }
}

// unknown expects that the browser is sent nowhere for a request.
func (s *site) unknown(what string, a *answer) {
	s.Helper()
	if a.status != 422 || a.header.Get("Location") != "" {
		s.Errorf("%s: %d %s", what, a.status, a.header.Get("Location"))
	}
}

// down is unknown for an app whose document does not load.
func (s *site) down(what string, a *answer) {
	s.Helper()
	if a.status != 503 || a.header.Get("Location") != "" {
		s.Errorf("%s: %d %s", what, a.status, a.header.Get("Location"))
	}
}

func TestSEC319_DocumentsInside(t *testing.T) {
	announce(t)
	t.Parallel()
	port, connections := inside(t)
	s := start(t, func(c *config.Config) { c.OpenID.ClientDocuments = true })
	v := s.visitor().register(fresh("v"))
	for i, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "10.0.0.1", "192.168.0.1",
		"169.254.169.254", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "localhost.", "127.0.0.1%00.test", "user@127.0.0.1",
	} {
		for _, scheme := range []string{"https", "http", "gopher", "file"} {
			id := scheme + "://" + host + ":" + port + "/client.json"
			if a := v.authorize(codeRequest("client_id", id)); a.status != 503 { // as where no name server answers
				s.unknown(id, a)
			}
			if i == 0 { // a server that asks for tokens
				s.refused(id, s.rp("token", codeForm("x", "client_id", id, "client_secret", "")), "invalid_client")
			}
		}
		s.clock.Advance(11 * time.Minute) // the limit of the network is another test
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("a server inside saw %d connections", n)
	}

	// An origin that the operator has named is dialed, and leads nowhere else.
	p := newStranger(t)
	s2 := start(t, only(p))
	p.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://127.0.0.1:"+port+"/client.json", http.StatusFound)
	})
	v2 := s2.visitor().register(fresh("v"))
	s2.down("a redirect", v2.authorize(p.request()))
	p.says(object{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://127.0.0.1:" + port + "/jwks"})
	assertion := s2.assertion(object{"iss": p.id, "sub": p.id})
	s2.refused("keys inside", s2.rp("token", with(codeForm("x"), "client_secret", "", "client_id", p.id, "client_assertion", assertion, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")), "invalid_client")
	if p.asked.Load() == 0 || connections.Load() != 0 {
		t.Errorf("the app was asked %d times, a server inside %d times", p.asked.Load(), connections.Load())
	}
}

func TestSEC320_ManyDocuments(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	s := start(t, only(p))
	v := s.visitor().register(fresh("v"))
	ended := make(chan struct{}, 1)
	for what, answer := range map[string]http.HandlerFunc{
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(strings.Repeat(" ", 4096))); err != nil {
					return
				}
			}
		},
		"slow": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			ended <- struct{}{}
		},
		"deep": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.Repeat(`{"a":`, 1000)))
		},
		"a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"client_id":%q}`, p.id) },
	} {
		p.answers(answer)
		stays := s.down
		if what == "deep" {
			stays = s.unknown
		}
		stays(what, v.authorize(p.request()))
	}
	<-ended // Portico has hung up on the slow one

	p.says(nil)
	s.clock.Advance(11 * time.Minute)
	before, limited := p.asked.Load(), false
	for i := range 100 {
		id := fmt.Sprintf("%s/client%d.json", p.URL, i)
		switch a := v.authorize(p.request("client_id", id)); a.status {
		case 422: // it says another id
		case 429:
			limited = true
		default:
			t.Fatalf("%s: %d", id, a.status)
		}
	}
	if n := p.asked.Load() - before; !limited || n > 60 {
		t.Errorf("one network has made Portico load %d documents", n)
	}
}

func TestSEC321_SwappedDocuments(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	s := start(t, only(p))
	v := s.visitor().register(fresh("v"))
	consent := func(q url.Values) *answer {
		return v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {"openid email"}, "answer": {"allow"}})
	}
	const back = "https://rp3.test/cb"
	guest := []string{"client_id", p.id, "client_secret", "", "redirect_uri", back}

	// Nothing happens without the user, each time.
	for range 2 {
		if a := v.authorize(p.request()); a.status != 200 || a.sentBack(back) != nil {
			t.Fatalf("the user is not asked: %d %s", a.status, a.header.Get("Location"))
		}
		s.unknown("prompt=none", v.authorize(p.request("prompt", "none")))
		if got := consent(p.request()).sentBack(back); got.Get("code") == "" {
			t.Fatalf("the user agrees: %v", got)
		}
	}

	// A later document counts, and cannot widen the consent of the user.
	code := consent(p.request()).sentBack(back).Get("code")
	p.says(object{"redirect_uris": []string{"https://evil.test/cb"}})
	s.clock.Advance(6 * time.Minute)
	s.unknown("an address that the app has lost", v.authorize(p.request()))
	s.unknown("an address that the app has lost, in the answer of the user", consent(p.request()))
	s.refused("a code for another address", s.rp("token", codeForm(code, append(guest, "redirect_uri", "https://evil.test/cb")...)), "invalid_grant")

	for what, changes := range map[string]object{
		"the id of a registered client": {"client_id": "rp"}, "another address": {"client_id": p.URL + "/other.json"}, "a secret": {"client_secret": "x"},
		"a method with a secret": {"token_endpoint_auth_method": "client_secret_post"}, "a script": {"redirect_uris": []string{"javascript:alert(1)"}},
		"a pattern": {"redirect_uris": []string{"https://*.test/cb"}}, "no address": {"redirect_uris": nil}, "a client without users": {"grant_types": []string{"client_credentials"}},
	} {
		p.says(changes)
		s.clock.Advance(6 * time.Minute)
		s.unknown(what, v.authorize(p.request()))
	}

	// Keys that appear later are asked for, and a withdrawn document ends the refresh.
	p.says(nil)
	s.clock.Advance(6 * time.Minute)
	q := p.request("scope", "openid email")
	agreed := consent(q)
	tokens := s.rp("token", codeForm(agreed.sentBack(back).Get("code"), guest...))
	if tokens.status != 200 || tokens.Refresh == "" {
		t.Fatalf("the tokens: %d %s, %d %s", tokens.status, tokens.body, agreed.status, agreed.body)
	}
	s.refused("the refresh token at a registered client", s.rp("token", refreshForm(tokens.Refresh)), "invalid_grant")
	s.refused("with a secret", s.rp("token", refreshForm(tokens.Refresh, "client_id", p.id)), "invalid_client")
	p.says(object{"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keySet(t, keyOf().Public()))})
	s.clock.Advance(6 * time.Minute)
	s.refused("without the new key", s.rp("token", refreshForm(tokens.Refresh, "client_id", p.id, "client_secret", "")), "invalid_client")
	p.answers(http.NotFound)
	s.clock.Advance(6 * time.Minute)
	s.refused("after the app has gone", s.rp("token", refreshForm(tokens.Refresh, "client_id", p.id, "client_secret", "")), "invalid_client")

	s.stop()
	s.config.OpenID.ClientDocuments = false
	s.run()
	p.says(nil)
	s.clock.Advance(6 * time.Minute)
	s.unknown("once the operator knows no strangers", v.authorize(p.request()))
	s.refused("the tokens then", s.rp("token", refreshForm(tokens.Refresh, "client_id", p.id, "client_secret", "")), "invalid_client")
}

func TestSEC457_AGuestNamedLikeAnApp(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	app := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	s := start(t, only(p), func(c *config.Config) {
		c.Apps = []config.App{{Name: "wiki", Path: "/wiki", Upstream: upstream, Audience: "wiki", Key: "app.1"}}
	})
	v := s.visitor().register(fresh("v"))
	asked := func() bool { return v.authorize(p.request()).status == 200 }
	if !asked() {
		t.Fatal("an unknown app is not known")
	}
	s.follows(func(c *config.Config) { c.Apps[0].Audience = p.id })
	if asked() {
		t.Error("an unknown app has the name of an app's audience")
	}
}

// A link to Portico shows a page of Portico, and not at once the site of somebody unknown. Nor does that site learn whether
// the visitor is signed in.
func TestSEC480_AGuestIsNoWayOut(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	s := start(t, only(p))
	for who, v := range map[string]*visitor{"nobody": s.visitor(), "a user": s.visitor().register(fresh("v"))} {
		for what, changes := range map[string][]string{
			"another response type": {"response_type", "token"}, "no scope of ours": {"scope", "x"}, "no code challenge": {"code_challenge", ""},
			"prompt=none": {"prompt", "none"}, "two prompts": {"prompt", "none login"}, "another mode": {"response_mode", "fragment"},
		} {
			s.unknown(who+": "+what, v.authorize(p.request(changes...)))
			if what != "another mode" {
				s.unknown(who+": "+what+", by a form", v.authorize(p.request(append(changes, "response_mode", "form_post")...)))
			}
		}
	}
	// Whoever has seen the page of consent goes back, and so does an app on the user's own device.
	v := s.visitor().register(fresh("v"))
	q := p.request()
	refused := v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {"openid email"}, "answer": {"refuse"}})
	if got := refused.sentBack("https://rp3.test/cb"); got.Get("error") != "access_denied" {
		t.Errorf("who does not agree: %d %s", refused.status, refused.header.Get("Location"))
	}
	const local = "http://127.0.0.1:7777/cb"
	p.says(object{"redirect_uris": []string{"http://127.0.0.1/cb"}})
	s.clock.Advance(6 * time.Minute)
	if got := v.authorize(p.request("redirect_uri", local, "response_type", "token")).sentBack(local); got.Get("error") != "unsupported_response_type" {
		t.Errorf("an app on the device: %v", got)
	}
}

func TestSEC518_AGuestWithAKeyWritesWithoutEnd(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	p.says(object{"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(keySet(t, keyOf().Public()))})
	s := start(t, only(p), withRP3(t))
	v := s.visitor()
	sends := func(endpoint string, form url.Values) int {
		return v.copied().do("POST", "/auth/openid/"+endpoint, form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}).status
	}
	taken := func(endpoint string, form url.Values, status, most int) {
		t.Helper()
		for n := 0; n <= most; {
			won := race(20, func() bool {
				proof := []string{"client_id", p.id, "client_secret", "", "client_assertion", s.assertion(object{"iss": p.id, "sub": p.id})}
				return sends(endpoint, with(maps.Clone(form), append(proof, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")...)) == status
			})
			if n += won; won < 20 && n <= most {
				return
			}
		}
		t.Errorf("%s takes more than %d requests of one network", endpoint, most)
	}
	taken("par", p.request(), 201, 500) // the limits are 300 and 1000, and grow while the test takes its time
	taken("introspect", url.Values{"token": {"x"}}, 200, 1500)
	if status := sends("introspect", byAssertion(url.Values{"token": {"x"}}, s.assertion(nil))); status != 200 {
		t.Errorf("a client of the settings in the same network: %d", status)
	}
}

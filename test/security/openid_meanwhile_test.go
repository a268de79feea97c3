package security

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/rule"
	"portico/internal/session"
	"portico/internal/store"
)

const jobsAPI = "https://api.test"

// withEditors adds a client for users with a role, which asks them, the same on devices, and the
// server of its resource.
func withEditors(c *config.Config) {
	ruled := config.Client{
		ID: "ruled", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid", "email", "offline_access"}, PKCE: true,
		Grants: []string{"authorization_code", "device_code"}, Consent: true, Rules: []string{"role:editor"}, Resources: []string{jobsAPI},
	}
	c.Clients = append([]config.Client{ruled, {ID: "api", IDTokenAlg: "ES256", Secret: rpSecret, Serves: []string{jobsAPI}}}, c.Clients...)
}

// roles replaces the roles of a user, as `portico user role` does.
func (s *site) roles(address string, list ...string) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err == nil {
		err = s.app.Operator.SetUserRoles(s.Context(), flow.ByOperator, a.ID, list)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// reload restarts the site with other settings of the first client.
func (s *site) reload(change func(*config.Client)) {
	s.Helper()
	s.stop()
	s.config.Clients = slices.Clone(s.config.Clients)
	change(&s.config.Clients[0])
	s.run()
}

// agrees returns what the client gets for the user's press on its consent page.
func (v *visitor) agrees(changes ...string) url.Values {
	v.Helper()
	q := codeRequest(append([]string{"client_id", "ruled", "scope", "openid email offline_access", "resource", jobsAPI}, changes...)...)
	return v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {strings.TrimSpace(q.Get("scope") + " " + q.Get("resource"))}, "answer": {"allow"}}).sentBack(rpBack)
}

// changes are what may happen between two steps of a sign-in for a client.
func changes() map[string]func(v *visitor, address string) {
	reload := func(change func(*config.Client)) func(*visitor, string) {
		return func(v *visitor, _ string) { v.reload(change) }
	}
	return map[string]func(*visitor, string){
		"the role is taken":       func(v *visitor, address string) { v.roles(address, "reader") },
		"the account is disabled": func(v *visitor, address string) { v.disable(address) },
		"the user signs out":      func(v *visitor, _ string) { v.post("signout", object{}).must(200) },
		"the user removes the app": func(v *visitor, _ string) {
			v.form("/auth/account/apps", url.Values{"account": {v.id()}, "app": {"ruled"}})
		},
		"another rule":        reload(func(c *config.Client) { c.Rules = []string{"role:admin"} }),
		"another address":     reload(func(c *config.Client) { c.RedirectURIs = []string{"https://rp.test/new"} }),
		"a scope less":        reload(func(c *config.Client) { c.Scopes = []string{"openid", "offline_access"} }),
		"no resource":         reload(func(c *config.Client) { c.Resources = nil }),
		"another resource":    reload(func(c *config.Client) { c.Resources = []string{"https://other.test"} }),
		"nothing but a start": reload(func(*config.Client) {}),
	}
}

// A code and the answer for a device give no tokens after a change that would have refused them.
func TestSEC342_ChangedBeforeTheTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, change := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, withEditors)
			address := fresh("v")
			v := s.visitor().register(address)
			s.roles(address, "editor")
			code := v.agrees().Get("code")
			asked := url.Values{"client_id": {"ruled"}, "client_secret": {rpSecret}, "scope": {"openid email"}, "resource": {jobsAPI}}
			var codes struct {
				Device string `json:"device_code"`
				User   string `json:"user_code"`
			}
			s.rp("device", asked).parse(&codes)
			v.form(devicePath, url.Values{"code": {codes.User}, "account": {v.id()}, "answer": {"allow"}}).must(200)
			change(v.on(s), address)

			got := s.rp("token", codeForm(code, "client_id", "ruled"))
			device := s.rp("token", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {codes.Device}, "client_id": {"ruled"}, "client_secret": {rpSecret}})
			if name == "nothing but a start" || name == "another address" {
				if device.status != 200 {
					t.Errorf("the device: %d %s", device.status, device.body)
				}
			} else {
				s.refused("the device", device, "invalid_grant")
			}
			if name == "nothing but a start" {
				if got.status != 200 {
					t.Errorf("the code: %d %s", got.status, got.body)
				}
				return
			}
			s.refused("the code", got, "invalid_grant")
		})
	}
}

// Tokens that were given before open nothing to a user whom the client may no longer sign in, and no server
// is told that they work.
func TestSEC342_ChangedAfterTheTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, func(*http.Request) string { return "the app" })
	upstream, _ := url.Parse(app.URL)
	const tools = "https://portico.test/tools"
	s := start(t, withEditors, func(c *config.Config) {
		c.Apps = []config.App{{Name: "tools", Path: "/tools", Upstream: upstream, AccessTokens: true, Key: "app.1"}}
		c.Clients[0].Resources = []string{jobsAPI, tools}
		jwt := c.Clients[0]
		jwt.ID, jwt.AccessToken = "jwt", "jwt"
		c.Clients = append(c.Clients, jwt)
	})
	address := fresh("v")
	v := s.visitor().register(address)
	tokens := func(id string, more ...string) rpAnswer {
		t.Helper()
		got := s.rp("token", codeForm(v.agrees(append([]string{"client_id", id}, more...)...).Get("code"), "client_id", id))
		got.must(200)
		return got
	}
	open := func(token, resource string) map[string]bool {
		asks := func(client string) bool {
			return s.rp("introspect", url.Values{"token": {token}, "client_id": {client}, "client_secret": {rpSecret}}).Active
		}
		bearer := http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json"}}
		switch resource {
		case "":
			return map[string]bool{"UserInfo": s.works(token), "introspection": asks("ruled") || asks("jwt")}
		case tools:
			return map[string]bool{"the app": s.visitor().do("GET", "/tools", "", bearer).status == 200}
		}
		return map[string]bool{"introspection by its server": asks("api")}
	}
	for _, id := range []string{"ruled", "jwt"} {
		for _, remembered := range []bool{true, false} {
			s.roles(address, "editor")
			given := map[string]string{}
			var refresh string
			for _, resource := range []string{"", jobsAPI, tools} {
				got := tokens(id, "resource", resource)
				given[got.Access], refresh = resource, got.Refresh
			}
			judge := func(when string, want bool) {
				t.Helper()
				for token, resource := range given {
					for what, does := range open(token, resource) {
						if does != want {
							t.Errorf("%s of %s, %s: it works: %v", what, id, when, does)
						}
					}
				}
				active := s.rp("introspect", url.Values{"token": {refresh}, "client_id": {id}, "client_secret": {rpSecret}}).Active
				if active != want {
					t.Errorf("introspection of a refresh token of %s, %s: it works: %v", id, when, active)
				}
			}
			if remembered {
				judge("before", true)
			}
			s.roles(address, "reader")
			judge("without the role", false)
			s.roles(address, "editor")
			judge("with the role", true)
		}
	}
}

// A press on the consent page, or for a device, that began before a change at another node has no effect after
// it. The node still has the session in its memory.
func TestSEC342_ChangedDuringThePress(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withEditors)
	asked := openid.Request{RedirectURI: rpBack, Scopes: []string{"openid"}, Client: openid.Client{
		ID: "ruled", Code: true, Device: true, RedirectURIs: []string{rpBack}, Scopes: []string{"openid"},
		Rules: func(by openid.Standing, now time.Time) openid.Ruling {
			switch recent := now.Sub(by.ProvenAt) < 10*time.Minute; {
			case slices.Contains(by.Roles, "editor"), slices.Contains(by.Roles, "admin") && recent:
				return openid.Admitted
			case slices.Contains(by.Roles, "admin"):
				return openid.TooOld
			}
			return openid.NotAdmitted
		},
	}}
	var denied *openid.Error
	for name, end := range map[string]struct {
		change func(v *visitor, found session.Found) error
		code   func(error) bool
		device error
	}{
		"the role is taken": {func(v *visitor, found session.Found) error {
			return s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, found.User.ID, nil)
		}, func(err error) bool { return errors.As(err, &denied) && denied.Code == "access_denied" }, rule.RoleMissing},
		"the role that any sign-in opens is taken": {func(v *visitor, found session.Found) error {
			return s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, found.User.ID, []string{"admin"})
		}, func(err error) bool { return errors.Is(err, session.Required) }, session.Required},
		"the account is disabled": {func(v *visitor, found session.Found) error {
			return s.app.Operator.SetUserState(t.Context(), flow.ByOperator, found.User.ID, account.DisabledByOperator)
		}, func(err error) bool { return errors.Is(err, session.Required) }, session.Required},
		"the session has ended": {func(v *visitor, found session.Found) error {
			return s.app.Operator.EndUserSession(t.Context(), flow.ByOperator, found.Session.ID)
		}, func(err error) bool { return errors.Is(err, session.Required) }, session.Required},
		"a new password": {func(v *visitor, found session.Found) error {
			a, err := s.app.Operator.User(t.Context(), found.User.Address)
			if err != nil {
				return err
			}
			return s.app.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, other)
		}, func(err error) bool { return errors.Is(err, session.Required) }, session.Required},
	} {
		address := fresh("v")
		v := s.visitor().register(address)
		s.roles(address, "editor", "admin")
		s.clock.Advance(time.Hour)
		found, err := s.app.Flows.Session(t.Context(), v.cookie("session"))
		if err != nil {
			t.Fatal(err)
		}
		codes, err := s.app.OpenID.BeginDevice(t.Context(), flow.Caller{}, asked.Client, "openid", nil)
		if err != nil {
			t.Fatal(err)
		}
		device, _, err := s.app.OpenID.Device(t.Context(), flow.Caller{Peer: "192.0.2.1/32"}, found, codes.User)
		if err != nil {
			t.Fatal(err)
		}
		if err := end.change(v, found); err != nil {
			t.Fatal(err)
		}
		if _, err := s.app.OpenID.Authorize(t.Context(), flow.Caller{}, found, asked, flow.Mark{}, true); !end.code(err) {
			t.Errorf("%s: a code: %v", name, err)
		}
		if err := s.app.OpenID.AllowDevice(t.Context(), flow.Caller{}, found, asked.Client, device); !errors.Is(err, end.device) {
			t.Errorf("%s: a device: %v", name, err)
		}
	}
	// The browser of a session that has ended at another node is led to the sign-in page, and in no circle.
	v := s.visitor().register(fresh("v"))
	found, err := s.app.Flows.Session(t.Context(), v.cookie("session"))
	if err == nil {
		err = s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.DeleteSession(t.Context(), found.User.ID, found.Session.ID, session.Left)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	again := v.authorize(codeRequest())
	if again.sentBack(rpBack) != nil {
		t.Errorf("a code for an ended session: %s", again.header.Get("Location"))
	}
	v.isAsked("after that", again.header.Get("Location"))
}

// withTwoRoles lets users of two roles in, one of them with a second factor alone.
func withTwoRoles(c *config.Config) {
	withEditors(c)
	c.Clients[0].Rules = []string{"role:editor", "role:admin+mfa"}
}

// What a password alone has obtained ends when the rules ask for a second factor by now.
func TestSEC478_ASecondFactorIsAskedForLater(t *testing.T) {
	announce(t)
	t.Parallel()
	reload := func(rules ...string) func(*visitor, string) {
		return func(v *visitor, _ string) { v.follows(func(c *config.Config) { c.Clients[0].Rules = rules }) }
	}
	for name, tt := range map[string]struct {
		change func(v *visitor, address string)
		strong bool
		works  bool
	}{
		"another rule":                           {change: reload("role:editor+mfa")},
		"another rule, after a second factor":    {reload("role:editor+mfa"), true, true},
		"a rule for those who have just proven":  {reload("role:editor+fresh:10m"), false, true},
		"the role that came without one is gone": {change: func(v *visitor, address string) { v.roles(address, "admin") }},
		"the same, after a second factor":        {func(v *visitor, address string) { v.roles(address, "admin") }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, withTwoRoles)
			address := fresh("v")
			v := s.visitor().register(address)
			if s.roles(address, "editor", "admin"); tt.strong {
				v.enrol()
			}
			tokens := s.rp("token", codeForm(v.agrees("resource", "").Get("code"), "client_id", "ruled"))
			code := v.agrees().Get("code")
			if tokens.status != 200 || !s.works(tokens.Access) {
				t.Fatalf("before: %d %s", tokens.status, tokens.body)
			}
			tt.change(v, address)
			s.clock.Advance(time.Second)
			for what, does := range map[string]bool{
				"the code":         s.rp("token", codeForm(code, "client_id", "ruled")).status == 200,
				"the access token": s.works(tokens.Access),
				"introspection":    s.rp("introspect", url.Values{"token": {tokens.Refresh}, "client_id": {"ruled"}, "client_secret": {rpSecret}}).Active,
				"the refresh":      s.rp("token", refreshForm(tokens.Refresh, "client_id", "ruled")).status == 200,
			} {
				if does != tt.works {
					t.Errorf("%s works: %v", what, does)
				}
			}
		})
	}
}

// A client whose session ended because nobody used it gets nothing back by the next sign-in of the same user.
func TestSEC479_TokensOfAnIdleSessionStayDead(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTV)
	v, address := s.signedIn()
	tv := s.device()
	v.form(devicePath, tv.answer(v, "allow")).must(200)
	used, device := v.rpTokens(), tv.polls()
	offline := v.rpTokens("scope", "openid offline_access")
	s.clock.Advance(8 * 24 * time.Hour)
	s.refused("the refresh token of an idle session", s.rp("token", refreshForm(used.Refresh)), "invalid_grant")
	v.signIn(address, good).must(200)
	for what, got := range map[string]rpAnswer{
		"the refresh token": s.rp("token", refreshForm(used.Refresh)), "the refresh token of the device": s.rp("token", refreshForm(device.Refresh, "client_id", "tv", "client_secret", "")),
	} {
		s.refused(what+", after a new sign-in", got, "invalid_grant")
	}
	if got := s.rp("token", refreshForm(offline.Refresh)); got.status != 200 {
		t.Errorf("what outlives the session: %d %s", got.status, got.body)
	}
}

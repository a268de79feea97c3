package issuer_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

// entry is the log entry of a refused request.
type entry struct {
	Code, Cause, Route string
	ID                 string `json:"client_id"`
	Sent, Registered   map[string]string
}

// refused returns the log entry with a fault code that a request writes. It is there before the response is.
func (s *site) refused(code string, request func()) (e entry) {
	s.Helper()
	before := len(s.Logged.String())
	request()
	for line := range strings.Lines(s.Logged.String()[before:]) {
		if json.Unmarshal([]byte(line), &e) == nil && e.Code == code {
			return e
		}
	}
	s.Fatalf("the log has no %s:\n%s", code, s.Logged)
	return e
}

// Each refusal says in the log which client was refused, what it sent and what it has registered.
func TestRefusal_IsExplained(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) {
		c.Clients = append(c.Clients,
			config.Client{ID: "bye", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, LogoutReturns: []string{"https://rp.test/bye"}, Scopes: []string{"openid"}, PKCE: true},
			config.Client{ID: "plus", IDTokenAlg: "ES256", Secret: plusSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid"}, PKCE: true})
	})
	form := func(id, secret string, changes ...string) url.Values {
		return change(url.Values{"grant_type": {"authorization_code"}, "code": {"x"}, "redirect_uri": {rpBack}, "client_id": {id}, "client_secret": {secret}}, changes...)
	}
	for name, c := range map[string]struct {
		path             string
		query, form      url.Values
		code, id, cause  string
		sent, registered map[string]string
	}{
		"another address": {
			path: "authorize", query: ask("redirect_uri", "http://rp.test/cb?token=x"), code: "openid.redirect_unknown", id: "rp",
			sent: map[string]string{"redirect_uri": "http://rp.test/cb?…", "scope": "openid profile email"}, registered: map[string]string{"redirect_uri": "https://rp.test/cb"},
		},
		"another id":    {path: "authorize", query: ask("client_id", "rq"), code: "openid.client_unknown", id: "rq", registered: map[string]string{"client_id": "rp"}},
		"a wrong scope": {path: "authorize", query: ask("scope", "email wiki"), code: "openid.refused", id: "rp", cause: "scope openid is missing", registered: map[string]string{"scope": "openid profile email groups offline_access"}},
		"a sign-out": {
			path: "logout", query: url.Values{"client_id": {"bye"}, "post_logout_redirect_uri": {"https://rp.test/by"}}, code: "openid.logout_unknown", id: "bye", cause: "not registered",
			sent: map[string]string{"post_logout_redirect_uri": "https://rp.test/by"}, registered: map[string]string{"post_logout_redirect_uri": "https://rp.test/bye"},
		},
		"a sign-out of no client": {
			path: "logout", query: url.Values{"post_logout_redirect_uri": {"https://rp.test/bye"}}, code: "openid.logout_unknown", cause: "needs id_token_hint or client_id",
		},
		"no such client":        {path: "token", form: form("rp3", rpSecret), code: "openid.refused", id: "rp3", cause: "no client has this id", registered: map[string]string{"client_id": "rp"}},
		"id and secret swapped": {path: "token", form: form("hunter2", "rp"), code: "openid.refused", id: "(not shown: the secret is the id of rp)", cause: "no client has this id", registered: map[string]string{"client_id": "rp"}},
		"another secret":        {path: "token", form: form("rp", rpSecret+"x"), code: "openid.refused", id: "rp", cause: "the secret is wrong", sent: map[string]string{"method": "client_secret_post", "grant_type": "authorization_code"}},
		"no secret":             {path: "token", form: form("rp", ""), code: "openid.refused", id: "rp", cause: "sends no secret", sent: map[string]string{"method": "none"}, registered: map[string]string{"method": "client_secret_basic or client_secret_post"}},
		"a line break":          {path: "par", form: form("rp", rpSecret+"\n"), code: "openid.refused", id: "rp", cause: "a space or a line break"},
		"a plus":                {path: "revoke", form: form("plus", strings.ReplaceAll(plusSecret, "+", " ")), code: "openid.refused", id: "plus", cause: "percent-encode the +"},
		"a public client":       {path: "token", form: form("spa", rpSecret), code: "openid.refused", id: "spa", cause: "the client is public", registered: map[string]string{"method": "none", "redirect_uri": "https://spa.test/cb"}},
		"a client with keys":    {path: "introspect", form: form("keyed", rpSecret), code: "openid.refused", id: "keyed", cause: "with a key", registered: map[string]string{"method": "private_key_jwt"}},
		"a grant":               {path: "token", form: form("rp", rpSecret, "grant_type", "client_credentials"), code: "openid.refused", id: "rp", cause: "may not use client_credentials: add it to the grants", registered: map[string]string{"grant_type": "authorization_code refresh_token"}},
		"a resource": {
			path: "token", form: form("robot", rpSecret, "grant_type", "client_credentials", "resource", "https://job.test"), code: "openid.refused", id: "robot", cause: "allow it in the resources of the client",
			sent: map[string]string{"resource": "https://job.test"}, registered: map[string]string{"resource": "https://jobs.test"},
		},
		"a device": {path: "device", form: form("rp", rpSecret), code: "openid.refused", id: "rp", cause: "device_code: add device_code to the grants"},
	} {
		t.Run(name, func(t *testing.T) {
			e := s.refused(c.code, func() {
				if c.form != nil {
					s.post("/auth/openid/"+c.path, c.form)
				} else {
					s.Browser().Open("/auth/openid/" + c.path + "?" + c.query.Encode())
				}
			})
			if e.ID != c.id || !strings.Contains(e.Cause, c.cause) || !strings.HasSuffix(e.Route, "/auth/openid/"+c.path) {
				t.Errorf("the log has %+v", e)
			}
			for key, want := range c.sent {
				if e.Sent[key] != want {
					t.Errorf("sent %s = %q, want %q", key, e.Sent[key], want)
				}
			}
			if !maps.Equal(e.Registered, c.registered) && c.registered != nil {
				t.Errorf("registered is %q, want %q", e.Registered, c.registered)
			}
		})
	}
}

// plusSecret has characters that an app must percent-encode.
const plusSecret = "a+secret+of+many+characters+and+signs"

// A registration that is refused says what the app has sent.
func TestRefusal_OfRegistration(t *testing.T) {
	t.Parallel()
	s := startFor(t, func(c *config.Config) { c.OpenID.Registration = true })
	initial, _, err := s.Operator.AllowRegistrations(t.Context(), flow.ByOperator, 1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for body, why := range map[string]string{
		`{"redirect_uris":["http://app.test/cb"],"client_name":"x"}`:                                        "it does not use https",
		`{"redirect_uris":["https://app.test/cb"],"token_endpoint_auth_method":"client_secret_jwt"}`:        "token_endpoint_auth_method must be one of",
		`{"redirect_uris":["https://app.test/cb"],"post_logout_redirect_uris":["https://app.test/cb#bye"]}`: "it contains a fragment",
	} {
		var got reply
		e := s.refused("openid.refused", func() {
			got = s.send("POST", "/auth/openid/register", body, "Content-Type", "application/json", "Authorization", "Bearer "+initial)
		})
		if got.StatusCode != 400 || !strings.Contains(e.Cause, why) || !strings.Contains(e.Sent["redirect_uris"], "app.test/cb") || e.Sent["client_name"] != "" {
			t.Errorf("%s: %d, the log has %+v", body, got.StatusCode, e)
		}
	}
}

// Another method is refused in the words of the standards, also in a browser. The log has the route.
func TestRefusal_OfAMethod(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, method := range map[string]string{"token": "GET", "par": "GET", "revoke": "DELETE", "introspect": "GET", "device": "PUT", "userinfo": "PATCH"} {
		var got reply
		e := s.refused("method.not_allowed", func() { got = s.send(method, "/auth/openid/"+path, "", "Accept", "text/html") })
		if got.StatusCode != 405 || got.text != `{"error":"invalid_request","error_description":"send one of the methods in the Allow header"}` || !strings.Contains(got.Header.Get("Allow"), "POST") {
			t.Errorf("%s: %d %s, Allow %q", path, got.StatusCode, got.text, got.Header.Get("Allow"))
		}
		if !strings.HasSuffix(e.Cause, "the route is POST /auth/openid/"+path) {
			t.Errorf("%s: the log has %+v", path, e)
		}
	}
}

// The client learns only that something is wrong with its credentials.
func TestRefusal_TellsNoReason(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, form := range []url.Values{
		{"client_id": {"nobody"}, "client_secret": {rpSecret}}, {"client_id": {"rp"}, "client_secret": {rpSecret + " "}},
		{"client_id": {"rp"}}, {"client_id": {"spa"}, "client_secret": {rpSecret}}, {"client_id": {"keyed"}, "client_secret": {rpSecret}},
	} {
		if got := s.token(form); got.text != `{"error":"invalid_client","error_description":"unknown client or wrong credentials"}` {
			t.Errorf("%v is answered %s", form, got.text)
		}
	}
}

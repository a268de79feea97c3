package app

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
)

// Each setting about signing in counts from the reload that reads it, and no longer
// than that: the next reload takes it back.
func TestReload_TakesSettings(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.Clients = []config.Client{device("notes", "client.1")}
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }})
	a.create(t, "mara@x.test")
	r := run(t, a)
	cfg.PublicURL = a.Config.PublicURL // with the port
	plain := cfg
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	signIn := func() string {
		return r.post("/auth/api/signin", "application/json", `{"email":"mara@x.test","password":"`+good+`"}`)
	}
	begin := func() string {
		return r.post("/auth/openid/device", "application/x-www-form-urlencoded", "client_id=tv&scope=openid")
	}
	for _, test := range []struct {
		name          string
		set           func(c *config.Config)
		changed       string
		ask           func() string
		before, after string // parts of the answer
	}{
		{"mfa.require", func(c *config.Config) { c.MFA.Require = []string{config.RequireAll} }, "mfa.require", signIn, `"next":"/auth/account"`, `"next":"/auth/protect?`},
		{"signin.code", func(c *config.Config) { c.SignIn.Code = true }, "signin.code", func() string {
			return r.post("/auth/api/signin-code", "application/json", `{"email":"mara@x.test"}`)
		}, "404 ", `"next":"/auth/verify-code?`},
		{"passkeys", func(c *config.Config) { c.Passkeys = false }, "passkeys", func() string {
			return r.post("/auth/api/passkey/ask", "application/json", `{}`)
		}, "200 ", "404 "},
		{"passkey_origins", func(c *config.Config) { c.PasskeyOrigins = []string{"https://x.example"} }, "passkey_origins", func() string {
			_, text := r.get(r.public + "/.well-known/webauthn")
			return text
		}, "404", `"https://x.example"`},
		{"a client is added", func(c *config.Config) {
			c.Clients = []config.Client{device("notes", "client.1"), device("tv", "client.2")}
		}, `client "tv"`, begin, "invalid_client", "user_code"},
		{"the last client is removed", func(c *config.Config) { c.Clients = nil }, `client "notes"`, begin, "invalid_client", "404 "},
	} {
		for _, step := range []struct {
			set  func(c *config.Config)
			want string
		}{{func(*config.Config) {}, test.before}, {test.set, test.after}, {func(*config.Config) {}, test.before}} {
			now := plain
			step.set(&now)
			cfg = now
			result := a.Reload(t.Context())
			if len(result.Problems)+len(result.Restart) > 0 {
				t.Fatalf("%s: the reload says %+v", test.name, result)
			}
			if step.want == test.after && !slices.Contains(slices.Concat(result.Added, result.Removed, result.Changed), test.changed) {
				t.Errorf("%s: the reload says %+v", test.name, result)
			}
			if got := test.ask(); !strings.Contains(got, step.want) {
				t.Errorf("%s: the answer is %s, want %s", test.name, got, step.want)
			}
		}
	}
	if l := a.live.Load(); l.handler.Before != nil || l.gateway.Before != nil {
		t.Error("what serves holds what it has replaced, and so all of it since the start")
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}

// device returns a client on a device without a browser.
func device(id, key string) config.Client {
	return config.Client{
		ID: id, Key: key, Public: true, PKCE: true, IDTokenAlg: "ES256", AccessToken: "opaque",
		Scopes: []string{"openid"}, Grants: []string{"device_code"},
	}
}

// post returns the status and text of a response to a request from an own page.
func (r *running) post(path, form, body string) string {
	request, err := http.NewRequest(http.MethodPost, r.public+path, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", form)
	request.Header.Set("Origin", r.public)
	response, err := r.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.Status + " " + string(text)
}

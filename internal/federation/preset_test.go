package federation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
)

// setupPreset puts an op in the place of a preset's provider: at its issuer and
// in front of the hosts of its endpoints.
func setupPreset(t *testing.T, name string, edit ...func(*ProviderConfig)) *bench {
	t.Helper()
	b := &bench{t: t, clock: clock.NewManual(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))}
	b.op = newOP(t, b.clock.Now)
	b.op.expect["scope"] = strings.Join(presets()[name].scopes, " ")
	b.op.isClient = posted
	table := presets()
	pre := table[name]
	if fixed, issuer := pre.fixed, pre.issuer; fixed != nil {
		pre.fixed = func(string) metadata {
			m := fixed(issuer)
			for _, address := range []*string{&m.authorize, &m.token, &m.userinfo} {
				*address = strings.Replace(*address, "https:/", b.op.srv.URL, 1) // the host becomes the first part of the path
			}
			return m
		}
		b.op.handlers[strings.TrimPrefix(fixed(issuer).token, "https:/")] = b.op.token
	} else {
		pre.issuer = b.op.srv.URL
	}
	table[name] = pre
	pc := ProviderConfig{ID: "acme", Preset: name, ClientID: testClient, ClientSecret: testSecret}
	for _, e := range edit {
		e(&pc)
	}
	b.s = newTestService(t, b.clock, table, []string{b.op.srv.URL}, pc)
	return b
}

// posted accepts the client's secret in the form only.
func posted(r *http.Request) bool {
	_, _, inHeader := r.BasicAuth()
	return !inHeader && r.PostForm.Get("client_id") == testClient && r.PostForm.Get("client_secret") == testSecret
}

// serve answers a path of the preset's provider, to the bearer of the token.
func (b *bench) serve(address, body string) {
	b.op.handlers[strings.TrimPrefix(address, "https:/")] = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-access-token" {
			answerJSON(w, http.StatusUnauthorized, "{}")
			return
		}
		answerJSON(w, http.StatusOK, body)
	}
}

// The table as a whole, so that no address changes by accident.
func TestPresetAddresses(t *testing.T) {
	t.Parallel()
	wants := map[string]struct{ issuer, hosts string }{
		"openid": {}, "google": {issuer: "https://accounts.google.com"},
		"microsoft": {issuer: "https://login.microsoftonline.com/common/v2.0"}, "apple": {issuer: "https://appleid.apple.com"},
		"gitlab": {issuer: "https://gitlab.com"}, "linkedin": {issuer: "https://www.linkedin.com/oauth"},
		"twitch": {issuer: "https://id.twitch.tv/oauth2"}, "slack": {issuer: "https://slack.com"}, "salesforce": {issuer: "https://login.salesforce.com"},
		"okta": {}, "auth0": {}, "keycloak": {}, "authentik": {}, "authelia": {}, "pocketid": {}, "ory": {}, "gitea": {}, "forgejo": {}, "cognito": {},
		"bitbucket": {"https://bitbucket.org", "https://bitbucket.org/site/oauth2/authorize https://bitbucket.org/site/oauth2/access_token https://api.bitbucket.org/2.0/user"},
		"spotify":   {"https://accounts.spotify.com", "https://accounts.spotify.com/authorize https://accounts.spotify.com/api/token https://api.spotify.com/v1/me"},
		"github":    {"https://github.com/login/oauth", "https://github.com/login/oauth/authorize https://github.com/login/oauth/access_token https://api.github.com/user"},
		"discord":   {"https://discord.com", "https://discord.com/oauth2/authorize https://discord.com/api/oauth2/token https://discord.com/api/v10/users/@me"},
		"facebook":  {"https://www.facebook.com", "https://www.facebook.com/v25.0/dialog/oauth https://graph.facebook.com/v25.0/oauth/access_token https://graph.facebook.com/v25.0/me?fields=id,name,email"},
	}
	for name, pre := range presets() {
		got := struct{ issuer, hosts string }{issuer: pre.issuer}
		if pre.fixed != nil {
			m := pre.fixed(pre.issuer)
			got.issuer, got.hosts = m.issuer, m.authorize+" "+m.token+" "+m.userinfo
		}
		if !reflect.DeepEqual(got, wants[name]) {
			t.Errorf("%s: got %+v, want %+v: add a new preset to wants", name, got, wants[name])
		}
		if name != "openid" && (pre.icon != name && pre.icon != "openid" || pre.name == "") {
			t.Errorf("%s: has the icon %q and the name %q", name, pre.icon, pre.name)
		}
	}
	ghes := githubEndpoints("https://git.corp.test")
	if ghes.issuer != "https://git.corp.test/login/oauth" || ghes.userinfo != "https://git.corp.test/api/v3/user" {
		t.Errorf("got %+v", ghes)
	}
}

func TestGoogle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		email, hd string
		verified  bool
	}{
		"a mailbox of Google":    {`"ada@gmail.com"`, "", true},
		"in capitals":            {`"ADA@GMAIL.COM"`, "", true},
		"a Workspace domain":     {`"ada@corp.test"`, `"corp.test"`, true},
		"an address elsewhere":   {`"ada@x.test"`, "", false},
		"a name that looks like": {`"ada@evilgmail.com"`, "", false},
	} {
		b := setupPreset(t, "google")
		b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post","client_secret_basic"]`
		b.op.isClient = newOP(t, b.clock.Now).isClient
		b.op.claims["iss"] = `"accounts.google.com"`
		b.op.claims["email"], b.op.claims["hd"] = c.email, c.hd
		b.op.expect["prompt"] = "select_account"
		got, err := b.signIn()
		if err != nil || got.Issuer != b.op.srv.URL || got.EmailVerified != c.verified {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestGitLab(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "gitlab")
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	if got, err := b.signIn(); err != nil || !got.EmailVerified {
		t.Errorf("got %+v, %v", got, err)
	}
	own := setupPreset(t, "gitlab", func(pc *ProviderConfig) { pc.Issuer = b.op.srv.URL + "/own" })
	if own.s.providers["acme"].trustEmail {
		t.Error("an own installation is trusted for addresses by default")
	}
}

func TestMicrosoft(t *testing.T) {
	t.Parallel()
	const tenant, personal = "11111111-2222-3333-4444-555555555555", "9188040d-6c67-4c5b-b112-36a304b66dad"
	trust := true
	cases := []struct {
		name              string
		tenant, keyIssuer string
		discovered        string
		trust             *bool
		edov              string
		cause             string
		verified          bool
	}{
		{name: "a tenant", tenant: tenant},
		{name: "a tenant, key for all", tenant: tenant, keyIssuer: "{tenantid}"},
		{name: "personal", tenant: personal, keyIssuer: personal},
		{name: "personal key for an organisation", tenant: tenant, keyIssuer: personal, cause: "signed with a key of"},
		{name: "the pattern itself", tenant: "{tenantid}", cause: "names another issuer"},
		{name: "no tenant", tenant: "common", cause: "names another issuer"},
		{name: "something longer", tenant: tenant + "/x", cause: "names another issuer"},
		{name: "document of one tenant", tenant: tenant, discovered: tenant},
		{name: "document of one tenant, token of another", tenant: personal, discovered: tenant, cause: "names another issuer"},
		{name: "domain not proven", tenant: tenant, trust: &trust, edov: "false"},
		{name: "domain proven", tenant: tenant, trust: &trust, edov: "true", verified: true},
		{name: "domain proven, not trusted", tenant: tenant, edov: "true"},
		{name: "the usual flag means nothing", tenant: tenant, trust: &trust},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setupPreset(t, "microsoft", func(pc *ProviderConfig) { pc.TrustEmail = c.trust })
			root := b.op.srv.URL
			b.s.providers["acme"].publish(root + "/common/v2.0")
			b.op.handlers["/common/v2.0/.well-known/openid-configuration"] = b.op.discovery
			b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
			discovered := c.discovered
			if discovered == "" {
				discovered = "{tenantid}"
			}
			b.op.members["issuer"] = quote(root + "/" + discovered + "/v2.0")
			b.op.claims["iss"] = quote(root + "/" + c.tenant + "/v2.0")
			b.op.claims["xms_edov"] = c.edov
			if c.keyIssuer != "" {
				key, _ := b.op.keys[0].MarshalJSON()
				b.op.handlers["/keys"] = func(w http.ResponseWriter, _ *http.Request) {
					answerJSON(w, http.StatusOK, fmt.Sprintf(`{"keys":[%s,"issuer":%s}]}`, strings.TrimSuffix(string(key), "}"), quote(root+"/"+c.keyIssuer+"/v2.0")))
				}
			}
			got, err := b.signIn()
			if c.cause != "" {
				want(t, err, CodeRejected, c.cause)
				return
			}
			if err != nil || got.Issuer != root+"/"+c.tenant+"/v2.0" || got.EmailVerified != c.verified {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// The callback and the token must name the same tenant.
func TestMicrosoftCallbackOfAnotherTenant(t *testing.T) {
	t.Parallel()
	const one, other = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
	b := setupPreset(t, "microsoft")
	b.s.providers["acme"].publish(b.op.srv.URL + "/common/v2.0")
	b.op.handlers["/common/v2.0/.well-known/openid-configuration"] = b.op.discovery
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	b.op.members["issuer"] = quote(b.op.srv.URL + "/{tenantid}/v2.0")
	b.op.claims["iss"] = quote(b.op.srv.URL + "/" + one + "/v2.0")
	for tenant, cause := range map[string]string{one: "", other: "the callback from"} {
		begun := b.begin()
		callback := b.op.authorize(begun.URL)
		callback.Set("iss", b.op.srv.URL+"/"+tenant+"/v2.0")
		_, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
		if cause != "" {
			want(t, err, CodeRejected, cause)
		} else if err != nil {
			t.Error(err)
		}
	}
}

func TestMicrosoftUserInfoIsIgnored(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "microsoft")
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	b.op.claims["email"] = ""
	if got, err := b.signIn(); err != nil || got.Email != "" || b.op.hit("/userinfo") != 0 {
		t.Errorf("got %+v, %v: the address of UserInfo must not be used", got, err)
	}
}

func TestTenantIssuer(t *testing.T) {
	t.Parallel()
	const root, one, other = "https://login.test/", "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
	for _, c := range []struct {
		asked, found string
		ok           bool
	}{
		{root + "common/v2.0", root + "{tenantid}/v2.0", true},
		{root + "consumers/v2.0", root + one + "/v2.0", true},
		{root + "corp.test/v2.0", root + one + "/v2.0", true},
		{root + one + "/v2.0", root + other + "/v2.0", false},
		{root + one + "/v2.0", root + "{tenantid}/v2.0", false},
		{root + "common/v2.0", "https://evil.test/{tenantid}/v2.0", false},
		{root + "common/v2.0", root + "{tenantid}/v1.0", false},
		{root + "common/v2.0", root + "evil/v2.0", false},
	} {
		if got := tenantIssuer(c.asked, c.found); got != c.ok {
			t.Errorf("asked for %s, found %s: got %v", c.asked, c.found, got)
		}
	}
}

func TestLinkedIn(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "linkedin")
	b.op.refusesPKCE = true
	b.op.expect["code_challenge_method"] = ""
	b.op.claims["nonce"], b.op.claims["email_verified"] = "", `"true"`
	if got, err := b.signIn(); err != nil || !got.EmailVerified {
		t.Errorf("got %+v, %v", got, err)
	}
	b.op.claims["nonce"] = `"of another attempt"`
	_, err := b.signIn()
	want(t, err, CodeRejected, "nonce")
	b.op.claims["nonce"], b.op.claims["email_verified"] = "", `"TRUE"`
	if got, err := b.signIn(); err != nil || got.EmailVerified {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	const user = `{"id":583231,"login":"octocat","name":null,"email":"public@x.test"}`
	for name, c := range map[string]struct {
		user, emails string
		want         Identity
		cause        string
	}{
		"primary and verified": {user, `[{"email":"b@x.test","primary":false,"verified":true},{"email":"a@x.test","primary":true,"verified":true}]`,
			Identity{Subject: "583231", Email: "a@x.test", EmailVerified: true, Name: "octocat"}, ""},
		"primary not verified": {user, `[{"email":"a@x.test","primary":true,"verified":false},{"email":"b@x.test","primary":false,"verified":true}]`,
			Identity{Subject: "583231", Email: "a@x.test", Name: "octocat"}, ""},
		"flag as text": {user, `[{"email":"a@x.test","primary":true,"verified":"true"}]`,
			Identity{Subject: "583231", Email: "a@x.test", Name: "octocat"}, ""},
		"none":          {user, `[]`, Identity{Subject: "583231", Name: "octocat"}, ""},
		"a name":        {`{"id":1,"login":"ada","name":"Ada L"}`, `[]`, Identity{Subject: "1", Name: "Ada L"}, ""},
		"no id":         {`{"login":"ada"}`, `[]`, Identity{}, "unusable id"},
		"id null":       {`{"id":null}`, `[]`, Identity{}, "unusable id"},
		"id negative":   {`{"id":-1}`, `[]`, Identity{}, "unusable id"},
		"id a fraction": {`{"id":1.5}`, `[]`, Identity{}, "unusable id"},
		"id zero":       {`{"id":0}`, `[]`, Identity{}, "unusable id"},
		"not a list":    {user, `{"message":"no"}`, Identity{}, "list of addresses"},
		"odd list":      {user, `[7]`, Identity{}, "list of addresses"},
	} {
		b := setupPreset(t, "github")
		b.serve("https://api.github.com/user", c.user)
		b.serve("https://api.github.com/user/emails", c.emails)
		got, err := b.signIn()
		if c.cause != "" {
			want(t, err, CodeRejected, c.cause)
			continue
		}
		c.want.Provider, c.want.Issuer = "acme", "https://github.com/login/oauth"
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// github.com names itself in the callback (RFC 9207) without promising to.
func TestGitHubIssuer(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "github")
	b.serve("https://api.github.com/user", `{"id":1}`)
	b.serve("https://api.github.com/user/emails", `[]`)
	for issuer, ok := range map[string]bool{"https://github.com/login/oauth": true, "https://github.com": false} {
		begun := b.begin()
		callback := b.op.authorize(begun.URL)
		callback.Set("iss", issuer)
		if _, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback); (err == nil) != ok {
			t.Errorf("%s: got %v", issuer, err)
		}
	}
}

func TestDiscord(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]Identity{
		`{"id":"80351110224678912","username":"nelly","global_name":"Nelly","email":"n@x.test","verified":true}`: {Subject: "80351110224678912", Email: "n@x.test", EmailVerified: true, Name: "Nelly"},
		`{"id":"80351110224678912","username":"nelly","global_name":null,"email":"n@x.test","verified":false}`:   {Subject: "80351110224678912", Email: "n@x.test", Name: "nelly"},
		`{"id":"80351110224678912","username":"nelly","email":null,"verified":true,"email_verified":true}`:       {Subject: "80351110224678912", Name: "nelly"},
	} {
		b := setupPreset(t, "discord")
		b.serve("https://discord.com/api/v10/users/@me", profile)
		want.Provider, want.Issuer = "acme", "https://discord.com"
		if got, err := b.signIn(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", profile, got, err)
		}
	}
}

func TestFacebook(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "facebook")
	mac := hmac.New(sha256.New, []byte(testSecret))
	mac.Write([]byte("the-access-token"))
	proof := hex.EncodeToString(mac.Sum(nil))
	const path = "/graph.facebook.com/v25.0/me"
	b.op.handlers[path] = func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("appsecret_proof") != proof || q.Get("fields") != "id,name,email" {
			answerJSON(w, http.StatusBadRequest, "{}")
			return
		}
		answerJSON(w, http.StatusOK, `{"id":"1234","name":"Ada","email":"ada@x.test","verified":true,"email_verified":true,"":true}`)
	}
	want := Identity{Provider: "acme", Issuer: "https://www.facebook.com", Subject: "1234", Email: "ada@x.test", Name: "Ada"}
	if got, err := b.signIn(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	b.op.handlers[path] = status(500)
	_, err := b.signIn()
	if strings.Contains(fmt.Sprint(err), proof) {
		t.Errorf("the cause %v holds the proof", err)
	}
}

func TestPlainOAuthSendsNoNonce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"github", "discord", "facebook"} {
		u, err := url.Parse(setupPreset(t, name).begin().URL)
		if err != nil || u.Query().Has("nonce") {
			t.Errorf("%s: got %v, %v", name, u, err)
		}
	}
}

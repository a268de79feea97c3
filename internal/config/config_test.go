package config_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/internal/config"
	"portico/internal/goldentest"
	"portico/internal/secret"
)

// write creates a file in a folder of the test and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// lineOf returns the number of the line of text that holds a mark.
func lineOf(t *testing.T, text, mark string) int {
	t.Helper()
	before, _, found := strings.Cut(text, mark)
	if !found {
		t.Fatalf("no line contains %q", mark)
	}
	return strings.Count(before, "\n") + 1
}

// lines returns the problems of an error, with the path of the file shortened
// to its name.
func lines(t *testing.T, err error) []string {
	t.Helper()
	var ps config.Problems
	if err == nil {
		return nil
	}
	if !errors.As(err, &ps) {
		t.Fatalf("the error is not of type Problems: %v", err)
	}
	var out []string
	for _, p := range ps {
		p.Source = filepath.Base(p.Source)
		out = append(out, p.String())
	}
	return out
}

var ignoreSources = cmp.Options{cmpopts.IgnoreUnexported(config.Config{}), cmpopts.EquateComparable(netip.Prefix{})}

func TestLoad_Defaults(t *testing.T) {
	t.Parallel()
	got, err := config.Load(write(t, "portico.toml", "# nothing\n"), []string{"PATH=/bin", "PORTICO_UPSTREAM="})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Default(), got, ignoreSources); diff != "" {
		t.Errorf("settings (-default +got):\n%s", diff)
	}
}

const everything = `
public_url = "HTTPS://Login.Example.com:443/"
listen = ":8080"
ops_listen = "[::1]:9080"
database_url = "postgres://portico:canary1@db.example.com/portico?sslmode=verify-full&sslpassword=canary5"
secret_file = "/etc/portico/secret.key"
secret_next_file = "/etc/portico/secret-2.key"
upstream = "http://127.0.0.1:3000"
trusted_proxies = ["10.1.2.3/8", "192.0.2.7"]
smtp_url = "smtps://mailer:canary2@mx.example.com"
mail_from = "Example <no-reply@example.com>"
mail_reply_to = "help@example.com"
mail_dkim_selector = "s1"
return_origins = ["https://app.example.com", "https://*.apps.example.com"]
return_default = "https://app.example.com/start"
locale = "de"
hsts_subdomains = false
profile = "standard"
passkeys = false
admin = false
first_admin = "mara@example.com"
admin_networks = ["10.2.0.0/16"]
mfa.trust = false
mfa.require = ["role:admin", "all"]
mfa.grace = "7d"
audit.keep = "90d"
passkey_origins = ["https://example.net"]
openid.client_documents = true
openid.registration = true
openid.client_origins = ["https://claude.ai"]

rules = ["public GET /static/*",
  "signed-in /*"] # rules of app
paths = "as-sent"
headers = ["Remote-User: email"]
extra_claims = ["tenant = 'acme'"]
audience = "https://login.example.com/"
access_tokens = true
tokens = true
upstream_timeout = "2m"
upstream_silence = "8s"
body_pace = 1000
body_wait = "5s"
body_buffer_kib = 64
on_user_change = "clear-cookies"
keep_cookies = ["lang"]

[brand]
name = "Example"
colour = "#0B6E42"
gradient = ["#2f8f5b", "#0b6e42"]
radius = 4
scheme = "auto"

[legal]
imprint = "https://example.com/imprint"
privacy = "https://example.com/privacy?from=login"
terms = "https://example.com/terms"
terms_version = "2026-01"

[signin]
code = true
legacy = "http://127.0.0.1:3001/portico-password"
legacy_secret = "whsec_Y2FuYXJ5Mi1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
legacy_secret_next = "whsec_Y2FuYXJ5My1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
legacy_until = "2026-12-31"
legacy_private = true

[signup]
mode = "closed"
domains = ["example.com", "Bücher.example"]
ask = "http://127.0.0.1:3002/portico-sign-up"
ask_secret = "whsec_Y2FuYXJ5Mi1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
ask_secret_next = "whsec_Y2FuYXJ5My1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
ask_failure = "open"
ask_private = true
name = "optional"

[password]
profile = "nist"
min = 16
hash = "auto"
signins_per_second = 25

[hashing]
memory_mib = 64
passes = 3
slots = 4
queue = 40

[session]
idle = "12h"
absolute = "14d"

[log]
level = "debug"
format = "text"

[providers.google]
client_id = "g-id"
client_secret = "canary3"
trust_email = true
audiences = ["project-7"]
mfa_amr = ["mfa", "hwk"]
mfa_acr = ["urn:example:gold"]
scopes = ["openid", "email", "groups"]
roles_claim = "realm_access.roles"
roles = { "staff" = "role:staff", "cn=admins,dc=example" = "role:portico:admin" }

[providers]
corp = { client_id = "c-id", client_secret = "canary4", issuer = "https://id.corp.test/realms/a", name = "Corp" }

[[app]] # rules of shop: it has none
name = "shop"
path = "/shop"
upstream = "https://10.0.0.7:8443"
upstream_timeout = "90s"
upstream_silence = "20s"
on_user_change = "sign-out-url"
sign_out_url = "/shop/logout"

[[app]]
name = "wiki"
host = "wiki.example.com"
audience = "https://wiki.example.com/"
access_tokens = true
rules = [
  "public GET /*",
  "role:editor /*", # rules of wiki
]
paths = "as-sent"
headers = ["Remote-User: id", "Remote-Groups: roles"]
extra_claims = ["https://example.com/quota = claim.quota", "tenant='acme'"]

[[client]]
id = "miniflux"
secret = "canary7-of-at-least-24-characters"
secret_next = "canary8-of-at-least-24-characters"
redirect_uris = ["https://feeds.example.com/oauth2/oidc/callback"]
scopes = ["openid", "email"]
id_token_claims = ["email"]
extra_claims = ["upn=email", "tenant='acme'", "quota = claim.limits.quota"]
id_token_alg = "RS256"
pkce = false
post_logout_redirect_uris = ["https://feeds.example.com/bye"]
backchannel_logout_uri = "http://miniflux:8080/logout"
name = "Miniflux"
consent = true
rules = ["role:reader"]
require_par = true
dpop = true
grants = ["authorization_code", "client_credentials"]
client_scopes = ["reports:read"]
resources = ["https://api.example.com"]
access_token = "jwt"
serves = ["https://feeds.example.com"]

[[client]]
id = "notes"
public = true
redirect_uris = ["http://127.0.0.1/callback",
  "com.example.notes:/callback"] # redirects of notes

[[client]]
id = "bank"
jwks = '''
{"keys": []}
'''
redirect_uris = ["https://bank.example.com/callback"]

[[webhook]]
name = "shop"
url = "http://127.0.0.1:3000/events"
events = ["account.created"]
secret = "whsec_Y2FuYXJ5OS1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
secret_next = "whsec_Y2FuYXJ5MS1vZi1hdC1sZWFzdC0yNC1ieXRlcw=="
private = true

[tls]
cert_file = "/etc/portico/cert.pem"
key_file = "/etc/portico/key.pem"
acme_directory = "https://ca.example.com/acme/directory"
acme_email = "ops@example.com"
http_listen = ":8079"

[tracing]
endpoint = "https://traces.example.com/otlp/v1/traces"
header = "X-Key: canary6"
sample_ratio = 0.25
`

func TestLoad_Everything(t *testing.T) {
	t.Parallel()
	c, err := config.Load(write(t, "portico.toml", everything), nil)
	if err != nil {
		t.Fatal(err)
	}
	cut := func(s string) string { // the sources
		var b strings.Builder
		for line := range strings.Lines(s) {
			line, _, _ = strings.Cut(line, " #")
			b.WriteString(line + "\n")
		}
		return b.String()
	}
	got := cut(c.Show())
	goldentest.File(t, "testdata/everything.toml", got)
	for i, secret := range []string{c.DatabaseURL, c.SMTPURL, c.Providers[0].ClientSecret, c.Providers[1].ClientSecret, c.DatabaseURL, c.Tracing.Header, c.Clients[0].Secret, c.Clients[0].SecretNext} {
		if canary := "canary" + strconv.Itoa(i+1); !strings.Contains(secret, canary) {
			t.Errorf("%s is not where it belongs: %s", canary, secret)
		}
	}
	if c.Clients[2].Keys != `{"keys":[]}` || c.Apps[1].Key != "app.2" {
		t.Errorf("keys %q, the second app %q", c.Clients[2].Keys, c.Apps[1].Key)
	}

	// Some settings need a file, and sign_out_url does not go with keep_cookies.
	absent := []string{"texts", "places", "brand.logo", "brand.logo_dark", "brand.favicon", "brand.font", "sign_out_url", "tls.acme", "tls.ca_file"}
	for _, e := range c.Entries() {
		inTable := strings.HasPrefix(e.Key, "providers.") || strings.HasPrefix(e.Key, "app.") || strings.HasPrefix(e.Key, "client.") || strings.HasPrefix(e.Key, "webhook.")
		if e.Source == "default" && !inTable && !slices.Contains(absent, e.Key) {
			t.Errorf("the sample everything lacks %s: add it", e.Key)
		}
	}

	shown := c.Show()
	if strings.Contains(shown, "canary") {
		t.Errorf("a secret is shown:\n%s", shown)
	}
	again, err := config.Load(write(t, "portico.toml", shown), nil)
	if err != nil {
		t.Fatalf("the shown settings cannot be loaded: %v\n%s", err, shown)
	}
	if again.Show() == shown {
		t.Error("the sources do not name the second file")
	}
	if diff := cmp.Diff(cut(shown), cut(again.Show())); diff != "" {
		t.Errorf("settings shown, loaded and shown again (-first +second):\n%s", diff)
	}
}

func TestServed(t *testing.T) {
	t.Parallel()
	c, err := config.Load(write(t, "portico.toml", everything), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range c.Served() {
		got = append(got, strings.Join([]string{a.Name, a.Host, a.Path, a.Audience, strings.Join(a.Rules, ";"), filepath.Base(c.Source(a.Setting("rules", 1)))}, " | "))
	}
	want := []string{
		"shop | login.example.com | /shop | shop | signed-in /shop/* | portico.toml:",
		"wiki | wiki.example.com | / | https://wiki.example.com/ | public GET /*;role:editor /* | portico.toml:",
		"app | login.example.com | / | https://login.example.com/ | public GET /static/*;signed-in /* | portico.toml:",
	}
	for i := range want {
		name, _, _ := strings.Cut(want[i], " ")
		want[i] += strconv.Itoa(lineOf(t, everything, "# rules of "+name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the apps (-want +got):\n%s", diff)
	}
}

// Apple gives its key as a PEM file, which has several lines.
func TestLoad_KeyOnSeveralLines(t *testing.T) {
	t.Parallel()
	const pem = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
	key := write(t, "AuthKey_1.p8", pem+"\n")
	c, err := config.Load(write(t, "portico.toml", "[providers.apple]\nclient_id = \"x\"\nteam_id = \"t\"\nkey_id = \"k\"\nprivate_key_file = \""+key+"\"\n"), nil)
	if err != nil || c.Providers[0].PrivateKey != pem {
		t.Errorf("%q: %v", c.Providers[0].PrivateKey, err)
	}
}

func TestLoad_EnvironmentWins(t *testing.T) {
	t.Parallel()
	password := write(t, "smtp", "smtps://u:canary@mx.example.com\n")
	clientSecret := write(t, "client", "from a file\r\n")
	file := write(t, "portico.toml", "listen = \"wrong, but replaced\"\nsmtp_url = \"smtps://other.example.com\"\n[session]\nidle = \"1d\"\n")
	c, err := config.Load(file, []string{
		"PORTICO_LISTEN=:1", "PORTICO_SMTP_URL_FILE=" + password, "PORTICO_SMTP_URL=", "PORTICO_TRUSTED_PROXIES=10.0.0.0/8, fd00::/8",
		"PORTICO_SIGNUP_MODE=closed", "PORTICO_TRACING_SAMPLE_RATIO=0.5", "PORTICO_HASHING_SLOTS=3", "PORTICO_SESSION_ABSOLUTE=45m",
		"PORTICO_SESSION_IDLE=30m", "PORTICO_PROVIDERS_MY_CORP_CLIENT_ID=id", "PORTICO_PROVIDERS_MY_CORP_CLIENT_SECRET_FILE=" + clientSecret,
		"PORTICO_PROVIDERS_MY_CORP_ISSUER=https://id.test", "PORTICO_PROVIDERS_MY_CORP_NAME=Corp", "PORTICO_PROVIDERS_MY_CORP_TRUST_EMAIL=true",
		"PORTICO_PROVIDERS_GITHUB_CLIENT_ID=", "PORTICO_PROVIDERS_GITHUB_CLIENT_SECRET=",
		"PORTICO_SERVICE_HOST=10.0.0.1", "PORTICO_PORT=tcp://10.0.0.1:80", "PORTICO_PORT_80_TCP_ADDR=10.0.0.1", "PORTICO_CONFIG=ignored",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Listen = ":1"
	want.SMTPURL = "smtps://u:canary@mx.example.com"
	want.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	want.SignUp.Mode = "closed"
	want.Tracing.SampleRatio = 0.5
	want.Hashing.Slots = 3
	want.Session.Idle, want.Session.Absolute = 30*time.Minute, 45*time.Minute
	want.Providers = []config.Provider{{ID: "my_corp", Preset: "openid", Issuer: "https://id.test", Name: "Corp", ClientID: "id", ClientSecret: "from a file", TrustEmail: true}}
	if diff := cmp.Diff(want, c, ignoreSources); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestLoad_FindsTheFile(t *testing.T) {
	path := write(t, "portico.toml", "listen = \":1\"\n")
	t.Chdir(t.TempDir()) // t.Chdir changes the whole process, so only this test is not parallel
	for name, c := range map[string]struct {
		path    string
		environ []string
		listen  string
	}{
		"nowhere":            {"", nil, "127.0.0.1:8080"},
		"by the environment": {"", []string{"PORTICO_CONFIG=" + path}, ":1"},
		"by its path":        {path, []string{"PORTICO_CONFIG=/nonexistent"}, ":1"},
	} {
		got, err := config.Load(config.Find(c.path, c.environ, ""), c.environ)
		if err != nil || got.Listen != c.listen {
			t.Errorf("%s: listen %q, %v; want %q", name, got.Listen, err, c.listen)
		}
	}
	if _, err := config.Load("nonexistent.toml", nil); err == nil {
		t.Error("a named file that does not exist is no error")
	}
	if err := os.WriteFile("portico.toml", []byte("listen = \":2\""), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := config.Load("", nil); err != nil || got.Listen != ":2" {
		t.Errorf("portico.toml of the folder: listen %q, %v", got.Listen, err)
	}
}

func TestCheckServe(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "secret.key")
	if _, err := secret.CreateKey(key); err != nil {
		t.Fatal(err)
	}
	open := write(t, "open.key", "x")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	complete := []string{"PORTICO_PUBLIC_URL=https://login.test", "PORTICO_SMTP_URL=smtp://mx.test:587", "PORTICO_MAIL_FROM=a@login.test", "PORTICO_SECRET_FILE=" + key}
	cases := []struct {
		name    string
		environ []string
		keys    []string
	}{
		{"complete", complete, nil},
		{"nothing set", nil, []string{"public_url", "smtp_url", "mail_from"}},
		{"no key yet on SQLite", append(complete[:3:3], "PORTICO_SECRET_FILE=/nonexistent"), nil},
		{"no key yet on PostgreSQL", append(complete[:3:3], "PORTICO_SECRET_FILE=/nonexistent", "PORTICO_DATABASE_URL=postgres://localhost/portico"), []string{"secret_file"}},
		{"a key that others may read", append(complete[:3:3], "PORTICO_SECRET_FILE="+open), []string{"secret_file"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			settings, err := config.Load(write(t, "portico.toml", ""), c.environ)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			var ps config.Problems
			if errors.As(settings.CheckServe(), &ps) {
				for _, p := range ps {
					keys = append(keys, p.Key)
				}
			}
			if diff := cmp.Diff(c.keys, keys); diff != "" {
				t.Errorf("keys with problems (-want +got):\n%s\n%v", diff, ps)
			}
		})
	}
}

// The effective settings of the profile nist (NIST SP 800-63B-4). TestNIST of package
// flow has the numbers that no setting changes.
func TestLoad_NIST(t *testing.T) {
	t.Parallel()
	c, err := config.Load(write(t, "portico.toml", `profile = "nist"`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		section   string
		got, want any
	}{
		{"2.2.1: two factors", c.MFA.Require, []string{"all"}},
		{"2.2.1: from the first session", c.MFA.Grace, time.Duration(0)},
		{"2.2.2: an option that resists phishing", c.Passkeys, true},
		{"2.2.3: overall", c.Session.Absolute, 24 * time.Hour},
		{"2.2.3: idle", c.Session.Idle, time.Hour},
		{"3.1.1.2: a password alone", c.Password, config.Password{Profile: "nist", Hash: "fixed", SignInsPerSecond: 10}},
		{"3.1.3.1: no email in place of a password", c.SignIn.Code, false},
		{"5.1: no remembered browser", c.MFA.Trust, false},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.section, diff)
		}
	}
	stricter := "profile = \"nist\"\n[session]\nabsolute = \"12h\"\nidle = \"15m\"\n[password]\nmin = 20"
	if c, err = config.Load(write(t, "portico.toml", stricter), nil); err != nil || c.Session.Absolute != 12*time.Hour || c.Session.Idle != 15*time.Minute {
		t.Errorf("stricter values give %v (%v)", c.Session, err)
	}
	if c, err = config.Load(write(t, "portico.toml", "profile = \"nist\"\n[session]\nabsolute = \"30m\""), nil); err != nil || c.Session.Idle != 30*time.Minute {
		t.Errorf("a short session has the idle time %v (%v)", c.Session.Idle, err)
	}
}

// A value of a claim may have the characters that separate names and items, and the table may be
// written in each way that TOML has.
func TestLoad_RolesOfAProvider(t *testing.T) {
	t.Parallel()
	want := []config.RoleMapping{{Value: "a b", Role: "staff"}, {Value: "cn=x,dc=y", Role: "portico:admin"}, {Value: "p.q", Role: "staff"}}
	for _, written := range []string{
		"[providers.corp]\nroles = { \"a b\" = \"role:staff\", \"cn=x,dc=y\" = \"role:portico:admin\", \"p.q\" = \"role:staff\" }\n",
		"[providers.corp.roles]\n\"a b\" = \"role:staff\"\n\"cn=x,dc=y\" = \"role:portico:admin\"\n\"p.q\" = \"role:staff\"\n",
		"[providers.corp]\nroles.\"a b\" = \"role:staff\"\nroles.\"cn=x,dc=y\" = \"role:portico:admin\"\nroles.\"p.q\" = \"role:staff\"\n",
	} {
		c, _ := config.Load(write(t, "portico.toml", written), nil)
		if len(c.Providers) != 1 {
			t.Fatalf("%s: no provider", written)
		}
		if diff := cmp.Diff(want, c.Providers[0].Roles); diff != "" {
			t.Errorf("%s (-want +got):\n%s", written, diff)
		}
	}
	c, _ := config.Load(write(t, "portico.toml", ""), []string{"PORTICO_PROVIDERS_CORP_ROLES=a b=role:staff, p.q=role:staff"})
	if len(c.Providers) != 1 || len(c.Providers[0].Roles) != 2 {
		t.Errorf("the environment gives %+v", c.Providers)
	}
}

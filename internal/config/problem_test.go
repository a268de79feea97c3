package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/config"
)

// TestLoad_AllProblemsAtOnce compares the lines that an operator reads.
func TestLoad_AllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	file := write(t, "portico.toml", `public_url = "http://login.example.com"
lissten = ":8080"
trusted_proxies = ["10.0.0.0/8", "everywhere"]

[session]
idle = 7
absolute = "7x"

[password]
min = "8"
profile = "paranoid"

[brand]
nmae = "x"

[providers.google]
clientid = "x"

[[servers]]
name = "x"
`)
	_, err := config.Load(file, []string{"PORTICO_LOG_LEVEL=loud", "PORTICO_PUBLIC_ULR=x", "PORTICO_HASHING_PASSES=1", "PORTICO_PROVIDERS_GOOGLE_CLIENTID=x", "PORTICO_NONSENSE=x", "PORTICO_SIGNUP=no", "PORTICO_SIGNUP_ENABLED=false", "PORTICO_SIGNUP_MODE=invite"})
	want := []string{
		"environment: PORTICO_HASHING_PASSES: 1 is out of range: write a number from 2 to 32",
		`environment: PORTICO_LOG_LEVEL: "loud" is not a known value: write one of debug, info, warn, error`,
		"environment: PORTICO_NONSENSE: unknown setting: remove it; 'portico config doc' lists the settings",
		"environment: PORTICO_PROVIDERS_GOOGLE_CLIENTID: unknown setting: write PORTICO_PROVIDERS_GOOGLE_CLIENT_ID",
		"environment: PORTICO_PUBLIC_ULR: unknown setting: write PORTICO_PUBLIC_URL",
		"environment: PORTICO_SIGNUP: unknown setting: it has settings of its own: write one of them, such as PORTICO_SIGNUP_MODE",
		"environment: PORTICO_SIGNUP_ENABLED: unknown setting: remove it; 'portico config doc' lists the settings",
		`environment: PORTICO_SIGNUP_MODE: "invite" is not a known value: write invited, or another one of open, invited, approved, closed`,
		"portico.toml:1: public_url: http://login.example.com would send passwords unencrypted: write https://host or https://host:port, without a path; http is allowed for localhost only",
		"portico.toml:2: lissten: unknown setting: write listen",
		`portico.toml:3: trusted_proxies: "everywhere" is not a network: write networks such as 10.0.0.0/8 or fd00::/8`,
		"portico.toml:6: session.idle: the value is not a duration: write a time from 5m to 365d, such as 30d, 12h or 45m",
		"portico.toml:7: session.absolute: the value is not a duration: write a time from 5m to 365d, such as 30d, 12h or 45m",
		"portico.toml:10: password.min: the value is not a whole number: write a number from 0 to 64",
		`portico.toml:11: password.profile: "paranoid" is not a known value: write one of standard, nist`,
		"portico.toml:14: brand.nmae: unknown setting: write brand.name",
		"portico.toml:17: providers.google.clientid: unknown setting: write providers.google.client_id",
		"portico.toml:19: servers: unknown setting: remove it; 'portico config doc' lists the settings",
		"portico.toml:17: providers.google.client_secret: the provider is incomplete: write the client secret from that registration, or providers.google.client_secret_file",
	}
	if diff := cmp.Diff(want, lines(t, err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// One mistake hides no other, and a problem that only follows from another is
// not reported.
func TestLoad_OneMistakeHidesNoOther(t *testing.T) {
	t.Parallel()
	file := write(t, "portico.toml", `listen = "x"
ops_listen = "127.0.0.1:8080"
trusted_proxies = ["everywhere",
  "10.0.0.0/8",
  "nowhere"]
return_origins = ["ftp://a.test", "https://app.test", "app.test"]
return_default = "https://app.test/"

[password]
min = 4

[session]
idle = "31d"

[providers.corp]
client_idd = "x"
client_secret = "y"

[providers.My-Corp]
client_id = "x"
`)
	_, err := config.Load(file, nil)
	want := []string{
		`portico.toml:1: listen: "x" is not an address to listen on: write host:port, such as 127.0.0.1:8080, or :8080 for every network`,
		`portico.toml:3: trusted_proxies: "everywhere" is not a network: write networks such as 10.0.0.0/8 or fd00::/8`,
		`portico.toml:5: trusted_proxies: "nowhere" is not a network: write networks such as 10.0.0.0/8 or fd00::/8`,
		`portico.toml:6: return_origins: "ftp://a.test" is not the origin of an app: write https://app.example.com or https://*.apps.example.com`,
		`portico.toml:6: return_origins: "app.test" is not the origin of an app: write https://app.example.com or https://*.apps.example.com`,
		"portico.toml:16: providers.corp.client_idd: unknown setting: write providers.corp.client_id",
		"portico.toml:20: providers.My-Corp.client_id: unknown setting: name the provider in lower-case letters, digits and _, such as [providers.corp]",
		"portico.toml:13: session.idle: it is longer than session.absolute: write at most 30d",
		"portico.toml:10: password.min: 4 is less than the profile standard requires: write 8 or more, or 0",
		"portico.toml:16: providers.corp.issuer: this provider has no preset: write its issuer, such as https://id.example.com, or providers.corp.preset",
		"portico.toml:16: providers.corp.name: this provider has no preset: write the name for its button",
	}
	if diff := cmp.Diff(want, lines(t, err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Lines appended to a file belong to its last table. The message says where to
// move them, and the setting is not reported as missing.
func TestLoad_BelowATable(t *testing.T) {
	t.Parallel()
	file := write(t, "portico.toml", `[providers.google]
client_id = "x"
client_secret = "y"

upstream = "http://127.0.0.1:3000"
rules = ["signed-in /*"]
public_url = "https://login.example.com"
`)
	cfg, err := config.Load(file, nil)
	var want []string
	for i, name := range []string{"upstream", "rules", "public_url"} {
		want = append(want, fmt.Sprintf("portico.toml:%d: providers.google.%s: unknown setting: move %s above the first [table] of the file", i+5, name, name))
	}
	if diff := cmp.Diff(want, lines(t, err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if err := cfg.CheckServe(); err != nil && strings.Contains(err.Error(), "public_url") {
		t.Errorf("the setting is said to be missing as well: %v", err)
	}
}

func TestLoad_Syntax(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no quotes":        "\n\nlisten = :8080\n",
		"twice":            "listen = \":1\"\n\nlisten = \":2\"\n",
		"open":             "\n\nsmtp_url = \"smtp://u:canary@x",
		"a table as value": "listen = \":1\"\n\n[listen]\nx = 1\n",
	} {
		_, err := config.Load(write(t, "portico.toml", text), nil)
		got := lines(t, err)
		if len(got) != 1 || !strings.HasPrefix(got[0], "portico.toml:3: TOML: ") || strings.Contains(got[0], "canary") {
			t.Errorf("%s: %q, want one problem of line 3", name, got)
		}
	}
}

// Each row is one wrong value and a part of its message.
func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	image := write(t, "logo.exe", "x")
	const own = "public_url = \"https://login.test\"\n[[client]]\nid = \"a\"\n"
	folder := t.TempDir() + "/logo.png"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	empty := write(t, "empty", "\n")
	cases := []struct{ text, want string }{
		{`public_url = "https://login.test/auth"`, "not the address of a site (something follows the host): write https://host or https://host:port, without a path"},
		{`public_url = "https://canary@login.test"`, "not the address of a site (it names a user)"},
		{`public_url = "https://login.test?x"`, "not the address of a site"},
		{`public_url = "login.test"`, "not the address of a site (it does not begin with https:// or http://)"},
		{`public_url = "ftp://login.test"`, "not the address of a site"},
		{`public_url = "https://login.test."`, "not the address of a site (\"login.test.\" is not a host)"},
		{`public_url = 1`, "not the address of a site"},
		{`listen = "8080"`, "not an address to listen on"},
		{`listen = "127.0.0.1:http"`, "not an address to listen on"},
		{`listen = "127.0.0.1:65536"`, "not an address to listen on"},
		{`listen = "a b:80"`, "not an address to listen on"},
		{`listen = "127.0.0.256:80"`, "not an address to listen on"},
		{`ops_listen = "http://127.0.0.1:9080"`, "not an address to listen on"},
		{`listen = ":9080"`, "address of the public listener"},
		{`listen = 8080`, "in quotes"},
		{`database_url = "mysql://u:canary@x/y"`, "neither SQLite nor PostgreSQL"},
		{`database_url = "sqlite:"`, "the path is missing"},
		{`database_url = "sqlite::memory:"`, "an installation is kept in a file"},
		{"database_url = \"sqlite:data/p\"\nsecret_file = \"data//p\"", "secret_file: it is the file of the database"},
		{`database_url = "postgres://u:canary@db.test/p"`, "db.test could silently continue without TLS"},
		{`database_url = "postgres://u:canary@db.test/p?sslmode=prefer"`, "without TLS"},
		{`database_url = "postgres:///p?host=db.test"`, "to db.test could silently continue without TLS"},
		{`database_url = "postgres://u:p@canary/x@db.test/p"`, "write / as %2F and @ as %40"},
		{`database_url = "postgres://u:p@canary#x@db.test/p"`, "write # as %23 and @ as %40"},
		{`database_url = "postgres://u:p@canary?x@db.test/p"`, "write ? as %3F and @ as %40"},
		{`database_url = "postgres://u:canary#x@db.test/p"`, "write # as %23"},
		{`database_url = "postgres://u:can%ary@db.test/p"`, "write % as %25"},
		{`database_url = "sqlite://portico.db"`, "write sqlite:portico.db, or sqlite:///portico.db for an absolute path"},
		{`database_url = "sqlite://data/p.db"`, "write sqlite:data/p.db, or sqlite:///data/p.db"},
		{`tls.ca_file = "/nowhere/ca.pem"`, "no such file"},
		{`tls.ca_file = "problem_test.go"`, "no certificate in PEM"},
		{`paths = "raw"`, "write one of strict, as-sent"},
		{`signup.mode = ""`, "write one of open, invited, approved, closed"},
		{`signup.domains = ["mara@example.com"]`, "write what follows the @"},
		{`signup.domains = ["*.example.com"]`, "is not a domain of email addresses"},
		{`signup.domains = ["192.0.2.1"]`, "is not a domain of email addresses"},
		{`signup.domains = ["example.com."]`, "is not a domain of email addresses"},
		{`signup.domains = ["localhost"]`, "is not a domain of email addresses"},
		{`smtp_url_file = "/nonexistent/canary-free"`, "smtp_url_file: /nonexistent/canary-free: no such file"},
		{`signup = "closed"`, "signup: unknown setting: it has settings of its own: write one of them, such as signup.mode"},
		{`smtp_url_file = "` + empty + `"`, "is empty"},
		{`smtp_url_file = 1`, "not a path"},
		{"smtp_url = \"smtp://a\"\nsmtp_url_file = \"b\"", "the same setting is given by smtp_url"},
		{`mail_dkim_selector = "s1._domainkey.example.com"`, "is not a selector"},
		{`legal.imprint = "/imprint"`, "not the address of a page"},
		{`legal.privacy = "javascript:alert(1)"`, "not the address of a page"},
		{`legal.privacy = "https://a:b@example.com/"`, "not the address of a page"},
		{`legal.terms = "https://example.com/terms"`, "legal.terms_version"},
		{`legal.terms_version = "2"`, "legal.terms"},
		{`legal.terms_version = "first draft"`, "not a version"},
		{`trusted_proxies = ["0.0.0.0/0"]`, "lets every client choose"},
		{`trusted_proxies = ["::ffff:10.0.0.0/104"]`, "IPv4 written as IPv6"},
		{`trusted_proxies = "10.0.0.0/8"`, "not a list"},
		{`trusted_proxies = [10]`, "not a list"},
		{"[tracing]\nendpoint = \"localhost:4318\"", "not the address of a collector"},
		{"[tracing]\nendpoint = \"http://u:canary@localhost:4318\"", "not the address of a collector"},
		{"[tracing]\nheader = \"canary\"", "not a header"},
		{"[tracing]\nendpoint = \"http://traces.test:4318\"\nheader = \"X-Key: canary\"", "unencrypted"},
		{"[tracing]\nheader = \"X Key: canary\"", "not a header"},
		{"[tracing]\nsample_ratio = 1.5", "not between 0 and 1"},
		{"[tracing]\nsample_ratio = nan", "not between 0 and 1"},
		{"[tracing]\nsample_ratio = \"0.5\"", "not between 0 and 1"},
		{`return_origins = ["https://*.com"]`, "not the origin of an app"},
		{`return_origins = ["https://a.*.test"]`, "not the origin of an app"},
		{`return_origins = ["http://app.test"]`, "does not use https"},
		{`return_origins = ["https://app.test/path"]`, "not the origin of an app"},
		{`return_default = "//evil.test"`, "not a page to return to"},
		{`return_default = "https://app.test/x"`, "not one of return_origins"},
		{`upstream = "127.0.0.1:3000"`, "not the address of an app"},
		{`public_url = "https://my_login.test"`, "not the address of a site (browsers and certificates do not accept a host with _)"},
		{`passkey_origins = ["https://my_login.test"]`, "not the origin of a site"},
		{`return_origins = ["https://my_app.test"]`, "not the origin of an app"},
		{`upstream = "http://my app:3000"`, "not the address of an app"},
		{`upstream = "http://app/path"`, "not the address of an app"},
		{"[[app]]\nname = \"a\"\nhost = \"my_app.test\"", "not a host"},
		{"listen = \"127.0.0.1:3000\"\nupstream = \"http://localhost:3000\"", "Portico itself listens on this address"},
		{`rules = ["signed-in /*"]`, "upstream: it is missing, and there are settings for its app: rules"},
		{`headers = ["Remote-User: id"]`, "settings for its app: headers"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"sub = claim.x\"]", "the claim sub already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"a = claim.sub.x\"]", "no account can have a claim sub"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"a = claim.exp\"]", "no account can have a claim exp"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"iss = claim.x\"]", "the claim iss already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"exp = claim.x\"]", "the claim exp already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"email = claim.x\"]", "the claim email already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"email_verified = claim.x\"]", "the claim email_verified already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"groups = claim.x\"]", "the claim groups already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"picture = claim.x\"]", "the claim picture already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"name = claim.x\"]", "the claim name already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"preferred_username = claim.x\"]", "the claim preferred_username already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"scope = claim.x\"]", "the claim scope already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"sub=claim.x\"]", "the claim sub already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"aud=claim.x\"]", "the claim aud already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"roles=claim.x\"]", "the claim roles already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"email=claim.x\"]", "the claim email already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"amr=claim.x\"]", "the claim amr already has a meaning"},
		{"[[app]]\nname = \"a\"\nextra_claims = [\"upn=email\"]", "is not a claim of an account"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"a=claim.\"]", "is not a claim"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"a=claim.b..c\"]", "is not a claim"},
		{"[providers.google]\naudience = [\"x\"]", "unknown setting: write providers.google.audiences"},
		{"[providers.google.roles]\n\n\"a\" = \"role:a\"\n\"b\" = \"B\"", "portico.toml:4: providers.google.roles: \"B\" does not name a role"},
		{"[providers.google]\nroles = { \"\" = \"role:a\" }", "does not name a value of the claim"},
		{"[providers.google]\nroles = { \"a\" = { b = \"role:a\" } }", "not a table of texts"},
		{"[providers.google]\nroles = 7", "not a table of texts"},
		{`rules = "signed-in /*"`, "not a list"},
		{`app = [{name = "a"}]`, "[[app]] in two brackets"},
		{"[app]\nname = \"a\"", "[[app]] in two brackets"},
		{"[[app]]", "portico.toml:1: app.1.name: the app has no name"},
		{"[[app]]\nname = \"a\"\n\n[[app]]\npath = \"/b\"", "portico.toml:4: app.2.name: the app has no name"},
		{"[[app]]\nname = \"a\"\n\n[[app]]\nname = \"a\"\npath = \"/b\"", "portico.toml:5: app.2.name: another app"},
		{"[[app]]\nname = \"a\"\n\n[[app]]\nname = \"b\"\nupstream = \"http://x\"", "portico.toml:6: app.2.upstream: the app a has the same"},
		{"upstream = \"http://x\"\n[[app]]\nname = \"a\"", "the app a has the same"},
		{`client = [{id = "a"}]`, "[[client]] in two brackets"},
		{"[[client]]", "portico.toml:1: client.1.id: the client has no id"},
		{"[[client]]\nid = \"a\"", "client.1.redirect_uris: the client has no address"},
		{"[[client]]\nid = \"a b\"", "client.1.id: \"a b\" is not the id"},
		{"[[client]]\nid = \"a\"", "client.1.secret: the client has no secret"},
		{"[[client]]\nid = \"a\"\npublic = true\nsecret = \"x\"", "a public client has no secret"},
		{"[[client]]\nid = \"a\"\npublic = true\npkce = false", "a public client needs a code challenge"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\nsecret_hash = \"" + strings.Repeat("0", 64) + "\"", "client.1.id: the client has more than one secret"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\njwks_uri = \"https://a.test/jwks\"", "client.1.id: the client has more than one secret"},
		{"[[client]]\nid = \"a\"\npublic = true\njwks_uri = \"https://a.test/jwks\"", "a public client has no secret"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"upn\"]", "client.1.extra_claims: \"upn\" is not a claim"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"sub=email\"]", "client.1.extra_claims: the claim sub already has a meaning"},
		{"[[client]]\nid = \"a\"\nextra_claims = [\"upn=phone\"]", "client.1.extra_claims: unknown claim phone"},
		{"[[client]]\nid = \"a\"\njwks = \"keys\"", "client.1.jwks: the value is not a set of keys"},
		{"[[client]]\nid = \"a\"\njwks_file = \"/nonexistent/x\"", "client.1.jwks_file:"},
		{"[[client]]\nid = \"a\"\njwks_uri = \"/jwks\"", "is not an address to call: write https://app.example.com/jwks.json"},
		{"[[client]]\nid = \"a\"\npublic = true\ngrants = [\"client_credentials\"]", "client.1.grants: a public client does not authenticate"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\nclient_scopes = [\"b\"]", "client.1.client_scopes: the client gets no tokens for itself"},
		{"[[client]]\nid = \"a\"\nclient_scopes = [\"openid\"]", "is not a scope for the client itself"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\ngrants = [\"client_credentials\"]\nredirect_uris = [\"https://a.test/b\"]", "the client does not sign users in"},
		{"[[client]]\nid = \"a\"\nresources = [\"api\"]", "is not the name of a server"},
		{"[[app]]\nname = \"a\"\nhost = \"a.test\"\naudience = \"https://a.test/\"\n[[client]]\nid = \"b\"\nresources = [\"https://a.test/\"]", "client.1.resources.1: it is the audience of the app a"},
		{"[[client]]\nid = \"a\"\nsecret_next = \"x\"", "client.1.secret_next: there is a second secret"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\nsecret_next = \"x\"\nsecret_next_hash = \"" + strings.Repeat("0", 64) + "\"", "the second secret is given twice"},
		{"[[client]]\nid = \"a\"\nsecret_hash = \"abc\"", "is not a SHA-256"},
		{"[[client]]\nid = \"a\"\n[[client]]\nid = \"a\"", "another client has the id a"},
		{"[[app]]\nname = \"a\"\n[[client]]\nid = \"a\"", "the audience of the app a"},
		{"[[client]]\nid = \"a\"\nscopes = [\"email\"]", "the scope openid is missing"},
		{"[[client]]\nid = \"a\"\nscopes = [\"phone\"]", "is not a known value"},
		{"[[client]]\nid = \"a\"\nsecret = \"x\"\nredirect_uris = [\"com.example.a:/b\"]", "only an app on a user's device"},
		{"[[client]]\nid = \"a\"\nredirect_uri = [\"https://a.test/b\"]", "write client.1.redirect_uris"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"http://a.test/b\"]", "does not use https"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://a.test/b#c\"]", "is not an address to return to: it contains a fragment (#), and OAuth forbids one here: write https://"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://*.a.test/b\"]", "to return to: it contains a *, but addresses are compared as a whole"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://u@a.test/b\"]", "it contains a user name"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"myapp://callback\"]", "the scheme of an app is the name of a domain in reverse, with a dot"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://app.test/ü\"]", "percent-encode it in a path"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"a.test/cb\"]", "it does not begin with a scheme such as https://"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"javascript:alert(1)\"]", "to return to: its scheme is not https"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"/b\"]", "to return to: it does not begin with a scheme"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://a.test\\\\b\"]", "to return to: it contains a backslash"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https://a.test:x/b\"]", "to return to: it is not a URL"},
		{"[[client]]\nid = \"a\"\nredirect_uris = [\"https:///b\"]", "to return to: its host or port is missing"},
		{own + "redirect_uris = [\"https://a.test/b\", \"https://login.test/b\"]", "client.1.redirect_uris.2: https://login.test/b is on the host of Portico, where there is no app"},
		{own + "redirect_uris = [\"https://LOGIN.test:443/shop/b\"]", "is on the host of Portico, where there is no app"},
		{own + "redirect_uris = [\"https://login.test:8443/b\"]", "has the name of Portico's host and a different port"},
		{own + "post_logout_redirect_uris = [\"https://login.test/\"]", "client.1.post_logout_redirect_uris.1: https://login.test/ is on the host of Portico"},
		{own + "backchannel_logout_uri = \"https://login.test/b\"", "client.1.backchannel_logout_uri: https://login.test/b is on the host of Portico"},
		{own + "jwks_uri = \"https://login.test/.well-known/jwks.json\"", "client.1.jwks_uri: https://login.test/.well-known/jwks.json is on the host of Portico"},
		{own + "redirect_uris = [\"https://login.test/shopping\"]\n[[app]]\nname = \"shop\"\npath = \"/shop\"", "is on the host of Portico, where there is no app"},
		{own + "redirect_uris = [\"https://login.test/AUTH/b\"]\n[[app]]\nname = \"shop\"", "is on the host of Portico, where there is no app"},
		{"upstream = \"http://x\"\n[[app]]\nname = \"app\"\npath = \"/b\"", "another app"},
		{"[[app]]\nname = \"a\"\nhots = \"x\"", "portico.toml:3: app.1.hots: unknown setting: write app.1.host"},
		{"[[app]]\nname = \"a\"\n[app.headers]\nx = \"y\"", "portico.toml:4: app.1.headers.x: unknown setting"},
		{"[[app]]\nname = \"My App\"", "not the name of an app"},
		{"upstream = \"http://x\"\non_user_change = \"sign-out\"", "write one of clear-cookies, sign-out-url, nothing"},
		{"upstream = \"http://x\"\non_user_change = \"sign-out-url\"", "sign_out_url: on_user_change is sign-out-url, but there is no URL"},
		{"upstream = \"http://x\"\nsign_out_url = \"/logout\"", "this URL is never requested"},
		{"upstream = \"http://x\"\non_user_change = \"sign-out-url\"\nsign_out_url = \"https://x/logout\"", "is not a path of the app"},
		{"[[app]]\nname = \"a\"\npath = \"/a\"\nupstream = \"http://x\"\non_user_change = \"sign-out-url\"\nsign_out_url = \"/logout\"", "not below the path of the app"},
		{"[[app]]\nname = \"a\"\non_user_change = \"sign-out-url\"\nsign_out_url = \"/logout\"", "another proxy forwards"},
		{"upstream = \"http://x\"\nkeep_cookies = [\"a b\"]", "not the name of a cookie"},
		{"upstream = \"http://x\"\nkeep_cookies = [\"__Host-portico-session\"]", "a cookie of Portico"},
		{`keep_cookies = ["lang"]`, "settings for its app: keep_cookies"},
		{"body_pace = 9\naccess_tokens = true", "settings for its app: access_tokens, body_pace"},
		{"[[app]]\nhost = \"Shop.test\"", "not a host"},
		{"public_url = \"https://login.test\"\n[[app]]\nname = \"a\"\nhost = \"login.test:8443\"", "portico.toml:4: app.1.host: login.test has the same name and a different port"},
		{"[[app]]\nname = \"a\"\nhost = \"a.test\"\n[[app]]\nname = \"b\"\nhost = \"a.test:8443\"", "portico.toml:6: app.2.host: a.test has the same name and a different port"},
		{"[[app]]\nhost = \"https://shop.test\"", "not a host"},
		{"[[app]]\nhost = \"shop.test:443\"", "not a host"},
		{"[[app]]\npath = \"shop\"", "not a path"},
		{"[[app]]\npath = \"/shop/\"", "not a path"},
		{"[[app]]\npath = \"/Auth/x\"", "belong to Portico"},
		{"[[app]]\nupstream = \"http://x/path\"", "without a path"},
		{"[[app]]\nrules = [1]", "not a list"},
		{"[[app]]\nrules = [\"a\\nb\"]", "a line break (U+000A)"},
		{"[[app]]\nupstream_timeout = \"1ms\"", "out of range"},
		{`locale = "Deutsch!"`, "not a language tag"},
		{`hsts_subdomains = "true"`, "neither true nor false"},
		{"[brand]\nname = \"a\\nb\"", "a line break (U+000A)"},
		{`secret_file = "a\u0001"`, "invisible"},
		{"[brand]\nlogo = \"" + image + "\"", "ends in .png or .webp or .svg"},
		{"places = \"" + image + "\"", "ends in .mmdb"},
		{"[brand]\nfont = \"" + image + "\"", "ends in .woff2"},
		{"[brand]\nlogo = \"" + folder + "\"", "cannot be read as a file"},
		{"[brand]\ncolour = \"green\"", "write # and six digits"},
		{"[brand]\ngradient = [\"#fff\"]", "write # and six digits"},
		{"[brand]\nradius = 25", "from 0 to 24"},
		{"[brand]\nlogo = \"/nonexistent.png\"", "does not exist"},
		{"[password]\nmin = 7", "less than the profile standard"},
		{"[password]\nmin = 14\nprofile = \"nist\"", "write 15 or more"},
		{"profile = \"nist\"\n[password]\nprofile = \"standard\"", "password.profile: the profile nist requires more"},
		{"profile = \"nist\"\n[password]\nmin = 14", "write 15 or more"},
		{"profile = \"nist\"\n[session]\nabsolute = \"25h\"", "session.absolute: the profile nist"},
		{"profile = \"nist\"\n[session]\nidle = \"61m\"", "session.idle: the profile nist"},
		{"profile = \"nist\"\n[mfa]\nrequire = [\"role:admin\"]", "mfa.require: the profile nist"},
		{"profile = \"nist\"\n[mfa]\ngrace = \"1s\"", "mfa.grace: the profile nist"},
		{"profile = \"nist\"\n[mfa]\ntrust = true", "mfa.trust: the profile nist"},
		{"profile = \"nist\"\npasskeys = false", "passkeys: the profile nist"},
		{"profile = \"nist\"\n[signin]\ncode = true", "signin.code: the profile nist"},
		{"profile = \"nist\"\n[signin]\nlegacy = \"https://old.test/\"", "signin.legacy: the profile nist"},
		{"[signin]\nlegacy = \"https://old.test/\"", "signin.legacy_secret: without a secret"},
		{"[signin]\nlegacy = \"https://old.test/\"", "signin.legacy_until: the former system would be asked for ever"},
		{"[signin]\nlegacy_until = \"31.1.2027\"", "write one such as 2027-01-31"},
		{"[signin]\nlegacy_until = \"2027-01-31\"", "signin.legacy: the former system has no address"},
		{"[signin]\nlegacy = \"http://old.test/\"", "passwords would be sent unencrypted"},
		{"[signin]\nlegacy = \"https://localhost/\"", "localhost is this machine"},
		{"[signup]\nask = \"https://app.test/\"", "signup.ask_secret: the app has no secret"},
		{"[signup]\nask_failure = \"open\"", "signup.ask: the app that is asked has no address"},
		{"[signup]\nask_failure = \"never\"", "signup.ask_failure"},
		{"[signup]\nask = \"http://app.test/\"", "addresses of people would be sent unencrypted"},
		{"[signup]\nask = \"https://127.0.0.1/\"", "127.0.0.1 is this machine"},
		{"[signup]\nask = \"app\"", "write https://app.example.com/portico-sign-up"},
		{"[signin]\nlegacy = \"old\"", "write https://old.example.com/portico-password"},
		{"profile = \"fips\"", "write one of standard, nist"},
		{"[mfa]\nrequire = [\"admin\"]", "does not name users"},
		{"[mfa]\nrequire = [\"role:Admin\"]", "does not name users"},
		{"[mfa]\ngrace = \"366d\"", "out of range"},
		{"[audit]\nkeep = \"29d\"", "out of range"},
		{"[password]\nmin = 65", "out of range"},
		{"[password]\nhash = \"bcrypt\"", "write one of fixed, auto"},
		{"[password]\nsignins_per_second = 0", "out of range"},
		{"[hashing]\nmemory_mib = 18", "out of range"},
		{"[hashing]\nmemory_mib = 257", "out of range"},
		{"[session]\nidle = \"31d\"", "longer than session.absolute"},
		{"[session]\nidle = \"1s\"", "out of range"},
		{"[providers.google]\nclient_id = \"x\"", "providers.google.client_secret"},
		{"[providers.google]\nclient_secret = \"canary\"", "providers.google.client_id"},
		{"[providers.corp]\nclient_id = \"x\"\nclient_secret = \"canary\"\nname = \"Corp\"", "providers.corp.issuer"},
		{"[providers.corp]\nclient_id = \"x\"\nclient_secret = \"canary\"\nissuer = \"https://id.test\"", "providers.corp.name"},
		{"[providers.corp]\nissuer = \"http://id.test\"", "does not use https"},
		{"[providers.corp]\nissuer = \"id.test\"", "not an issuer"},
		{"[providers.corp]\nissuer = \"https://id.test/?x\"", "not an issuer"},
		{"[providers.corp]\nissuer = \"https://id.test/#\"", "not an issuer"},
		{"[providers.corp]\nissuer = \"https://a:b@id.test\"", "not an issuer"},
		{"[providers.corp]\nissuer = \"https://id.test/{tenantid}\"", "not an issuer"},
		{"[providers.corp]\npreset = \"yahoo\"", "write one of google"},
		{"[providers.corp]\npreset = \"gogle\"", "write google, or another one of"},
		{"[providers.gogle]\nclient_id = \"x\"\nclient_secret = \"y\"", "portico.toml:2: providers.gogle: there is no preset of this name, and the provider has no issuer: write [providers.google], or set the issuer of your own provider"},
		{"[log]\nlevel = \"inf0\"", "write info, or another one of"},
		{"[[client]]\nid = \"a\"\nscopes = [\"opendi\"]", "write openid, or another one of"},
		{"[providers.corp]\nissuer = \"http://keycloak_1:8080\"", "does not use https"},
		{"[providers.\"My-Corp\"]\nclient_id = \"x\"", "unknown setting"},
		{"\"a\\nb\" = 1", `"a\nb": unknown setting`},
		{"providers = 1", "unknown setting"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(write(t, "portico.toml", c.text), nil)
			got := strings.Join(lines(t, err), "\n")
			if !strings.Contains(got, c.want) {
				t.Errorf("problems %q, want one with %q", got, c.want)
			}
			if strings.Contains(got, "canary:") || strings.Contains(got, ":canary") || strings.Contains(got, `"canary"`) {
				t.Errorf("a problem quotes a secret: %s", got)
			}
		})
	}
}

func TestLoad_Accepts(t *testing.T) {
	t.Parallel()
	logo := write(t, "logo.PNG", "x")
	const login = "public_url = \"https://login.test\"\n[[client]]\nid = \"a\"\nsecret = \"twenty-four characters or more\"\n"
	for _, text := range []string{
		`public_url = "http://localhost:8080"`,
		`public_url = "http://[::1]:8080/"`,
		`database_url = "postgres://localhost/p"`,
		`database_url = "postgres:///p?host=/run/postgresql"`,
		`database_url = "postgresql://u@db/p?sslmode=disable"`,
		`database_url = "postgres://u:p%40w%2F@db/p?sslmode=disable&user=me@db"`,
		`upstream = "http://my_app:3000"`,
		"[tracing]\nendpoint = \"http://otel_collector:4318\"",
		"[providers.corp]\npreset = \"openid\"\nissuer = \"https://key_cloak:8443/realms/x\"\nname = \"K\"\nclient_id = \"x\"\nclient_secret = \"y\"",
		`return_default = "/app?x=1"`,
		"[brand]\nlogo = \"" + logo + "\"",
		"[session]\nidle = \"90m\"",
		"[providers.keycloak]\npreset = \"openid\"\nissuer = \"http://localhost:8081/realms/x\"\nname = \"K\"\nclient_id = \"x\"\nclient_secret = \"y\"",
		"[[app]]\nname = \"a\"\n[[app]]\nname = \"b\"\nhost = \"b.test:8443\"",
		"[[app]]\nname = \"a\"\nhost = \"a.test\"\n[[app]]\nname = \"b\"\nhost = \"a.test\"\npath = \"/b\"",
		"listen = \":0\"\nops_listen = \":0\"",
		login + "redirect_uris = [\"https://login.test/shop/cb\"]\npost_logout_redirect_uris = [\"https://login.test/shop\"]\n[[app]]\nname = \"shop\"\npath = \"/shop\"",
		"upstream = \"http://127.0.0.1:3000\"\n" + login + "redirect_uris = [\"https://login.test/cb\"]\nbackchannel_logout_uri = \"http://login.test:3000/bye\"",
		login + "redirect_uris = [\"https://shop.login.test/cb\", \"http://localhost:3000/cb\"]",
		"public_url = \"http://localhost:8080\"\n[[client]]\nid = \"a\"\nsecret = \"twenty-four characters or more\"\nredirect_uris = [\"http://localhost:3000/cb\"]",
	} {
		if _, err := config.Load(write(t, "portico.toml", text), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The variables that all programs share name the proxy.
func TestLoad_Proxy(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"HTTPS_PROXY=http://ada:canary1@proxy.test:3128": "http://ada:canary1@proxy.test:3128", "https_proxy=proxy.test:3128": "proxy.test:3128", "HTTP_PROXY=http://proxy.test": "", "HTTPS_PROXY=": "",
	} {
		c, err := config.Load(write(t, "portico.toml", ""), []string{line, "no_proxy=corp.test"})
		if err != nil || c.HTTPSProxy != want || c.NoProxy != "corp.test" {
			t.Errorf("%s: %q, %q, %v", line, c.HTTPSProxy, c.NoProxy, err)
		}
	}
	_, err := config.Load(write(t, "portico.toml", ""), []string{"HTTPS_PROXY=socks5://ada:canary1@proxy.test"})
	if err == nil || !strings.HasPrefix(err.Error(), "environment: HTTPS_PROXY: ") || strings.Contains(err.Error(), "canary1") {
		t.Errorf("a proxy that does not speak HTTP: %v", err)
	}
	for address, want := range map[string]string{
		"http://ada:canary1/x@proxy.test:3128": "write / as %2F", "http://ada:1#canary1@proxy.test": "write # as %23", "http://ada:1/canary1@proxy.test": "write / as %2F",
	} {
		_, err := config.Load(write(t, "portico.toml", ""), []string{"HTTPS_PROXY=" + address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary1") {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

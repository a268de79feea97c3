package config_test

import (
	"strings"
	"testing"

	"portico/internal/config"
)

// Editors, word processors and web pages leave invisible characters at the ends of a file and of a value.
func TestLoad_Cleans(t *testing.T) {
	t.Parallel()
	const left = "\ufeff\u200b\u00a0\u202a \t"
	const right = "\u200e\u00ad\u2060\u3000\u202c "
	secret := write(t, "secret", "\ufeff "+"smtp://u:p@mail.test\u200b\r\n\r\n")
	file := write(t, "portico.toml", "\ufeff"+strings.ReplaceAll("public_url = \""+left+"https://login.test"+right+"\"\nsmtp_url_file = \" "+secret+" \"\nreturn_origins = [\""+left+"https://app.test"+right+"\"]\n", "\n", "\r\n"))
	cfg, err := config.Load(file, []string{"PORTICO_MAIL_FROM=" + left + "a@login.test" + right, "PORTICO_TRUSTED_PROXIES= 10.0.0.1 ,\u200b10.0.0.2\u00a0", "PORTICO_UPSTREAM=\u00a0"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.PublicURL.String() != "https://login.test" || cfg.SMTPURL != "smtp://u:p@mail.test" || cfg.MailFrom != "a@login.test" || cfg.ReturnOrigins[0] != "https://app.test" || len(cfg.TrustedProxies) != 2 || cfg.App.Upstream != nil {
		t.Errorf("read %v %q %q %q %v %v", cfg.PublicURL, cfg.SMTPURL, cfg.MailFrom, cfg.ReturnOrigins, cfg.TrustedProxies, cfg.App.Upstream)
	}
	if named := config.Find("", []string{"PORTICO_CONFIG= " + file + "\u200b\r"}, ""); named != file {
		t.Errorf("the file that PORTICO_CONFIG names: %q", named)
	}
}

// A message gives the place of an invisible character inside a value, and shows no part of a secret.
func TestLoad_NamesWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	inside := write(t, "inside", "can\u200bary")
	latin := write(t, "latin", "canary\xfc")
	wide := write(t, "wide.toml", "\xff\xfel\x00i\x00")
	for _, c := range []struct{ text, want string }{
		{"\n[brand]\nname = \"a\u200bb\"", "portico.toml:3: brand.name: the value contains an invisible character (U+200B)"},
		{"\n\nlisten = \u201c:8080\u201d", "portico.toml:3: TOML: "},
		{"\n\nlisten = \u201c:8080\u201d", "the line contains a typographic quotation mark (U+201C)"},
		{"\n\u00a0listen = \":8080\"", "the line contains an unusual kind of space (U+00A0)"},
		{"listen\u200b = \":8080\"", "the line contains an invisible character (U+200B)"},
		{"tracing.header_file = \"" + inside + "\"", "inside: tracing.header_file: the value contains an invisible character (U+200B)"},
		{"tracing.header_file = \"" + latin + "\"", "it is not in UTF-8: save it in this encoding"},
	} {
		_, err := config.Load(write(t, "portico.toml", c.text), nil)
		if got := strings.Join(lines(t, err), "\n"); !strings.Contains(got, c.want) || strings.Contains(got, "ary") {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	for _, set := range []string{`PORTICO_LISTEN=":8080"`, `PORTICO_TRACING_HEADER='canary'`} {
		if _, err := config.Load("", []string{set}); err == nil || !strings.Contains(err.Error(), "the value is in quotes") || strings.Contains(err.Error(), "ary") {
			t.Errorf("%s: %v", set, err)
		}
	}
	if _, err := config.Load(wide, nil); err == nil || !strings.Contains(err.Error(), "it is not in UTF-8") {
		t.Errorf("UTF-16: %v", err)
	}
}

// A name with umlauts has its xn-- form in every setting, because browsers, DNS and certificates know no other one.
func TestLoad_Umlauts(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t, "portico.toml", `
public_url = "https://anmeldung.müller.de:8443"
upstream = "http://ä.intern:3000"
return_origins = ["https://*.müller.de", "https://MÜLLER.de"]
return_default = "https://müller.de/start"
passkey_origins = ["https://bücher.example"]
database_url = "postgres://u:p@db.müller.de/p?sslmode=verify-full"
legal.imprint = "https://müller.de/impressum"
openid.client_origins = ["https://müller.de"]
tracing.endpoint = "http://müller.intern:4318"
[[app]]
name = "shop"
host = "laden.müller.de"
[[client]]
id = "a"
secret = "twenty-four characters or more"
redirect_uris = ["https://müller.de/cb"]
backchannel_logout_uri = "https://müller.de/bye"
[providers.corp]
issuer = "https://müller.de/realm"
name = "Corp"
client_id = "x"
client_secret = "y"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := cfg.Show()
	for _, want := range []string{
		`public_url = "https://anmeldung.xn--mller-kva.de:8443"`, `upstream = "http://xn--4ca.intern:3000"`, `return_origins = ["https://*.xn--mller-kva.de", "https://xn--mller-kva.de"]`,
		`return_default = "https://xn--mller-kva.de/start"`, `passkey_origins = ["https://xn--bcher-kva.example"]`, "@db.xn--mller-kva.de/p", `imprint = "https://xn--mller-kva.de/impressum"`,
		`client_origins = ["https://xn--mller-kva.de"]`, `endpoint = "http://xn--mller-kva.intern:4318"`, `host = "laden.xn--mller-kva.de"`,
		`redirect_uris = ["https://xn--mller-kva.de/cb"]`, `backchannel_logout_uri = "https://xn--mller-kva.de/bye"`, `issuer = "https://xn--mller-kva.de/realm"`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in\n%s", want, shown)
		}
	}
}

func TestLoad_SQLitePaths(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"sqlite:data/p.db": "sqlite:data/p.db", "sqlite:/data/p.db": "sqlite:/data/p.db", "sqlite:///data/p.db": "sqlite:/data/p.db",
	} {
		cfg, err := config.Load(write(t, "portico.toml", "database_url = \""+given+"\""), nil)
		if err != nil || cfg.DatabaseURL != want {
			t.Errorf("%s: %s, %v", given, cfg.DatabaseURL, err)
		}
	}
}

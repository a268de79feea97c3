package app

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/logtest"
)

const site = `public_url = "https://portico.test"
trusted_proxies = ["127.0.0.1"]
`

// Each app and each OpenID client that a stranger reaches by signing up has a warning, at
// the place of its first such rule.
func TestWarnings_Strangers(t *testing.T) {
	t.Parallel()
	const client = "[[client]]\nid = \"wiki\"\nsecret = \"0123456789abcdef01234567\"\nredirect_uris = [\"https://wiki.test/cb\"]\n"
	const upstream = "upstream = \"http://127.0.0.1:3000\"\n"
	for name, test := range map[string]struct{ file, want string }{
		"the rules of the README":  {upstream + "rules = [\"public /static/*\", \"role:admin /admin/*\",\n\"signed-in /*\"]\n", "portico.toml:5: rules.3: (signed-in /*) sign-up is open, so a stranger with an email address gets into the app at 127.0.0.1:3000: write signup.mode = \"closed\", or a rule with a role, such as role:member"},
		"open in so many words":    {upstream + "rules = [\"signed-in /*\"]\nsignup.mode = \"open\"\n", "portico.toml:4: rules.1: "},
		"no rules":                 {upstream, "portico.toml:3: upstream: it has no rules, and sign-up is open"},
		"several rules":            {upstream + "rules = [\"signed-in GET /api/*\", \"mfa /*\"]\n", "portico.toml:4: rules.1: (signed-in GET /api/*, mfa /*) "},
		"a second factor":          {upstream + "rules = [\"mfa+fresh:10m /*\"]\n", "portico.toml:4: rules.1: (mfa+fresh:10m /*) "},
		"forward-auth":             {"[[app]]\nname = \"shop\"\nhost = \"shop.test\"\nrules = [\"fresh:10m /*\"]\n", "portico.toml:6: app.1.rules.1: (fresh:10m /*) sign-up is open, so a stranger with an email address gets into the app shop"},
		"forward-auth, no rules":   {"[[app]]\nname = \"shop\"\nhost = \"shop.test\"\n", "portico.toml:3: app.1: it has no rules, and "},
		"a client without rules":   {client, "portico.toml:3: client.1: it has no rules, and sign-up is open, so a stranger with an email address gets into the OpenID client wiki"},
		"a client for all users":   {client + "rules = [\"role:editor\", \"signed-in\"]\n", "portico.toml:7: client.1.rules.2: (signed-in) "},
		"a device":                 {client + "grants = [\"device_code\"]\n", "portico.toml:3: client.1: "},
		"sign-up is closed":        {upstream + "signup.mode = \"closed\"\n" + client, ""},
		"sign-up of some domains":  {upstream + "signup.domains = [\"example.com\"]\n" + client, ""},
		"roles":                    {upstream + "rules = [\"role:member+mfa /*\"]\n" + client + "rules = [\"role:member\"]\n", ""},
		"for everybody anyway":     {upstream + "rules = [\"public /*\"]\n", ""},
		"a client without users":   {client + "grants = [\"client_credentials\"]\nclient_scopes = [\"a\"]\n", ""},
		"no app":                   {"", ""},
		"a mode that is not known": {"signup.mode = \"invite\"\n" + upstream, ""},
		"rules that are not known": {upstream + "rules = 7\n", ""},
		"a rule that is not known": {upstream + "rules = [\"everybody /*\", \" \"]\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "portico.toml")
		if err := os.WriteFile(path, []byte(site+test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, _ := config.Load(path, nil)
		all := Warnings(cfg)
		if test.want == "" && len(all) == 0 {
			continue
		}
		if len(all) != 1 || test.want == "" || !strings.HasPrefix(strings.TrimPrefix(all[0].String(), filepath.Dir(path)+"/"), test.want) {
			t.Errorf("%s:\n%v\nwant one warning:\n%s", name, all, test.want)
		}
	}
}

// A reload that opens sign-up warns, in its result and in the log.
func TestReload_Warns(t *testing.T) {
	t.Parallel()
	cfg := behind()
	base := settings(t, t.TempDir())
	base.SMTPURL, base.MailFrom, base.Apps, base.SignUp.Mode = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test", cfg.Apps[1:], "closed"
	cfg = base
	log := &logtest.Buffer{}
	a := open(t, base, Options{Dist: dist(), Log: slog.New(slog.NewTextHandler(log, nil)), Load: func() (config.Config, error) { return cfg, nil }})
	r := run(t, a)
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	for _, mode := range []string{"closed", "open", "closed"} {
		before := len(log.String())
		cfg.SignUp.Mode = mode
		result := a.Reload(t.Context())
		told := slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.Contains(w, "gets into the app wiki") })
		logged := strings.Contains(log.String()[before:], "level=WARN") && strings.Contains(log.String()[before:], "gets into the app wiki")
		if want := mode == "open"; len(result.Problems) > 0 || told != want || logged != want {
			t.Errorf("%s: %+v, logged: %v", mode, result, logged)
		}
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}

package config

import (
	"slices"
	"strings"
	"testing"

	"portico/internal/goldentest"
)

func TestDocument_IsUpToDate(t *testing.T) {
	t.Parallel()
	goldentest.File(t, "../../docs/operating/configuration.md", Document())
}

// No two settings share a name, in the file or in the environment, and each is
// documented.
func TestKeys_HaveOneName(t *testing.T) {
	t.Parallel()
	var names, variables []string
	for _, k := range withFiles(append(keys(), providerKeys("id")...)) {
		if slices.Contains(names, k.name) || slices.Contains(variables, k.env()) {
			t.Errorf("two settings are called %s or %s", k.name, k.env())
		}
		names, variables = append(names, k.name), append(variables, k.env())
		if k.about == "" || !strings.HasSuffix(k.about, ".") {
			t.Errorf("%s is described by %q: write sentences", k.name, k.about)
		}
	}
}

// Installations depend on these names.
func TestKeys_KeepTheirNames(t *testing.T) {
	t.Parallel()
	var all []string
	for _, k := range withFiles(append(keys(), providerKeys("ID")...)) {
		all = append(all, k.env())
	}
	for _, name := range []string{
		"PORTICO_PUBLIC_URL", "PORTICO_LISTEN", "PORTICO_OPS_LISTEN", "PORTICO_DATABASE_URL", "PORTICO_SMTP_URL", "PORTICO_MAIL_FROM",
		"PORTICO_SECRET_FILE", "PORTICO_UPSTREAM", "PORTICO_TRUSTED_PROXIES", "PORTICO_PROVIDERS_ID_CLIENT_ID",
		"PORTICO_PROVIDERS_ID_CLIENT_SECRET", "PORTICO_PROVIDERS_ID_CLIENT_SECRET_FILE", "PORTICO_PROVIDERS_ID_ISSUER",
		"PORTICO_PROVIDERS_ID_NAME", "PORTICO_PROVIDERS_ID_TRUST_EMAIL", "PORTICO_PROVIDERS_ID_PRESET", "PORTICO_SMTP_URL_FILE",
	} {
		if !slices.Contains(all, name) {
			t.Errorf("the setting %s is gone", name)
		}
	}
}

// Loading never panics, every problem is one line, and settings that load can
// be shown and loaded again.
func FuzzLoad(f *testing.F) {
	f.Add("listen = \":1\"", "LISTEN", ":2")
	f.Add("[session]\nidle = \"1d\"\n[[a]]\nb = {c = 1}", "SESSION_IDLE", "2d")
	f.Add("providers.x = {client_id = \"a\", client_secret = \"b\", issuer = \"https://x\", name = \"n\"}", "PROVIDERS_X_TRUST_EMAIL", "true")
	f.Add("secret_file = \"\\u0001\"", "BRAND_NAME", "\x7f\u2028")
	f.Add("a.b.c = [[1], {d = 2}]\n\"x\\ny\" = 1979-05-27", "PROVIDERS__CLIENT_ID", "\x00")
	f.Fuzz(func(t *testing.T, file, name, text string) {
		c, err := load("portico.toml", []byte(file), []string{"PORTICO_" + name + "=" + text})
		if err != nil {
			for _, p := range err.(Problems) {
				if p.Why == "" || p.Write == "" || p.Source == "" || p.Key == "" {
					t.Errorf("a problem that does not say enough: %+v", p)
				}
			}
			return
		}
		if _, err := load("portico.toml", []byte(c.Show()), nil); err != nil {
			t.Errorf("the shown settings cannot be loaded: %v\n%s", err, c.Show())
		}
	})
}

package app

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
)

// Discovery names RS256 where there is a client (OpenID Connect Discovery 1.0, 3), and a
// reload adds the keys that a new client needs.
func TestReload_AddsAlgorithms(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	r := run(t, open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }}))
	cfg.PublicURL = r.Config.PublicURL // with the port
	for status := 0; status != http.StatusOK; {
		status, _ = r.get(r.ops + "/readyz")
	}
	for _, step := range []struct {
		algorithm   string
		named, keys []string
	}{
		{"ES256", []string{`["ES256","RS256"]`}, []string{`"alg":"ES256"`, `"alg":"RS256"`}},
		{"EdDSA", []string{`["ES256","RS256","EdDSA"]`}, []string{`"alg":"ES256"`, `"alg":"RS256"`, `"alg":"EdDSA"`}},
	} {
		client := device("tv", "client.1")
		client.IDTokenAlg = step.algorithm
		cfg.Clients = []config.Client{client}
		before, key := r.Keys.Algorithms(), cfg.SecretFile
		cfg.SecretFile = filepath.Join(t.TempDir(), "none.key")
		if got := r.Reload(t.Context()); len(got.Problems) == 0 || got.Changed == nil || !slices.Equal(r.Keys.Algorithms(), before) {
			t.Errorf("%s, refused with %q: there are keys for %q, want %q", step.algorithm, got.Problems, r.Keys.Algorithms(), before)
		}
		cfg.SecretFile = key
		if got := r.Reload(t.Context()); len(got.Problems) > 0 {
			t.Fatalf("%s: %q", step.algorithm, got.Problems)
		}
		for path, parts := range map[string][]string{"/.well-known/openid-configuration": step.named, "/.well-known/jwks.json": step.keys} {
			_, text := r.get(r.public + path)
			for _, part := range parts {
				if !strings.Contains(text, part) {
					t.Errorf("%s: %s has no %s:\n%s", step.algorithm, path, part, text)
				}
			}
		}
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	r.end(t)
}

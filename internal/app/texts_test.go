package app

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
)

// A reload takes changed texts, names them, and refuses mistakes as a whole.
func TestReload_TakesTexts(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom, cfg.Texts = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test", t.TempDir()
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }})
	r := run(t, a)
	says := func(want string) {
		t.Helper()
		if _, text := r.get(r.public + "/auth/api/session"); !strings.Contains(text, want) {
			t.Errorf("the answer is %s, want %q", text, want)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(cfg.Texts, "en.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	says("Sign in to continue.")

	write(`{"error.session.required": "Come in <b>first</b>."}`)
	result := a.Reload(t.Context())
	if !slices.Equal(result.Changed, []string{"texts"}) || len(result.Problems) > 0 || !slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.Contains(w, "en.json:1: error.session.required: it is text") }) {
		t.Errorf("the reload says %+v", result)
	}
	says(`Come in \u003cb\u003efirst\u003c/b\u003e.`)

	write("{\n\"error.session.requird\": \"x\"}")
	if result := a.Reload(t.Context()); len(result.Problems) != 1 || !strings.HasSuffix(result.Problems[0], "en.json:2: error.session.requird: there is no such text: write error.session.required") {
		t.Errorf("a mistake: %+v", result)
	}
	says("Come in ")

	write("{}")
	if result := a.Reload(t.Context()); !slices.Equal(result.Changed, []string{"texts"}) {
		t.Errorf("the texts are gone: %+v", result)
	}
	says("Sign in to continue.")
	if result := a.Reload(t.Context()); len(result.Changed) != 0 {
		t.Errorf("nothing has changed: %+v", result)
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}

package app

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"portico/internal/config"
)

// A reload names a picture that has other content under the same name.
func TestReload_NamesFilesThatChanged(t *testing.T) {
	t.Parallel()
	logo := filepath.Join(t.TempDir(), "logo.svg")
	draw := func(width string) {
		t.Helper()
		picture := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + width + ` 10"><path d="M0 0h9v9z"/></svg>`
		if err := os.WriteFile(logo, []byte(picture), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	draw("30")
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	cfg.Brand.Logo, cfg.Brand.Favicon = logo, logo
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }})
	r := run(t, a)
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	if result := a.Reload(t.Context()); len(result.Changed)+len(result.Problems) != 0 {
		t.Errorf("nothing has changed: %+v", result)
	}
	draw("40")
	if result := a.Reload(t.Context()); !slices.Equal(result.Changed, []string{"brand.favicon", "brand.logo"}) {
		t.Errorf("the picture has changed: %+v", result)
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}

package cli

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/app"
	"portico/internal/config"
)

// Every preset prints settings that Portico accepts, and leaves no gap.
func TestClientPresets(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/integrating/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, preset := range clientPresets() {
		lines := strings.Join(preset.lines(name, "https://app.example.com", &url.URL{Scheme: "https", Host: "login.example.com"}), "\n")
		if strings.ContainsAny(lines, "{}") {
			t.Errorf("%s: something is not filled in:\n%s", name, lines)
		}
		file := filepath.Join(t.TempDir(), "portico.toml")
		if err := os.WriteFile(file, []byte("public_url = \"https://login.example.com\"\n"+lines), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(file, nil)
		if err == nil {
			err = app.Check(cfg)
		}
		if err != nil || len(cfg.Clients) != 1 || cfg.Clients[0].ID != name {
			t.Errorf("%s: %v\n%s", name, err, lines)
		}
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("docs/integrating/apps.md has no row for %s", name)
		}
	}
}

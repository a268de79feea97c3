package cli

import (
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/secret"
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
		if !strings.Contains(string(page), "| [`"+name+"`](apps/"+name+".md) |") {
			t.Errorf("docs/integrating/apps.md has no row for %s", name)
		}
	}
}

// The page of each preset repeats its command and the lines that it prints, with SECRET
// and HASH in place of the secret.
func TestClientPresetPages(t *testing.T) {
	t.Parallel()
	const folder = "../../docs/integrating/apps/"
	presets := clientPresets()
	for name, preset := range presets {
		text, err := os.ReadFile(folder + name + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		command := regexp.MustCompile(`portico client add --preset ` + name + ` (https://\S+)\n`).FindSubmatch(text)
		if command == nil {
			t.Errorf("the page of %s does not have its command", name)
			continue
		}
		lines := strings.Join(preset.filled(name, string(command[1]), "https://login.example.com", "SECRET"), "\n")
		lines = strings.ReplaceAll(lines, hex.EncodeToString(secret.Hash("SECRET")), "HASH")
		if !strings.Contains(string(text), "```\n"+lines+"\n```\n") {
			t.Errorf("the page of %s should have these lines:\n%s", name, lines)
		}
	}
	pages, err := filepath.Glob(folder + "*.md")
	if err != nil || len(pages) != len(presets) {
		t.Errorf("%d presets have %d pages: %v", len(presets), len(pages), err)
	}
}

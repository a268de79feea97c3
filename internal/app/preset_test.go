package app

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/federation"
)

// loadPreset loads the settings of one provider with the preset.
func loadPreset(name string) (config.Config, error) {
	return config.Load("", []string{
		"PORTICO_PUBLIC_URL=http://localhost", "PORTICO_PROVIDERS_ACME_CLIENT_ID=id", "PORTICO_PROVIDERS_ACME_CLIENT_SECRET=secret",
		"PORTICO_PROVIDERS_ACME_PRESET=" + name,
	})
}

// The presets of packages config and federation agree.
func TestPresetsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	want := federation.Presets()
	for name, trusted := range want {
		cfg, _ := loadPreset(name) // openid has no issuer here, which does not matter for this test
		if len(cfg.Providers) != 1 || cfg.Providers[0].Preset != name || cfg.Providers[0].TrustEmail != trusted {
			t.Errorf("the preset %s is read as %+v, want its addresses believed: %v", name, cfg.Providers, trusted)
		}
	}
	_, err := loadPreset("nobody")
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("an unknown preset is answered %v", err)
	}
	names, _ := strings.CutPrefix(problems[0].Write, "write one of ")
	got := strings.Split(names, ", ")
	slices.Sort(got)
	if known := slices.Sorted(maps.Keys(want)); !slices.Equal(got, known) {
		t.Errorf("the configuration knows %v, the room %v", got, known)
	}
}

// Every preset has an icon, and a state in the screen tests.
func TestPresets_AreInTheFrontEnd(t *testing.T) {
	t.Parallel()
	icons, err := os.ReadFile("../../web/src/ui/provider-icon.tsx")
	if err != nil {
		t.Fatal(err)
	}
	states, err := os.ReadFile("../../web/fixtures/states.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for name := range federation.Presets() {
		if !strings.Contains(string(icons), "\n  "+name+": (") {
			t.Errorf("MARKS of provider-icon.tsx has no icon %s", name)
		}
		if !strings.Contains(strings.ToLower(string(states)), "  '"+name+"',\n") {
			t.Errorf("PROVIDERS of states.mjs has no %s", name)
		}
	}
}

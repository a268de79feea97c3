package app

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"regexp"
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
		t.Fatalf("an unknown preset got %v", err)
	}
	names, _ := strings.CutPrefix(problems[0].Write, "write one of ")
	got := strings.Split(names, ", ")
	slices.Sort(got)
	if known := slices.Sorted(maps.Keys(want)); !slices.Equal(got, known) {
		t.Errorf("the configuration knows %v, the room %v", got, known)
	}
}

// Every preset has its icon on the buttons, or is listed as one without, and has its
// provider in the states of the screen tests. There are no others.
func TestPresets_AreInTheFrontEnd(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(maps.Keys(federation.Presets()))
	const states = "../../web/fixtures/states.mjs"
	marks := slices.Concat(
		listed(t, "../../web/src/ui/provider-icon.tsx", "const MARKS", "\n};", `(?m)^  ([a-z0-9]+): \(`),
		listed(t, "../../web/src/ui/provider-paths.ts", "const PATHS", "\n};", `(?m)^  ([a-z0-9]+): \[`),
		listed(t, states, "const UNMARKED", "]", `'(\w+)'`),
	)
	for name, got := range map[string][]string{"marks": marks, "states": listed(t, states, "const PROVIDERS", "]", `'(\w+)'`)} {
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the %s are %q, the presets %q", name, got, want)
		}
	}
}

// listed returns the names in a part of a source file.
func listed(t *testing.T, path, begin, end, name string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte(begin))
	text, _, _ = bytes.Cut(text, []byte(end))
	for _, m := range regexp.MustCompile(name).FindAllStringSubmatch(string(text), -1) {
		names = append(names, strings.ToLower(m[1]))
	}
	return names
}

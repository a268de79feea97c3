package untrusted_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"portico/internal/untrusted"
)

// Each known name belongs to its header, so that a test with the names tries
// every header.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, h := range untrusted.All() {
		prefix, begins := h.Prefix()
		for _, name := range h.Names() {
			if begins && !strings.HasPrefix(name, prefix) || !begins && name != h.Name || strings.ContainsAny(name, "*: ") {
				t.Errorf("%s is not one of %s", name, h.Name)
			}
		}
	}
	names := untrusted.Names(untrusted.All())
	if !slices.Contains(names, "Script-Name") || !slices.Contains(names, "X-Vouch-User") || !slices.IsSorted(names) {
		t.Errorf("the names are %q", names)
	}
}

// docs/integrating/app.md lists what the gateway removes.
func TestDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/integrating/app.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ToLower(strings.ReplaceAll(string(text), "_", "-"))
	for _, h := range untrusted.All() {
		if !strings.Contains(page, "`"+strings.ToLower(h.Name)+"`") {
			t.Errorf("app.md does not list %s", http.CanonicalHeaderKey(h.Name))
		}
	}
}

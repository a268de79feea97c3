package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every reason that a browser may get has a text in every locale.
func TestReasons_HaveWords(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	reasons := regexp.MustCompile(`(?m)^\t\w+\s+Reason = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(reasons) < 7 {
		t.Fatalf("reason.go has %d reasons", len(reasons))
	}
	catalogues, err := filepath.Glob("../../web/src/i18n/messages/*.json")
	if err != nil || len(catalogues) < 2 {
		t.Fatalf("%d catalogues (%v)", len(catalogues), err)
	}
	for _, path := range catalogues {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]any
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatal(err)
		}
		for _, reason := range reasons {
			if key := "error.session.ended." + reason[1]; texts[key] == nil {
				t.Errorf("%s lacks %s", filepath.Base(path), key)
			}
		}
	}
}

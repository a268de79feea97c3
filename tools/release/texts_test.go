package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A language without a text of English ends a release, and names the text.
func TestTranslated(t *testing.T) {
	t.Parallel()
	r := release{root: t.TempDir()}
	folder := filepath.Join(r.root, "web/src/i18n/messages")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"en": `{"a": "A", "b": {"other": "B"}}`, "de": `{"a": "A"}`} {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.translated(); err == nil || !strings.HasSuffix(err.Error(), ":\nde.json lacks b") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "de.json"), []byte(`{"a": "A", "b": {"other": "B"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.translated(); err != nil {
		t.Error(err)
	}
}

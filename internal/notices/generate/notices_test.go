package main

import (
	"os"
	"strings"
	"testing"

	"portico/internal/notices"
)

func TestText_IsCurrent(t *testing.T) {
	t.Parallel()
	want, err := generated("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if notices.Text() != want {
		t.Error("NOTICES.txt is stale: run go generate ./internal/notices")
	}
	for _, name := range []string{"Go standard library", "github.com/ncruces/go-sqlite3 v", "npm: react-dom ", "List of common passwords"} {
		if !strings.Contains(want, "\n  "+name) {
			t.Errorf("%s is not listed", name)
		}
	}
}

func TestLicenses_OneMustBeThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := licenses(folder); err == nil || !strings.Contains(err.Error(), "no license file") {
		t.Errorf("a folder without a license: %v", err)
	}
	for name, text := range map[string]string{"LICENSE.md": "do\r\nwhat you like \n", "notice": "\nby us\n", "licenses.go": "package no"} {
		if err := os.WriteFile(folder+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if texts, err := licenses(folder); err != nil || strings.Join(texts, "|") != "do\nwhat you like|by us" {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestRender_EachTextOnce(t *testing.T) {
	t.Parallel()
	got := render([]part{{"a 1", []string{"free"}}, {"b 2", []string{"freer", "free"}}})
	if !strings.Contains(got, "\n  a 1 [1]\n  b 2 [2] [1]\n") || strings.Count(got, "\nfree\n") != 1 {
		t.Error(got)
	}
}

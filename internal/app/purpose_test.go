package app

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/audit"
	"portico/internal/masterkey"
	"portico/internal/password"
	"portico/internal/server/ops"
)

// Each use of the master key has a row in decision 34 that says what a change of
// the key does to it. A box whose data is in the database is sealed again.
func TestPurposes_AreDecided(t *testing.T) {
	t.Parallel()
	decision, err := os.ReadFile("../../docs/decisions/0034-changing-the-master-key.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	call := regexp.MustCompile(`\.(Box|MAC)\(("[^"]+"|[\w.]+)\)|derive\("(mac) ([^"]+)"\)`)
	constants := map[string]string{"ops.ReloadPurpose": ops.ReloadPurpose, "FormersPurpose": password.FormersPurpose, "audit.BoxPurpose": audit.BoxPurpose}
	err = fs.WalkDir(os.DirFS("../.."), "internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile("../../" + path)
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			name := strings.Trim(m[2], `"`)
			if constant, ok := constants[name]; ok {
				name = constant
			} else if m[2] != "" && name == m[2] {
				t.Logf("%s: %s", path, m[0]) // the place is a variable: masterkey itself
				continue
			}
			used[strings.ToLower(m[1]+m[3])+" `"+name+m[4]+"`"] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) < 16 {
		t.Errorf("%d uses were found", len(used))
	}
	for use := range used {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(use) + `.*$`).FindString(string(decision))
		if row == "" {
			t.Errorf("decision 34 has no row for %s", use)
		}
		kind, name, _ := strings.Cut(strings.Trim(use, "`"), " `")
		again := strings.Contains(row, "sealed again")
		if kept := slices.Contains(masterkey.Places(), masterkey.Place(name)); kind == "box" && kept != again {
			t.Errorf("%s: sealed again: %v, a place of masterkey: %v", use, again, kept)
		}
	}
}

package portico

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Whoever asks for the version gets that of the changelog.
func TestVersion(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(Version()) {
		t.Errorf("the newest heading of CHANGELOG.md has the version %q, want one such as 1.2.3", Version())
	}
	printed, err := exec.Command("tools/version").Output()
	if version, _, _ := strings.Cut(strings.TrimSpace(string(printed)), "+"); err != nil || version != Version() {
		t.Errorf("tools/version prints %q (%v), CHANGELOG.md has %s", printed, err, Version())
	}
	manifest, err := os.ReadFile("clients/js/package.json")
	if err != nil || strings.Contains(string(manifest), `"version"`) {
		t.Errorf("clients/js/package.json has a version of its own: remove it, the release adds that of CHANGELOG.md (%v)", err)
	}
}

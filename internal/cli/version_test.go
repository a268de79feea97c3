package cli

import (
	"strings"
	"testing"

	"portico"
)

func TestBuild_HasTheVersionOfTheChangelog(t *testing.T) {
	t.Parallel()
	if version, _, _ := strings.Cut(build().Version, "+"); version != portico.Version() {
		t.Errorf("the version is %s, want %s", version, portico.Version())
	}
}

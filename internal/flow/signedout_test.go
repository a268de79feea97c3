package flow_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session that ends in another way would leave OpenID clients uninformed.
func TestSessions_EndInOnePlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "sessions.End(") + strings.Count(string(text), "sessions.EndAll("); n > 0 && !strings.HasSuffix(name, "_test.go") {
			found[name] = n
		}
	}
	// signedout.go tells the clients; in enter.go the same user signs in again.
	if len(found) != 2 || found["signedout.go"] != 2 || found["enter.go"] != 1 {
		t.Errorf("sessions are ended in %v: call endOne or endAll", found)
	}
}

package screens

import (
	"os"
	"strings"
	"testing"

	"portico/internal/flow"
	"portico/internal/locale"
	"portico/web"
)

// A fault that ends a sign-up has words for every page on which it can end. messages.mjs
// gives its text to the screens by the beginning of its code.
func TestSignUpEnds_HaveWords(t *testing.T) {
	t.Parallel()
	words, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := os.ReadFile("../../../web/tools/messages.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(tool), "\n  'signup.': [") || strings.Count(string(tool), "\n  'signup.") != 1 {
		t.Error("web/tools/messages.mjs has not one list of screens for all codes that begin with signup.")
	}
	for _, code := range flow.SignUpEnds() {
		if !strings.HasPrefix(code, "signup.") {
			t.Errorf("%s does not begin with signup.", code)
		}
		for _, key := range []string{"error." + code, "failure.title." + titleOf(403, code), endingText(code)} {
			if words.Text(locale.Default, key, nil) == key {
				t.Errorf("%s has no text %q", code, key)
			}
		}
		if titleOf(403, code) == titleOf(403, "") || !ofAnAccount(code) {
			t.Errorf("%s has the title of any fault, or its message is shown to every browser", code)
		}
	}
	source, err := os.ReadFile("../../flow/fault.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), `"signup.`) - 1; n != len(flow.SignUpEnds()) { // the comment has one
		t.Errorf("internal/flow/fault.go has %d codes that begin with signup., and SignUpEnds %d", n, len(flow.SignUpEnds()))
	}
}

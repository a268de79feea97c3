package screens

import (
	"os"
	"regexp"
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

// A fault that no other code and no other press changes leads on from each page on which it comes. gate is where it is made.
func TestBars_LeadOn(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../../web/src/form/reload-when-over.ts")
	if err != nil {
		t.Fatal(err)
	}
	lists := strings.Join(regexp.MustCompile(`signup\\?\.[a-z_(|)]+`).FindAllString(string(script), -1), " ")
	for _, bar := range flow.Bars() {
		if !regexp.MustCompile(`\b` + strings.TrimPrefix(bar.Code, "signup.") + `\b`).MatchString(lists) {
			t.Errorf("%s is in no list of reload-when-over.ts: add it to postWhenEnded", bar.Code)
		}
	}
	source, err := os.ReadFile("../../flow/signup.go")
	if err != nil {
		t.Fatal(err)
	}
	_, gate, _ := strings.Cut(string(source), ") gate(")
	gate, _, _ = strings.Cut(gate, "\n}\n")
	made := regexp.MustCompile(`return (f\.uninvited\(\)|[A-Z]\w+)`).FindAllString(gate, -1)
	if len(made) != len(flow.Bars())-2 { // uninvited makes two, and SignUpTaken comes later
		t.Errorf("gate returns %q, and Bars has %d faults", made, len(flow.Bars()))
	}
}

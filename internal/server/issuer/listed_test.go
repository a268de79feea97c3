package issuer_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages say of each module what it checks.
func TestFoundation_Listed(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	set := func(text, pattern string) []string {
		found := map[string]bool{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			found[m[1]] = true
		}
		return slices.Sorted(maps.Keys(found))
	}
	rows := func(page string) []string { // a row may have several modules
		return set(strings.Join(set(page, "(?m)^\\| (`[^|]+`) \\| \\S"), " "), "`([^`]+)`")
	}
	listed, _, _ := strings.Cut(text("../../../docs/integrating/conformance.md"), "## Missing on purpose")
	_, formPost, _ := strings.Cut(listed, "## Form Post")
	formPost, _, _ = strings.Cut(formPost, "## RP-initiated")
	plain := strings.Replace(listed, formPost, "", 1)
	fapi := text("../../../docs/integrating/conformance-fapi.md")
	const module = `"(oidcc-[a-z0-9_-]+)"`
	// A name of the plan FAPI 2.0 has no prefix. It is the first argument of a call, or a key of a map.
	const inCall = `(?:(?:run|succeeds|refused|unproven)\(|\t|\{|, )"([a-z0-9_]+(?:-[a-z0-9_]+)+)"[,:)]`
	_, dpop, _ := strings.Cut(text("keyproof_test.go"), "func TestFoundation_FAPI2_DPoP")
	for plan, pair := range map[string][2][]string{
		"Config, Basic and logout": {rows(plain), set(text("foundation_test.go"), module)},
		"Form Post":                {rows(formPost), set(text("foundationform_test.go"), module)},
		"FAPI 2.0":                 {rows(fapi), set(text("fapi_test.go")+dpop, inCall)},
	} {
		for _, name := range pair[0] {
			if !slices.Contains(pair[1], name) {
				t.Errorf("%s: %s is listed and has no test", plan, name)
			}
		}
		for _, name := range pair[1] {
			if !slices.Contains(pair[0], name) {
				t.Errorf("%s: the list does not say what %s checks", plan, name)
			}
		}
		if len(pair[1]) == 0 {
			t.Errorf("%s: no test is found", plan)
		}
		t.Logf("%s: %d modules", plan, len(pair[1]))
	}
}

package issuer_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/goldentest"
)

// The page lists the modules of each plan that have a test.
func TestFoundation_Listed(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const page, begin, end = "../../../docs/integrating/conformance.md", "<!-- Made from internal/server/issuer by go test ./internal/server/issuer -run Listed -update -->\n", "\n<!-- end of the modules -->"
	const module = `"(oidcc-[a-z0-9_-]+)"`
	// A name of the plan FAPI 2.0 has no prefix. It is the first argument of a call, or a key of a map.
	const inCall = `(?:(?:run|succeeds|refused|unproven)\(|\t|\{|, )"([a-z0-9_]+(?:-[a-z0-9_]+)+)"[,:)]`
	_, dpop, _ := strings.Cut(text("keyproof_test.go"), "func TestFoundation_FAPI2_DPoP")
	list := "\n| plan | modules |\n|---|---|\n"
	for _, plan := range [][3]string{
		{"Config, Basic, RP-Initiated and Back-Channel Logout", text("foundation_test.go"), module},
		{"Form Post", text("foundationform_test.go"), module},
		{"FAPI 2.0 Security Profile, each after `fapi2-security-profile-final-`", text("fapi_test.go") + dpop, inCall},
	} {
		found := map[string]bool{}
		for _, m := range regexp.MustCompile(plan[2]).FindAllStringSubmatch(plan[1], -1) {
			found[m[1]] = true
		}
		if len(found) < 10 {
			t.Errorf("%s: %d tests are found", plan[0], len(found))
		}
		list += "| " + plan[0] + " | `" + strings.Join(slices.Sorted(maps.Keys(found)), "`, `") + "` |\n"
	}
	goldentest.Part(t, page, begin, end, list)
}

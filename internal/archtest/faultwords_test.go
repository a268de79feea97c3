package archtest

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	routed     = regexp.MustCompile(`write\("(/auth/api/[^"]+)", "[^"]*", a\.actions\.(\w+)\)`)
	posted     = regexp.MustCompile(`'(/auth/api/[^']+)'`)
	method     = regexp.MustCompile(`(?ms)^((?://[^\n]*\n)*)func \(\w+ \*(\w+)\) (\w+)\((.*?)^}`)
	calls      = regexp.MustCompile(`a\.(?:owner|Flows)\.(\w+)`)
	faultsOf   = regexp.MustCompile(`(?s)Faults: (.*)`)
	faultsAs   = regexp.MustCompile(`\bas (\w+)`)
	fieldCode  = regexp.MustCompile(`fault\.Field\{Name: [^,]+, Code: ([\w.]+)`)
	faultName  = regexp.MustCompile(`\b(?:[a-z]+\.)?[A-Z]\w+\b`)
	faultValue = regexp.MustCompile(`(?m)^\s*(?:var )?([A-Z]\w+)\s*=\s*fault\.New\([\w.]+, (\w+|"[^"]+")`)
	faultCode  = regexp.MustCompile(`(?m)^\s*(?:const )?(Code\w+)\s*=\s*"([^"]+)"`)
	onlyOn     = regexp.MustCompile(`(?s)'([a-z_.]+)': \[(.*?)\]`)
)

// implied has the faults of what a body calls.
var implied = map[string][]string{
	"f.guarded(":            {"Alarmed"},
	"f.guarding(":           {"Alarmed"},
	"f.finishes(":           {"Alarmed"},
	"account.ParseName(":    {"account.CodeNameCharacter", "account.CodeNameTooLong"},
	"account.ParseAddress(": {"account.CodeAddressRequired", "account.CodeAddressTooLong", "account.CodeAddressLetters", "account.CodeAddressInvalid"},
	"code.Parse(":           {"code.CodeRequired", "code.CodeFormat"},
	"a.ownStep(":            {"form.AccountChanged"},
	"a.ownAs(":              {"form.AccountChanged"},
	"a.signedInAs(":         {"form.AccountChanged"},
}

// Every fault that the action of a screen returns has its words there. Without them, the
// screen says that something went wrong, with the code. The chain is: the screen posts to an operation, its
// action calls flow, and the comment there lists the faults. It may name a function that has more of them.
func TestFaults_HaveWordsOnTheirScreens(t *testing.T) {
	codes := codesOfFaults(t)
	faults, others := map[string][]string{}, map[string][]string{} // by the method of flow
	for _, m := range methodsIn(t, "internal/flow") {
		faults[m[3]] = append(faults[m[3]], impliedBy(m[4])...)
		for _, f := range fieldCode.FindAllStringSubmatch(m[4], -1) {
			faults[m[3]] = append(faults[m[3]], f[1])
		}
		for _, found := range faultsOf.FindAllStringSubmatch(m[1], -1) {
			faults[m[3]] = append(faults[m[3]], faultName.FindAllString(found[1], -1)...)
			for _, as := range faultsAs.FindAllStringSubmatch(found[1], -1) {
				others[m[3]] = append(others[m[3]], as[1])
			}
		}
	}
	var all func(method string) []string
	all = func(method string) []string {
		names := slices.Clone(faults[method])
		for _, other := range others[method] {
			names = append(names, all(other)...)
		}
		return names
	}
	actions := map[string][]string{} // names of faults, by the action
	for _, m := range methodsIn(t, "internal/server/form") {
		actions[m[3]] = append(actions[m[3]], impliedBy(m[4])...)
		for _, call := range calls.FindAllStringSubmatch(m[4], -1) {
			actions[m[3]] = append(actions[m[3]], all(call[1])...)
		}
	}
	routes := map[string]string{}
	for _, r := range routed.FindAllStringSubmatch(strings.Join(sources(t, "../../internal/server/api", "api.go"), ""), -1) {
		routes[r[1]] = r[2]
	}
	worded := onlyOn.FindAllStringSubmatch(strings.Join(sources(t, "../../web/tools", "messages.mjs"), ""), -1)
	checked := 0
	for screen, paths := range postedBy(t) {
		for _, path := range paths {
			for _, name := range actions[routes[path]] {
				code, known := codes[name]
				if !known {
					continue // a name of the comment that is no fault
				}
				checked++
				if !hasWords(worded, code, screen) {
					t.Errorf("%s posts to %s, which returns %s, and has no words for it: add the screen in web/tools/messages.mjs", screen, path, code)
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("%d pairs of a screen and a fault were found: the test no longer reads the code", checked)
	}
}

// impliedBy returns the faults of what a body calls.
func impliedBy(body string) (names []string) {
	for call, faults := range implied {
		if strings.Contains(body, call) {
			names = append(names, faults...)
		}
	}
	return names
}

// hasWords reports whether the messages of a screen have the words of a fault. An empty list
// stands for a fault that the server words.
func hasWords(worded [][]string, code, screen string) bool {
	for _, entry := range worded {
		if strings.HasPrefix(code, entry[1]) {
			return entry[2] == "" || strings.Contains(entry[2], "'"+screen+"'")
		}
	}
	return true
}

// codesOfFaults returns the codes of faults by their names, as flow writes them.
func codesOfFaults(t *testing.T) map[string]string {
	codes := map[string]string{}
	folders, err := filepath.Glob("../../internal/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range append(folders, "../../internal/server/form") {
		source := ""
		for _, file := range sources(t, folder, ".go") {
			source += file
		}
		of := filepath.Base(folder) + "."
		if of == "flow." {
			of = ""
		}
		for _, c := range faultCode.FindAllStringSubmatch(source, -1) {
			codes[of+c[1]] = c[2]
		}
		for _, f := range faultValue.FindAllStringSubmatch(source, -1) {
			codes[of+f[1]] = cmp.Or(codes[of+f[2]], strings.Trim(f[2], `"`))
		}
	}
	return codes
}

// methodsIn returns the methods of a package: comment, receiver, name and the rest.
func methodsIn(t *testing.T, folder string) (found [][]string) {
	for _, source := range sources(t, filepath.Join("../..", folder), ".go") {
		found = append(found, method.FindAllStringSubmatch(source, -1)...)
	}
	return found
}

// postedBy returns the operations that each screen posts to.
func postedBy(t *testing.T) map[string][]string {
	found := map[string][]string{}
	folders, err := filepath.Glob("../../web/src/screens/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		for _, source := range slices.Concat(sources(t, folder, ".tsx"), sources(t, folder, ".ts")) {
			for _, p := range posted.FindAllStringSubmatch(source, -1) {
				found[filepath.Base(folder)] = append(found[filepath.Base(folder)], p[1])
			}
		}
	}
	if len(found) < 15 {
		t.Fatalf("screens that post: %v", slices.Sorted(maps.Keys(found)))
	}
	return found
}

// sources returns the files of a folder that end so, without tests.
func sources(t *testing.T, folder, end string) (found []string) {
	files, err := filepath.Glob(filepath.Join(folder, "*"+end))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, string(source))
	}
	return found
}

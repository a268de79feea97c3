package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
)

// source returns the text of a file of the repository.
func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every kind of a flow is in each list that the comment of Kind names.
func TestKinds_AreComplete(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`(?m)^\t\w+\s+Kind = "(\w+)"`).FindAllStringSubmatch(source(t, "step.go"), -1)
	if len(found) < 3 {
		t.Fatalf("step.go has %d kinds", len(found))
	}
	var watches []Kind
	for _, kinds := range watched() {
		watches = append(watches, kinds...)
	}
	shown := regexp.MustCompile("`json:\"kind\" enum:\"([^\"]*)\"`").FindString(source(t, "../server/form/flow.go"))
	document := source(t, "../../docs/architecture.md")
	for _, match := range found {
		kind := Kind(match[1])
		begins := slices.ContainsFunc([]Step{Verify, Callback, Factor, Accept, Keep, Confirm, Protect}, func(s Step) bool { return len(kind.follows(s)) > 0 })
		if !begins {
			t.Errorf("follows knows no first step of the kind %s", kind)
		}
		if !slices.Contains(watches, kind) {
			t.Errorf("watched has no step of the kind %s", kind)
		}
		if !regexp.MustCompile(`\b` + match[1] + `\b`).MatchString(shown) {
			t.Errorf("the enum of form.Flow has no %s: %s", kind, shown)
		}
		if !strings.Contains(document, "\n| "+match[1]+" |") {
			t.Errorf("the table of flows in docs/architecture.md has no %s", kind)
		}
	}
}

// Every limit of limit.go that can refuse an attempt is in limits, without which
// its refusals would not be counted. A limit for networks is there for the wider ones too.
func TestLimits_AreListed(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`Limit\{\s*Name: "([^"]+)"`).FindAllStringSubmatch(source(t, "limit.go"), -1)
	if len(found) < 20 {
		t.Fatalf("limit.go has %d limits", len(found))
	}
	for _, match := range found {
		never := match[1] == knownDay.Name || match[1] == knownGlobal.Name
		if slices.Contains(limitNames(), match[1]) == never {
			t.Errorf("limits has the limit %q: %v", match[1], never)
		}
	}
	named := map[string]string{}
	for _, match := range regexp.MustCompile(`(\w+)\s+= throttle\.Limit\{\s*Name: "([^"]+)"`).FindAllStringSubmatch(source(t, "limit.go"), -1) {
		named[match[1]] = match[2]
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for _, match := range regexp.MustCompile(`fromNetwork\((\w+), `).FindAllStringSubmatch(source(t, path), -1) {
			if name := named[match[1]]; !slices.Contains(limitNames(), name+" /56") {
				t.Errorf("%s counts %s for wider networks too: give it to limits there", path, match[1])
			}
		}
	}
}

// Each limit of a story says what it does.
func TestLimits_SayWhatTheyRefuse(t *testing.T) {
	t.Parallel()
	for _, a := range append(addressAttempts("a@example.org"), accountAttempts(account.Account{ID: "a"})...) {
		_, held := holdsBack()[a.Limit.Name]
		if _, refused := refuses()[a.Limit.Name]; refused == held {
			t.Errorf("the limit %q is in one of the lists: %v", a.Limit.Name, held)
		}
	}
}

// The page of the metrics names each step that is counted.
func TestSteps_AreDocumented(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(source(t, "../../docs/operating/metrics.md"), "The label `step`")
	list, _, _ = strings.Cut(list, "The label")
	for step := range watched() {
		if !strings.Contains(list, "`"+step+"`") {
			t.Errorf("docs/operating/metrics.md has no step %s", step)
		}
	}
}

// The page of rate limits has each limit, with its number and its time.
func TestLimits_AreDocumented(t *testing.T) {
	t.Parallel()
	rows := strings.Split(source(t, "../../docs/operating/rate-limits.md"), "\n")
	for _, l := range limits() {
		if strings.Contains(l.Name, " /") { // for a wider network, by one rule
			continue
		}
		number := l.Count
		switch {
		case l.Free > 0:
			number = l.Free
		case l.Name == unknownGlobal.Name:
			number *= lanes
		}
		said := fmt.Sprint(number)
		if number == 1 {
			said = "on(e|ce)"
		}
		named := func(row string) bool { return strings.HasPrefix(row, "|") && strings.Contains(row, "`"+l.Name+"`") }
		window := map[time.Duration]string{10 * time.Minute: "10 minutes", time.Hour: "hour", 24 * time.Hour: "day"}[l.Window]
		if strings.HasSuffix(l.Name, " flow") { // it ends with the flow
			window = "per "
		}
		if i := slices.IndexFunc(rows, named); i < 0 || !regexp.MustCompile(`\b`+said+`\b`).MatchString(rows[i]) || !strings.Contains(rows[i], window) {
			t.Errorf("docs/operating/rate-limits.md has no limit %q with %s, %s", l.Name, said, window)
		}
	}
}

// Each method on the map in doc.go exists.
func TestMap_NamesMethods(t *testing.T) {
	t.Parallel()
	types := []reflect.Type{reflect.TypeFor[*Flows](), reflect.TypeFor[*Owner]()}
	text, _, _ := strings.Cut(source(t, "doc.go"), "// The package joins")
	rows := regexp.MustCompile(`(?m)^//\t(?:/\S+)?\s+([A-Z]\w+)`).FindAllStringSubmatch(text, -1)
	if len(rows) < 30 {
		t.Errorf("doc.go has %d rows", len(rows))
	}
	for _, row := range rows {
		has := func(t reflect.Type) bool { _, ok := t.MethodByName(row[1]); return ok }
		if !slices.ContainsFunc(types, has) {
			t.Errorf("doc.go names %s, which is not a method of Flows or Owner", row[1])
		}
	}
}

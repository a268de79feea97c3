package store_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/store/storetest"
)

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func migrated(t *testing.T) *store.Store {
	t.Helper()
	return sqlitetest.Open(t)
}

// The contract calls every method, so its cases prepare every SQL text. Each
// text must then follow the rules of the package.
func TestContract(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	texts := map[string]bool{}
	t.Run("Store", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) *store.Store {
			s, recorded := migrated(t).Recorded()
			t.Cleanup(func() {
				mu.Lock()
				defer mu.Unlock()
				for _, text := range recorded() {
					texts[text] = true
				}
			})
			return s
		})
	})
	for _, begin := range written(t) {
		if cases := flag.Lookup("test.run").Value.String(); strings.Count(cases, "/") > 1 {
			break // one case runs
		}
		if !slices.ContainsFunc(keys(texts), func(text string) bool { return strings.HasPrefix(text, begin) }) {
			t.Errorf("no case of the contract runs %s", begin)
		}
	}
	s := migrated(t)
	for _, text := range keys(texts) {
		if why := portable(text); why != "" {
			t.Errorf("%s: %s", why, text)
		}
		for _, step := range plan(t, s, text) {
			if scans(step) {
				t.Errorf("%s: %s", step, text)
			}
		}
	}
	t.Run("Postgres", func(t *testing.T) { preparedByPostgres(t, keys(texts)) })
}

var (
	sqlText     = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)
	placeholder = regexp.MustCompile(`\$(\d+)`)
	boundLimit  = regexp.MustCompile(`LIMIT \$`)
	ownEngine   = regexp.MustCompile(`(?i)\b(now|lower|upper|strftime|datetime|current_timestamp|random|ilike|glob|collate|json_\w+|ifnull)\b|\?|::`)
)

// written returns the beginnings of the SQL texts in the package.
func written(t *testing.T) []string {
	t.Helper()
	var begins []string
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, _ := strconv.Unquote(lit.Value); sqlText.MatchString(text) {
					begins = append(begins, text)
				}
			}
			return true
		})
	}
	return begins
}

// portable returns why a text would not work on both engines, or "".
// Placeholders count from $1 without a gap, because a gap would bind values in
// other places.
func portable(text string) string {
	if word := ownEngine.FindString(text); word != "" {
		return word + " means different things to different engines"
	}
	if boundLimit.MatchString(text) {
		return "SQLite looks at the value of a bare LIMIT $N when it prepares, and prepares anew for each: write LIMIT CAST($N AS BIGINT)"
	}
	used := map[int]bool{}
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(match[1])
		used[n] = true
	}
	for n := range len(used) {
		if !used[n+1] {
			return "there is no $" + strconv.Itoa(n+1)
		}
	}
	return ""
}

func plan(t *testing.T, s *store.Store, text string) []string {
	t.Helper()
	if !sqlText.MatchString(text) {
		return nil // BEGIN and similar statements
	}
	steps, err := s.Plan(t.Context(), text)
	if err != nil || len(steps) == 0 && !strings.HasPrefix(text, "INSERT") {
		t.Errorf("no plan (%v): %s", err, text)
	}
	return steps
}

// meant are the steps that read a whole table or named subquery on purpose. Revocations stay
// for minutes, nodes are few, a page of people looks at a limited number of rows, and a table of uses is an argument.
var meant = []string{"SCAN CONSTANT ROW", "SCAN revocation", "SCAN node", "SCAN ranged", "SCAN looked", "SCAN used", "SCAN 2 CONSTANT ROWS"}

// scans reports whether a step reads a whole table, other than the two indexes of the outbox,
// which hold only waiting or only dead messages. A subquery has steps of its own, and the values of an INSERT
// are no table.
func scans(step string) bool {
	return strings.HasPrefix(step, "SCAN ") && !slices.Contains(meant, step) && !strings.HasPrefix(step, "SCAN (subquery-") &&
		!strings.HasSuffix(step, "-ROW VALUES CLAUSE") &&
		!strings.HasSuffix(step, "INDEX outbox_lane") && !strings.HasSuffix(step, "INDEX outbox_dead")
}

func keys(set map[string]bool) []string {
	var all []string
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

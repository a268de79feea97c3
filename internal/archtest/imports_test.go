package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// ban is an import or a call that is allowed only in some packages.
type ban struct {
	name   string
	reason string
	except []string // packages that may use it; a name with a slash at the end includes all packages below
}

func importBans() []ban {
	return []ban{
		{"math/rand", "it is predictable: use crypto/rand through internal/secret or internal/ids", nil},
		{"math/rand/v2", "it is predictable: use crypto/rand through internal/secret or internal/ids", list("internal/outbox internal/webhook internal/store/postgres")}, // spreads retries
		{"database/sql", "SQL belongs to internal/store", list("internal/store internal/store/engine internal/store/sqlite internal/store/postgres internal/store/move internal/store/archive test/bench")},
		{"net/smtp", "mail belongs to internal/mailer, which does not use it", nil},
		{"net/http/pprof", "it registers routes by being imported", nil},
		{"net/http/httptest", "it belongs to tests", list("internal/egress/egresstest clients/go/clienttest internal/telemetry/otlp/otlptest")},
		{"testing", "it belongs to tests", list("internal/egress/egresstest internal/openid/openidtest internal/place/placetest internal/store/storetest internal/store/pgtest internal/store/sqlitetest internal/apptest clients/go/clienttest internal/telemetry/otlp/otlptest internal/goldentest internal/testform")},
		{"unsafe", "nothing needs it", nil},
		{"log", "use log/slog", nil},
		{"encoding/gob", "it is not a format for what is kept or sent", nil},
	}
}

// httpFree returns the packages that must not use HTTP: the flow, and its
// packages except federation, webhook and legacy, which speak it to providers, receivers and the former system.
func httpFree() []string {
	var packages []string
	for _, b := range bands() {
		if b.name == "room" || b.name == "flow" {
			packages = append(packages, b.packages...)
		}
	}
	return slices.DeleteFunc(packages, func(p string) bool {
		return slices.Contains(list("internal/federation internal/webhook internal/legacy internal/signupask"), p)
	})
}

func bannedImports(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		for _, spec := range f.Go.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			for _, b := range importBans() {
				if b.name == name && !slices.Contains(b.except, f.pkg()) {
					broken = append(broken, fmt.Sprintf("%s: do not import %s: %s", t.at(spec), name, b.reason))
				}
			}
			if name == "net/http" && slices.Contains(httpFree(), f.pkg()) {
				broken = append(broken, fmt.Sprintf("%s: do not import net/http: %s knows nothing of HTTP", t.at(spec), f.pkg()))
			}
		}
	}
	return broken
}

func TestBannedImports(t *testing.T) {
	t.Parallel()
	hold(t, bannedImports, map[string]string{
		"internal/code/c.go":         `package code; import ("math/rand"; "crypto/rand")`,
		"internal/code/c_test.go":    `package code; import "math/rand"`,
		"internal/outbox/o.go":       `package outbox; import "math/rand/v2"`,
		"internal/flow/f.go":         `package flow; import "net/http"`,
		"internal/federation/f.go":   `package federation; import "net/http"`,
		"internal/server/api/api.go": `package api; import ("net/http"; "database/sql")`,
	},
		"internal/code/c.go:1: do not import math/rand: it is predictable: use crypto/rand through internal/secret or internal/ids",
		"internal/flow/f.go:1: do not import net/http: internal/flow knows nothing of HTTP",
		"internal/server/api/api.go:1: do not import database/sql: SQL belongs to internal/store",
	)
}

func callBans() []ban {
	return []ban{
		{"time.Now", "take a clock.Clock, so that tests choose the time",
			list("internal/clock internal/server internal/store/sqlite internal/store/postgres internal/store/move internal/mailer internal/password internal/password/argon2 internal/dev/mailbox internal/cli test/bench test/bench/dex test/security test/faults clients/go clients/go/clienttest")}, // spans and deadlines of connections
		{"http.DefaultClient", "outgoing requests use the guarded client of internal/egress", nil},
		{"http.Get", "outgoing requests use the guarded client of internal/egress", nil},
		{"http.Post", "outgoing requests use the guarded client of internal/egress", nil},
		{"context.WithValue", "pass what a function needs as its parameter", list("internal/federation clients/go")}, // a library that takes its client only this way; handlers of apps
		{"os.Getenv", "settings come from internal/config", list("internal/store/pgtest internal/systemd internal/testform test/bench")},
		{"os.Exit", "return the exit code to cmd/portico", list("cmd/portico internal/breach/generate internal/notices/generate tools/release test/bench test/bench/dex test/apps/programs/apiserver test/apps/programs/dex")},
		{"os.Open", "read what an operator names through internal/file", list("internal/file")},
		{"os.ReadFile", "read what an operator names through internal/file", list("internal/breach/generate internal/notices/generate tools/release internal/testform internal/goldentest internal/apptest internal/store/sqlitetest test/bench")},
		{"os.DirFS", "read what an operator names through internal/file", nil},
		{"unicode.IsControl", "internal/legible decides which characters a text has", list("internal/rule")}, // paths
		{"unicode.IsPrint", "internal/legible decides which characters a text has", list("internal/flow")},   // return targets
		{"unicode.IsGraphic", "internal/legible decides which characters a text has", list("internal/legible")},
		{"slog.Default", "take a logger", list("clients/go")}, // the log of an app
		{"slog.SetDefault", "take a logger", nil},
	}
}

func bannedCalls(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		ast.Inspect(f.Go, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, b := range callBans() {
				if b.name == pkg.Name+"."+sel.Sel.Name && !slices.Contains(b.except, f.pkg()) {
					broken = append(broken, fmt.Sprintf("%s: do not use %s: %s", t.at(n), b.name, b.reason))
				}
			}
			return true
		})
	}
	return broken
}

func TestBannedCalls(t *testing.T) {
	t.Parallel()
	hold(t, bannedCalls, map[string]string{
		"internal/code/c.go":  "package code\nfunc a() { _ = time.Now() }\nfunc b() { c.clock.Now() }",
		"internal/clock/c.go": "package clock\nfunc a() { _ = time.Now() }",
		"internal/app/a.go":   "package app\nvar x = os.Getenv",
	},
		"internal/app/a.go:2: do not use os.Getenv: settings come from internal/config",
		"internal/code/c.go:2: do not use time.Now: take a clock.Clock, so that tests choose the time",
	)
}

// errorComparisons reports errors compared with == instead of errors.Is. ==
// fails once an error is wrapped.
func errorComparisons(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		ast.Inspect(f.Go, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if ok && (b.Op == token.EQL || b.Op == token.NEQ) && (isError(b.X) && !isNil(b.Y) || isError(b.Y) && !isNil(b.X)) {
				broken = append(broken, t.at(n)+": compare errors by errors.Is")
			}
			return true
		})
	}
	return broken
}

func isError(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "err" || strings.HasPrefix(id.Name, "err") && len(id.Name) > 3 && id.Name[3] >= 'A' && id.Name[3] <= 'Z')
}

func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}

func TestErrorComparisons(t *testing.T) {
	t.Parallel()
	hold(t, errorComparisons, map[string]string{
		"internal/a/a.go": "package a\nvar _ = err == io.EOF\nvar _ = io.EOF != err\nvar _ = err == nil\nvar _ = errors.Is(err, io.EOF)\nvar _ = x == errMissing",
	},
		"internal/a/a.go:2: compare errors by errors.Is",
		"internal/a/a.go:3: compare errors by errors.Is",
		"internal/a/a.go:6: compare errors by errors.Is",
	)
}

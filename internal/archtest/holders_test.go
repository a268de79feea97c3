package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// holders are the packages that may use each type of internal/flow. The compiler refuses a method of a
// type that a package does not have; this rule keeps the packages from getting it. internal/app makes the
// types, and hands them out.
func holders() map[string][]string {
	return map[string][]string{
		"Flows":    list("internal/server/form internal/server/api internal/server/screens internal/server/provider internal/server/gateway internal/server/issuer"),
		"Owner":    list("internal/server/form internal/server/api internal/server/screens"),
		"Operator": list("internal/cli internal/dev internal/apptest internal/server/admin"),
		"OpenID":   list("internal/server/issuer"),
	}
}

// heldTypes reports code that takes a type of internal/flow and is no holder of it. It looks at files
// that import a package from which the types come.
func heldTypes(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		if slices.Contains(list("internal/flow internal/app"), f.pkg()) || !slices.ContainsFunc(f.Go.Imports, givesTypes) {
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			who, of := holders()[sel.Sel.Name]
			others := list("cfg.OpenID config.OpenID Config.OpenID masterkey.Flows f.Flows") // settings, places of a key, and figures
			if lastTwo(sel) == "flow.All" || of && !slices.Contains(who, f.pkg()) && !slices.Contains(others, lastTwo(sel)) {
				broken = append(broken, fmt.Sprintf("%s: %s may not use flow.%s: see holders of internal/archtest", t.at(n), f.pkg(), sel.Sel.Name))
			}
			return true
		})
	}
	return broken
}

func givesTypes(spec *ast.ImportSpec) bool {
	return slices.Contains(list(`"portico/internal/flow" "portico/internal/app" "portico/internal/server/form"`), spec.Path.Value)
}

func TestHeldTypes(t *testing.T) {
	t.Parallel()
	hold(t, heldTypes, map[string]string{
		"internal/server/screens/a.go": `package screens
import "portico/internal/flow"
type Config struct { Owner *flow.Owner; Operator *flow.Operator; all flow.All }`,
		"internal/server/gateway/a.go": `package gateway
import "portico/internal/server/form"
func a() { g.actions.Flows.Session(); g.actions.Owner.Fresh() }`,
		"internal/cli/a.go": `package cli
import "portico/internal/app"
func a() { a.Operator.User(); a.Flows.SignIn() }`,
		"internal/app/a.go": `package app
import "portico/internal/flow"
type App struct { flow.All }`,
		"internal/masterkey/a.go": `package masterkey
var a = b.Flows`,
	},
		"internal/cli/a.go:3: internal/cli may not use flow.Flows: see holders of internal/archtest",
		"internal/server/gateway/a.go:3: internal/server/gateway may not use flow.Owner: see holders of internal/archtest",
		"internal/server/screens/a.go:3: internal/server/screens may not use flow.Operator: see holders of internal/archtest",
		"internal/server/screens/a.go:3: internal/server/screens may not use flow.All: see holders of internal/archtest",
	)
}

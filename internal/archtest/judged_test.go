package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// judges are the types of internal/flow that a function with an effect on an account has as a
// parameter, itself or around it. The first two are made in judge.go alone, the others have one.
func judges() []string { return list("judged cleared entry alarm") }

// credentials are the packages whose data decides who may do what with an account, by the field of
// flow.Flows that keeps them.
func credentials() map[string]string {
	return map[string]string{
		"accounts": "internal/account", "factors": "internal/factor", "passkeys": "internal/passkey", "sessions": "internal/session", "trusts": "internal/trust",
	}
}

// writes matches the methods of a store that change something.
var writes = regexp.MustCompile(`^(Insert|Update|Delete|Add|Keep|Use|Drop|Save|Rename|Refuse|End|Touch|Spend)[A-Z]`)

// harmless are the methods that neither give nor take a way in.
func harmless() []string {
	return list(`InsertAccount UpdateLocale UpdateTellsTime UpdateFactorTold EndFlows UseFactor UseRecoveryCode UsePasskey UseTrust SpendTicket
		DeleteTrust DeleteSession DeleteSessions InsertRevocation DeleteRevocation TouchSession`)
}

// unjudged are the functions with an effect that need none of the types.
func unjudged() map[string]string {
	return map[string]string{
		"erase": "DeleteUser has one, and EraseDue reads the departure again",
	}
}

// judgedEffects reports functions of internal/flow that change an account or start a session and have no
// account that was judged in the same transaction.
func judgedEffects(t *tree) []string {
	effects := effectsOf(t)
	var broken []string
	for _, f := range t.production() {
		if f.pkg() != "internal/flow" {
			continue
		}
		for _, d := range f.Go.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body != nil && unjudged()[fn.Name.Name] == "" {
				broken = append(broken, unjudgedIn(t, effects, fn.Body, hasJudge(fn.Type))...)
			}
			if f.path == "internal/flow/judge.go" {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				made, ok := n.(*ast.CompositeLit)
				if id, named := nameOf(made, ok); named && slices.Contains(judges()[:2], id) && len(made.Elts) > 0 {
					broken = append(broken, fmt.Sprintf("%s: only judge.go makes %s: call one of its functions in the transaction of the effect", t.at(n), id))
				}
				return true
			})
		}
	}
	return broken
}

func nameOf(made *ast.CompositeLit, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	id, named := made.Type.(*ast.Ident)
	if !named {
		return "", false
	}
	return id.Name, true
}

// effectsOf returns the calls with an effect, as "tx.InsertFactor" and "factors.Add".
func effectsOf(t *tree) map[string]bool {
	effects := map[string]bool{}
	for field, room := range credentials() {
		writers := map[string]bool{}
		for _, f := range t.production() {
			if f.pkg() != room {
				continue
			}
			ast.Inspect(f.Go, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok && strings.HasSuffix(spec.Name.Name, "Store") {
					for _, name := range methodsOf(spec) {
						if writes.MatchString(name) && !slices.Contains(harmless(), name) {
							writers[name], effects["tx."+name] = true, true
						}
					}
				}
				return true
			})
		}
		for _, f := range t.production() {
			for _, d := range f.Go.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || f.pkg() != room || fn.Body == nil {
					continue
				}
				if slices.ContainsFunc(uses(fn), func(u use) bool { return u.call && writers[u.text[strings.LastIndex(u.text, ".")+1:]] }) {
					effects[field+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return effects
}

func methodsOf(spec *ast.TypeSpec) (names []string) {
	i, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	for _, m := range i.Methods.List {
		for _, name := range m.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// unjudgedIn reports the effects in a body. A function literal in it may have the account.
func unjudgedIn(t *tree, effects map[string]bool, body ast.Node, judged bool) (broken []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			broken = append(broken, unjudgedIn(t, effects, n.Body, judged || hasJudge(n.Type))...)
			return false
		case *ast.SelectorExpr:
			if name := lastTwo(n); effects[name] && !judged {
				broken = append(broken, fmt.Sprintf("%s: %s without an account that was judged: see internal/flow/judge.go", t.at(n), name))
			}
		}
		return true
	})
	return broken
}

// lastTwo returns the end of a selector: "factors.Add" of f.factors.Add.
func lastTwo(n *ast.SelectorExpr) string {
	switch x := n.X.(type) {
	case *ast.Ident:
		return x.Name + "." + n.Sel.Name
	case *ast.SelectorExpr:
		return x.Sel.Name + "." + n.Sel.Name
	}
	return n.Sel.Name
}

func hasJudge(fn *ast.FuncType) bool {
	return slices.ContainsFunc(fn.Params.List, func(p *ast.Field) bool {
		of := p.Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		id, ok := of.(*ast.Ident)
		return ok && slices.Contains(judges(), id.Name)
	})
}

func TestJudgedEffects(t *testing.T) {
	t.Parallel()
	hold(t, judgedEffects, map[string]string{
		"internal/factor/factor.go": `package factor
type Store interface { InsertFactor(); FactorsOf(); UseFactor() }
func (k *Keeper) Add(tx Store) { tx.InsertFactor() }
func (k *Keeper) Use(tx Store) { tx.UseFactor() }`,
		"internal/flow/judge.go": "package flow\nfunc stands() judged { return judged{a} }",
		"internal/flow/a.go": `package flow
func a(tx Tx) { tx.InsertFactor() }
func b(tx Tx, owner cleared) { tx.InsertFactor(); f.factors.Add(tx) }
func c() { f.factors.Add(tx); f.factors.Use(tx); tx.FactorsOf() }
func d() { f.own(func(tx Tx, owner *judged) error { return tx.InsertFactor() }) }
func e() judged { return judged{a} }
func g() judged { return judged{} }
func erase() { tx.InsertFactor() }`,
	},
		"internal/flow/a.go:2: tx.InsertFactor without an account that was judged: see internal/flow/judge.go",
		"internal/flow/a.go:4: factors.Add without an account that was judged: see internal/flow/judge.go",
		"internal/flow/a.go:6: only judge.go makes judged: call one of its functions in the transaction of the effect",
	)
}

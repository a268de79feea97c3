package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// judges are the types of internal/flow that a function with an effect on an account has as a
// parameter, itself or around it. judge.go alone makes judged and cleared. An entry has the first, and
// an alarm gives the second.
func judges() []string { return list("cleared alarm judged entry") }

// strict are the judges of which a step may change how the account is signed in to.
func strict() []string { return judges()[:2] }

// mild are the effects that change no way in. They need any judge.
func mild() []string {
	return list(`tx.UpdateName tx.UpdateTerms tx.UpdateRoles tx.UpdateIdentityRoles tx.UpdateClaims tx.UpdateEnd tx.SavePortrait tx.DeletePortrait tx.RefusePasskeys tx.RenamePasskey
		sessions.Start trusts.Give`)
}

// mildly are functions whose effects change no way in, although they could.
func mildly() map[string]string {
	return map[string]string{
		"storeRehashed": "the password stays",
		"takeBack":      "it opens an account, whose ways in stay",
	}
}

// endings are the calls that end the flows of an account: by FlowEnds, or by the credential version.
func endings() []string {
	return list("EndFlows endFlows afterRemoval UpdatePassword UpdateState UpdateAddress RaiseVersion DeleteAccount moveAddress replaceAddress readdressed setRecovery")
}

// endsLater are functions that change a way in, and leave the end of the flows to others.
func endsLater() map[string]string {
	return map[string]string{
		"attach":         "register has a new account, and attachTold ends the flows",
		"dropIdleCodes":  "afterRemoval calls it",
		"showCodes":      "ProtectByApp has ended the flows by addApp",
		"noteReset":      "it records",
		"noteProven":     "claim has ended the flows, and a sign-in with all proofs removes nothing",
		"dropFactors":    "undo removes the password, which raises the credential version",
		"dropCodes":      "as dropFactors",
		"dropPasskeys":   "as dropFactors",
		"dropIdentities": "as dropFactors",
		"removeFactors":  "claim ends the flows, and ResetFactors has afterRemoval",
		"unlink":         "its callers raise the credential version",
		"undoAddresses":  "as dropFactors",
		"undo":           "as dropFactors",
	}
}

// credentials are the packages whose data decides who may do what with an account, by the field of
// flow.core that keeps them.
func credentials() map[string]string {
	return map[string]string{
		"accounts": "internal/account", "factors": "internal/factor", "passkeys": "internal/passkey", "sessions": "internal/session", "trusts": "internal/trust",
	}
}

// writes matches the methods of a store that change something.
var writes = regexp.MustCompile(`^(Insert|Update|Delete|Add|Keep|Use|Drop|Save|Rename|Refuse|Raise|End|Touch|Spend)[A-Z]`)

// harmless are the methods that neither give nor take a way in.
func harmless() []string {
	return list(`InsertAccount InsertApplicant UpdateLocale UpdateTellsTime UpdateFactorTold UseFactor UseRecoveryCode UsePasskey UseTrust SpendTicket
		DropDueEnd DeleteTrust DeleteSession DeleteSessions InsertRevocation DeleteRevocations TouchSessions`)
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
				need := effects
				if mildly()[fn.Name.Name] != "" {
					need = map[string]bool{}
				}
				broken = append(broken, unjudgedIn(t, need, fn.Body, judgeOf(fn.Type))...)
				broken = append(broken, unended(t, effects, fn)...)
				broken = append(broken, unresigned(t, fn)...)
			}
			if f.path == "internal/flow/judge.go" {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				made, ok := n.(*ast.CompositeLit)
				if id, named := nameOf(made, ok); named && slices.Contains(list("judged cleared"), id) && len(made.Elts) > 0 {
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

// unended reports a change of a way in that does not end the flows that began before it.
func unended(t *tree, effects map[string]bool, fn *ast.FuncDecl) (broken []string) {
	used := uses(fn)
	ends := slices.ContainsFunc(used, func(u use) bool { return slices.ContainsFunc(endings(), u.is) })
	for _, u := range used {
		if u.call && effects[u.text] && !slices.Contains(mild(), u.text) && !ends && endsLater()[fn.Name.Name] == "" {
			broken = append(broken, fmt.Sprintf("%s: %s ends no pending step: call endFlows or afterRemoval in the same function, and give docs/pending-steps.md and test/security/step_changes_test.go a row", t.at(u.node), u.text))
		}
	}
	return broken
}

// unresigned reports a change that may take an admin's role, and after which what the admin has sent goes on.
func unresigned(t *tree, fn *ast.FuncDecl) (broken []string) {
	used := uses(fn)
	resigns := slices.ContainsFunc(used, func(u use) bool { return slices.ContainsFunc(list("resigns resign"), u.is) })
	for _, u := range used {
		if u.call && slices.Contains(list("tx.UpdateRoles tx.UpdateState tx.UpdateEnd tx.DeleteAccount"), u.text) && !resigns && resignsLater()[fn.Name.Name] == "" {
			broken = append(broken, fmt.Sprintf("%s: %s may take an admin's role: call resigns in the same function, and give TestResigns a row", t.at(u.node), u.text))
		}
	}
	return broken
}

// resignsLater are functions that change the roles, the state or the end of an account and need no resigns.
func resignsLater() map[string]string {
	return map[string]string{
		"differences": "renewPerson calls it after all changes",
		"importState": "as differences",
		"RestoreUser": "ScheduleErasure has called it",
		"takeBack":    "LeaveAccount has called it",
	}
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
func unjudgedIn(t *tree, effects map[string]bool, body ast.Node, judge string) (broken []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			broken = append(broken, unjudgedIn(t, effects, n.Body, cmp.Or(judgeOf(n.Type), judge))...)
			return false
		case *ast.SelectorExpr:
			name := lastTwo(n)
			switch {
			case !effects[name]:
			case judge == "":
				broken = append(broken, fmt.Sprintf("%s: %s without an account that was judged: see internal/flow/judge.go", t.at(n), name))
			case !slices.Contains(mild(), name) && !slices.Contains(strict(), judge):
				broken = append(broken, fmt.Sprintf("%s: %s needs an account that is cleared for it: see internal/flow/judge.go", t.at(n), name))
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

// judgeOf returns the strictest judge among the parameters of a function, "" for none.
func judgeOf(fn *ast.FuncType) string {
	for _, judge := range judges() {
		for _, p := range fn.Params.List {
			of := p.Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok && id.Name == judge {
				return judge
			}
		}
	}
	return ""
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
func b(tx Tx, owner cleared) { tx.InsertFactor(); f.factors.Add(tx); f.endFlows() }
func c() { f.factors.Add(tx); f.factors.Use(tx); tx.FactorsOf() }
func d() { f.guarded(func(tx Tx, owner *cleared) error { return tx.InsertFactor() }); f.endFlows() }
func i() { f.own(func(tx Tx, owner judged) error { tx.InsertFactor(); return f.endFlows() }) }
func j(owner cleared) { tx.InsertFactor() }
func attach(owner cleared) { tx.InsertFactor() }
func e() judged { return judged{a} }
func g() judged { return judged{} }
func erase() { tx.InsertFactor() }`,
	},
		"internal/flow/a.go:2: tx.InsertFactor without an account that was judged: see internal/flow/judge.go",
		"internal/flow/a.go:2: tx.InsertFactor ends no pending step: call endFlows or afterRemoval in the same function, and give docs/pending-steps.md and test/security/step_changes_test.go a row",
		"internal/flow/a.go:4: factors.Add without an account that was judged: see internal/flow/judge.go",
		"internal/flow/a.go:4: factors.Add ends no pending step: call endFlows or afterRemoval in the same function, and give docs/pending-steps.md and test/security/step_changes_test.go a row",
		"internal/flow/a.go:6: tx.InsertFactor needs an account that is cleared for it: see internal/flow/judge.go",
		"internal/flow/a.go:7: tx.InsertFactor ends no pending step: call endFlows or afterRemoval in the same function, and give docs/pending-steps.md and test/security/step_changes_test.go a row",
		"internal/flow/a.go:9: only judge.go makes judged: call one of its functions in the transaction of the effect",
	)
}

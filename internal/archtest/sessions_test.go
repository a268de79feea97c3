package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// ends are the ways to end sessions, with the functions that may use each. flow.endOne and
// flow.endAll tell OpenID clients. Each other function has its reason.
func ends() map[string][]string {
	return map[string][]string{
		"sessions.End":    list("internal/flow.endOne internal/flow.leave"), // leave: the same user signs in again, and keeps the grants
		"sessions.EndAll": list("internal/flow.endAll"),
		"DeleteSession":   list("internal/session.End"),
		"DeleteSessions":  list("internal/session.EndAll"),
		// Purgeable: EndAged has told before the purge. Rewind: the copy of a restore does not know what clients were told since.
		"DELETE FROM session ": list("internal/store.DeleteSession internal/store.DeleteSessions internal/store.Purgeable internal/store.Rewind"),
		// These raise the credential version, which ends all sessions of the account.
		"version = version +": list("internal/store.UpdatePassword internal/store.UpdateState internal/store.UpdateAddress internal/store.RaiseVersion"),
	}
}

// raises are the methods of the store that end the sessions of an account. Their caller tells OpenID
// clients in the same transaction: by endAll in the same function, or as the reason says.
func raises() (methods []string, elsewhere map[string]string) {
	return list("tx.UpdatePassword tx.UpdateState tx.UpdateAddress tx.RaiseVersion tx.DeleteAccount"), map[string]string{
		"internal/flow.takeBack":       "the account is closed and has no sessions",
		"internal/flow.restoreAddress": "undo ends all sessions later",
		"internal/flow.dropPassword":   "undo ends all sessions later",
	}
}

// endedSessions reports code that ends sessions and tells no OpenID client.
func endedSessions(t *tree) []string {
	var broken []string
	methods, elsewhere := raises()
	for _, f := range t.production() {
		if f.pkg() == "internal/store/storetest" {
			continue
		}
		for _, d := range f.Go.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := f.pkg() + "." + fn.Name.Name
			used := uses(fn)
			tells := slices.ContainsFunc(used, func(u use) bool { return u.is("endAll") })
			for _, u := range used {
				for way, allowed := range ends() {
					if u.is(way) && !slices.Contains(allowed, name) {
						broken = append(broken, fmt.Sprintf("%s: %s ends sessions and tells no OpenID client: call endOne or endAll of internal/flow", t.at(u.node), strings.TrimSpace(way)))
					}
				}
				if slices.ContainsFunc(methods, u.is) && !tells && elsewhere[name] == "" {
					broken = append(broken, fmt.Sprintf("%s: %s ends the sessions of the account: call endAll in the same function, or name the reason in raises of internal/archtest", t.at(u.node), u.text))
				}
			}
		}
	}
	return broken
}

// use is a call, as "sessions.End", or the text of a string.
type use struct {
	node ast.Node
	text string
	call bool
}

// is reports whether a call has the name, or a string contains it.
func (u use) is(name string) bool {
	if !u.call {
		return strings.Contains(name, " ") && strings.Contains(u.text, name)
	}
	return u.text == name || strings.HasSuffix(u.text, "."+name)
}

// uses returns the calls and the strings in a function. A method value counts as a call.
func uses(fn *ast.FuncDecl) (list []use) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			list = append(list, use{node: n, text: n.Value})
		case *ast.SelectorExpr:
			text := n.Sel.Name
			switch x := n.X.(type) {
			case *ast.Ident:
				text = x.Name + "." + text
			case *ast.SelectorExpr:
				text = x.Sel.Name + "." + text
			}
			list = append(list, use{node: n, text: text, call: true})
		}
		return true
	})
	return list
}

func TestEndedSessions(t *testing.T) {
	t.Parallel()
	hold(t, endedSessions, map[string]string{
		"internal/flow/signedout.go": "package flow\nfunc endOne() { f.sessions.End() }\nfunc endAll() { f.sessions.EndAll() }",
		"internal/flow/a.go": `package flow
func a() { f.sessions.End() }
func b() { end := sessions.EndAll; end() }
func c() { tx.DeleteSession() }
func d() { tx.UpdateState(); f.endAll() }
func e() { tx.UpdateAddress() }
func g() { tx.UpdatePassword(id, hash) }
func h() { tx.RehashPassword(id, hash) }
func takeBack() { tx.UpdateState() }`,
		"internal/flow/a_test.go":        "package flow\nfunc a() { f.sessions.End() }",
		"internal/session/s.go":          "package session\nfunc EndAll() { tx.DeleteSessions() }",
		"internal/store/s.go":            "package store\nfunc Purgeable() { q(`DELETE FROM session WHERE x`) }\nfunc F() { q(`DELETE FROM session WHERE x`) }\nfunc G() { q(`DELETE FROM session_end`) }\nfunc H() { q(`SET version = version + 1`) }",
		"internal/store/storetest/s.go":  "package storetest\nfunc a() { tx.DeleteSession() }",
		"internal/server/api/account.go": "package api\nfunc a() { actions.DeleteAccount() }\nfunc b() { tx.DeleteAccount() }",
	},
		"internal/flow/a.go:2: sessions.End ends sessions and tells no OpenID client: call endOne or endAll of internal/flow",
		"internal/flow/a.go:3: sessions.EndAll ends sessions and tells no OpenID client: call endOne or endAll of internal/flow",
		"internal/flow/a.go:4: DeleteSession ends sessions and tells no OpenID client: call endOne or endAll of internal/flow",
		"internal/flow/a.go:6: tx.UpdateAddress ends the sessions of the account: call endAll in the same function, or name the reason in raises of internal/archtest",
		"internal/flow/a.go:7: tx.UpdatePassword ends the sessions of the account: call endAll in the same function, or name the reason in raises of internal/archtest",
		"internal/server/api/account.go:3: tx.DeleteAccount ends the sessions of the account: call endAll in the same function, or name the reason in raises of internal/archtest",
		"internal/store/s.go:3: DELETE FROM session ends sessions and tells no OpenID client: call endOne or endAll of internal/flow",
		"internal/store/s.go:5: version = version + ends sessions and tells no OpenID client: call endOne or endAll of internal/flow",
	)
}

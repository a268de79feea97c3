package admin

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/internal/apikey"
)

// Each scope of a key opens an operation, and each operation needs a scope that a key can have, or
// is for admins only. Reads need a read, and changes a write.
func TestOperations_HaveScopes(t *testing.T) {
	t.Parallel()
	opened := map[string]bool{}
	for _, o := range Operations() {
		scope := o.Access.Scope
		if !o.Access.Admin {
			t.Errorf("%s %s is not described as one of admins", o.Method, o.Path)
		}
		if scope == noKey {
			continue
		}
		opened[scope] = true
		if !slices.Contains(apikey.Scopes(), scope) || strings.HasSuffix(scope, ":read") != (o.Method == http.MethodGet) {
			t.Errorf("%s %s needs the scope %q", o.Method, o.Path, scope)
		}
	}
	for _, scope := range apikey.Scopes() {
		if !opened[scope] {
			t.Errorf("no operation needs %s", scope)
		}
	}
}

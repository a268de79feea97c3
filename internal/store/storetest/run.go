package storetest

import (
	"reflect"
	"strings"
	"testing"

	"portico/internal/store"
)

// rooms are the parts of the contract. Each of their methods with an underscore
// in its name is a case. Its name is the method of the store and the promise.
func rooms(b *bundle) []any {
	return []any{
		accounts{b}, people{b}, identities{b}, sessions{b}, codes{b}, factors{b}, recoveryCodes{b}, passkeys{b}, trusts{b}, flows{b}, tickets{b}, grants{b}, pushes{b}, watches{b}, devices{b}, registry{b}, throttles{b},
		audits{b}, seals{b}, outboxes{b}, installations{b}, masterkeys{b}, leases{b}, nodes{b}, moves{b}, signingKeys{b}, purges{b}, rewinds{b}, migrations{b}, transactions{b}, data{b}, departures{b}, endings{b}, portraits{b}, summaries{b}, jobs{b}, invitations{b}, apiKeys{b}, personals{b}, onces{b}, newcomers{b}, welcomes{b}, webhooks{b},
	}
}

// Run tests an engine against the contract. Each case opens a fresh, migrated
// store, which open closes at the end of its test.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	held := map[string]bool{}
	for room, part := range rooms(nil) {
		for method := range reflect.TypeOf(part).Methods() {
			about, _, isCase := strings.Cut(method.Name, "_")
			if !isCase {
				continue // a method of testing.T
			}
			held[about] = true
			t.Run(method.Name, func(t *testing.T) {
				t.Parallel()
				b := &bundle{T: t, store: open(t)}
				reflect.ValueOf(rooms(b)[room]).MethodByName(method.Name).Call(nil)
			})
		}
	}
	for method := range reflect.TypeFor[*store.Tx]().Methods() {
		if !held[method.Name] {
			t.Errorf("the contract has no case of %s", method.Name)
		}
	}
}

package apikey

import "portico/internal/fault"

// Codes of the faults of keys.
const (
	CodeUnknown = "key.unknown"
	CodeEnded   = "key.ended"
	CodeStopped = "key.stopped"
	CodeScope   = "key.scope"
	CodeNever   = "key.never"
	CodeAdmin   = "key.admin"
	CodeMissing = "key.missing"

	CodeName    = "key.name"
	CodeNoScope = "key.no_scope"
	CodeEndsAt  = "key.ends_at"
)

var (
	// Unknown means that no key has the secret, or no longer.
	Unknown = fault.New(fault.Unauthenticated, CodeUnknown)

	// Ended means that the end of the key has come.
	Ended = fault.New(fault.Unauthenticated, CodeEnded)

	// Stopped means that the account which answers for the secret is no open account of an admin.
	Stopped = fault.New(fault.Unauthenticated, CodeStopped)

	// Never means that an operation is for admins only: no scope opens it.
	Never = fault.New(fault.Forbidden, CodeNever)

	// OfAdmin means that a key would change the account of an admin, or make an admin.
	OfAdmin = fault.New(fault.Forbidden, CodeAdmin)

	// Missing means that there is no such key.
	Missing = fault.New(fault.Missing, CodeMissing)
)

// Lacks returns the fault of a key without a scope that an operation needs.
func Lacks(scope string) error {
	return fault.New(fault.Forbidden, CodeScope).WithParams(map[string]string{"scope": scope})
}

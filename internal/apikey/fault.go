package apikey

import "portico/internal/fault"

// Codes of the faults of keys.
const (
	CodeMissing = "key.missing"

	CodeName    = "key.name"
	CodeNoScope = "key.no_scope"
	CodeEndsAt  = "key.ends_at"

	CodeUsedForm     = "token.form"
	CodePersonalName = "token.name"
	CodeNoApp        = "token.no_app"
	CodeNoRole       = "token.no_role"
	CodeNoDays       = "token.no_days"
)

var (
	// Unknown means that no key has the secret, or no longer.
	Unknown = fault.New(fault.Unauthenticated, "key.unknown")

	// Ended means that the end of the key has come.
	Ended = fault.New(fault.Unauthenticated, "key.ended")

	// Stopped means that the account which answers for the secret is no open account of an admin.
	Stopped = fault.New(fault.Unauthenticated, "key.stopped")

	// NoAdmin means that a user who is to answer for a secret is no admin.
	NoAdmin = fault.New(fault.Invalid, "key.no_admin")

	// Never means that an operation is for admins only: no scope opens it.
	Never = fault.New(fault.Forbidden, "key.never")

	// OfAdmin means that a key would change the account of an admin, or make an admin.
	OfAdmin = fault.New(fault.Forbidden, "key.admin")

	// Full means that the admin answers for MostKeys keys.
	Full = fault.New(fault.Conflict, "key.full")

	// Missing means that there is no such key.
	Missing = fault.New(fault.Missing, CodeMissing)

	// UnknownPersonal means that no user has the personal access token, or no longer.
	UnknownPersonal = fault.New(fault.Unauthenticated, "token.unknown")

	// EndedPersonal means that the end of the token, or of its account, has come.
	EndedPersonal = fault.New(fault.Unauthenticated, "token.ended")

	// OtherApp means that the token is not for this app.
	OtherApp = fault.New(fault.Forbidden, "token.app")

	// Unproven means that the rule asks for a recent sign-in or a second factor, which a token never has.
	Unproven = fault.New(fault.Forbidden, "token.unproven")

	// NoApp, NoRole and NoDays mean that the form offers something else now.
	NoApp  = fault.New(fault.Conflict, CodeNoApp)
	NoRole = fault.New(fault.Conflict, CodeNoRole)
	NoDays = fault.New(fault.Conflict, CodeNoDays)

	// FullPersonal means that the user has MostPersonal tokens.
	FullPersonal = fault.New(fault.Conflict, "token.full")

	// UsedForm means that a token was made with the form and has ended since, or that the form is not from the page.
	UsedForm = fault.New(fault.Conflict, CodeUsedForm)
)

// Lacks returns the fault of a key without a scope that an operation needs.
func Lacks(scope string) error {
	return fault.New(fault.Forbidden, "key.scope").WithParams(map[string]string{"scope": scope})
}

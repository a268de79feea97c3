package passkey

import "portico/internal/fault"

// Codes of the faults of this package.
const (
	CodeNameRequired = "passkey.name_required"
)

var (
	// Unknown means that no account has the passkey: it was removed here, but not at the
	// authenticator.
	Unknown = fault.New(fault.Unauthenticated, "passkey.unknown")

	// Other means that the passkey belongs to another account than the one that must prove
	// itself.
	Other = fault.New(fault.Conflict, "passkey.other")

	// Refused is the answer to a passkey that fails a check. The log has the cause.
	Refused = fault.New(fault.Unauthenticated, "passkey.refused")

	// Unproven means that the authenticator has not verified its user.
	Unproven = fault.New(fault.Unauthenticated, "passkey.unproven")

	// Expired means that the challenge has ended or was used. A new one helps.
	Expired = fault.New(fault.Conflict, "passkey.expired")

	// Exists means that an account has this passkey already.
	Exists = fault.New(fault.Conflict, "passkey.exists")

	// Full means that the account has as many passkeys as it may have.
	Full = fault.New(fault.Conflict, "passkey.full")

	// Missing means that the account has no such passkey.
	Missing = fault.New(fault.Missing, "passkey.missing")

	// Off means that the operator has switched passkeys off, or that the address
	// of the site allows none.
	Off = fault.New(fault.Missing, "passkey.off")
)

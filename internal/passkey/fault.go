package passkey

import "portico/internal/fault"

// Codes of the faults of this package.
const (
	CodeUnknown  = "passkey.unknown"
	CodeOther    = "passkey.other"
	CodeRefused  = "passkey.refused"
	CodeUnproven = "passkey.unproven"
	CodeExpired  = "passkey.expired"
	CodeExists   = "passkey.exists"
	CodeFull     = "passkey.full"
	CodeMissing  = "passkey.missing"
	CodeOff      = "passkey.off"

	CodeNameRequired = "passkey.name_required"
)

var (
	// Unknown means that no account has the passkey: it was removed here, but not at the
	// authenticator.
	Unknown = fault.New(fault.Unauthenticated, CodeUnknown)

	// Other means that the passkey belongs to another account than the one that must prove
	// itself.
	Other = fault.New(fault.Conflict, CodeOther)

	// Refused is the answer to a passkey that fails a check. The log has the cause.
	Refused = fault.New(fault.Unauthenticated, CodeRefused)

	// Unproven means that the authenticator has not verified its user.
	Unproven = fault.New(fault.Unauthenticated, CodeUnproven)

	// Expired means that the challenge has ended or was used. A new one helps.
	Expired = fault.New(fault.Conflict, CodeExpired)

	// Exists means that an account has this passkey already.
	Exists = fault.New(fault.Conflict, CodeExists)

	// Full means that the account has as many passkeys as it may have.
	Full = fault.New(fault.Conflict, CodeFull)

	// Missing means that the account has no such passkey.
	Missing = fault.New(fault.Missing, CodeMissing)

	// Off means that the operator has switched passkeys off, or that the address
	// of the site allows none.
	Off = fault.New(fault.Missing, CodeOff)
)

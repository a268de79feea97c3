package account

import "portico/internal/fault"

// Codes of the fields and faults of this package.
const (
	CodeAddressRequired = "address.required"
	CodeAddressInvalid  = "address.invalid"
	CodeAddressLetters  = "address.letters"
	CodeAddressTooLong  = "address.too_long"
	CodeNameRequired    = "name.required"
	CodeNameTooLong     = "name.too_long"
	CodeNameCharacter   = "name.character"
	CodeDisabled        = "account.disabled"
	CodeEnded           = "account.ended"
	CodeWaits           = "account.waits"
	CodeEndPast         = "admin.end_past"
	CodeExists          = "account.exists"
	CodeMissing         = "account.missing"
	CodeMissingAddress  = "account.missing_address"
	CodeQueryInvalid    = "query.invalid"
)

var (
	// Disabled says that the account is disabled. Tell it only to a
	// caller that has proved to be the owner.
	Disabled = fault.New(fault.Forbidden, CodeDisabled)

	// Ended is Disabled for an account whose end has come.
	Ended = fault.New(fault.Forbidden, CodeEnded).WithCause(Disabled)

	// Waits is Disabled for an account that no admin has approved yet.
	Waits = fault.New(fault.Forbidden, CodeWaits).WithCause(Disabled)

	// Exists says that the address has an account. Never tell it to the public.
	Exists = fault.New(fault.Conflict, CodeExists)

	// Missing says that no account has an id. Never tell it to the public.
	Missing = fault.New(fault.Missing, CodeMissing)

	// MissingAddress is Missing for an address that no account uses.
	MissingAddress = fault.New(fault.Missing, CodeMissingAddress).WithCause(Missing)
)

package account

import "portico/internal/fault"

// Codes of the fields and faults of this room.
const (
	CodeAddressRequired = "address.required"
	CodeAddressInvalid  = "address.invalid"
	CodeAddressTooLong  = "address.too_long"
	CodeDisabled        = "account.disabled"
	CodeExists          = "account.exists"
	CodeMissing         = "account.missing"
)

var (
	// Disabled says that an operator has closed the account. Only who has
	// proven to be the owner may learn it.
	Disabled = fault.New(fault.Forbidden, CodeDisabled)

	// Exists says that the address has an account. Never for the public.
	Exists = fault.New(fault.Conflict, CodeExists)

	// Missing says that there is no such account. Never for the public.
	Missing = fault.New(fault.Missing, CodeMissing)
)

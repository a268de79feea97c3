package webhook

import "portico/internal/fault"

// Codes of the faults of webhooks.
const (
	CodeMissing = "webhook.missing"
	CodeUnknown = "webhook.unknown"
)

var (
	// Missing means that the settings have no webhook of a name.
	Missing = fault.New(fault.Missing, CodeMissing)

	// Unknown means that no event of the webhook that has ended has an id.
	Unknown = fault.New(fault.Missing, CodeUnknown)
)

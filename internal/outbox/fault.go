package outbox

// CodeUnknown says that there is no dead letter of that id which could still
// be sent.
const CodeUnknown = "outbox.unknown"

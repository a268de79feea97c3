package outbox

// CodeUnknown says that no dead message with that id can still be sent.
const CodeUnknown = "outbox.unknown"

package server

// CheckTarget is tested directly by the fuzzer.
var CheckTarget = checkTarget

// The bounds of connections are tested with few of them.
var (
	NewLimited = newLimited
	ConnLimit  = connLimit
)

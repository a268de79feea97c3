package server

// CheckTarget is for the fuzz test.
var CheckTarget = checkTarget

// The limits of connections, for tests with few connections.
var (
	NewLimited = newLimited
	ConnLimit  = connLimit
)

package door

// Screens returns the names of the screens. Each is a document in every locale.
//
// If you add a screen here you MUST run go generate ./internal/server/api, and add
// it to web/src/entry/screens.ts. The type check of web fails until both are done.
func Screens() []string {
	return []string{
		"signin", "signup", "forgot-password", "verify-code", "confirm-link",
		"reset-password", "account", "signed-out", "error", "leaving",
	}
}

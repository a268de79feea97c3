package door

// Screens returns the names of the screens. Each is a document in every locale.
//
// To add a screen, add it here and to web/src/entry/screens.ts; a test of
// internal/server/screens compares the two.
func Screens() []string {
	return []string{
		"signin", "signup", "forgot-password", "verify-code", "confirm-link",
		"reset-password", "account", "signed-out", "error", "leaving",
	}
}

package session

import "time"

// Reason is why a session ended, for the words that tell its browser.
type Reason string

const (
	Left      Reason = "" // by this browser itself, which need not be told
	Idle      Reason = "idle"
	Absolute  Reason = "absolute"
	Elsewhere Reason = "elsewhere" // by the same person in another browser
	Password  Reason = "password"  // the password was changed
	Closed    Reason = "closed"    // the account was
	Deleted   Reason = "deleted"   // the account was
	Operator  Reason = "operator"  // by whoever operates the site
)

// Remembered is how long a session is known after its absolute end, so that
// its browser can be told why it has ended. The cookie lives as long.
const Remembered = 24 * time.Hour

// ended returns the fault of a session that ended for the reason.
func ended(why Reason) error {
	return Ended.WithParams(map[string]string{"reason": string(why)})
}

package session

import "time"

// Reason is why a session ended.
//
// To add a reason, add its text error.session.ended.<reason> to every file of
// web/src/i18n/messages. TestReasons_HaveWords holds it.
type Reason string

const (
	Left      Reason = "" // this browser signed out, and need not be told
	Idle      Reason = "idle"
	Absolute  Reason = "absolute"
	Elsewhere Reason = "elsewhere" // the same person ended it in another browser
	Changed   Reason = "changed"   // an address, a provider, a passkey or an authenticator app of the account was changed
	Alarm     Reason = "alarm"     // the owner took the account back by the link of an email
	Password  Reason = "password"  // the password was changed
	Disabled  Reason = "closed"    // the operator disabled the account, or its last day passed
	Deleted   Reason = "deleted"   // its owner deleted the account, or it was erased
	Operator  Reason = "operator"  // the operator of the site ended it
	Crowded   Reason = "other"     // the account has Most newer ones; the neutral text is enough
)

// Remembered is how long an expired session is kept, so that its browser can be
// told why it ended. The cookie lives as long.
const Remembered = 24 * time.Hour

// ended returns the fault of a session that ended for the reason.
func ended(why Reason) error {
	return Ended.WithParams(map[string]string{"reason": string(why)})
}

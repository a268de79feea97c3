package door

import (
	"time"

	"portico/internal/account"
	"portico/internal/flow"
)

// Flow is a pending flow as screens show it. Times are seconds since 1970; Now
// is the server's, so that a browser with a wrong clock counts right.
type Flow struct {
	ID        string `json:"id"`
	Kind      string `json:"kind" enum:" signup recovery provider"`
	State     string `json:"state" enum:" code held used_up expired done"`
	Address   string `json:"address"` // masked
	Email     string `json:"email"`   // in full: only this browser, which typed it, is told
	SentAt    int64  `json:"sent_at"`
	ExpiresAt int64  `json:"expires_at"` // of the newest code
	ResendAt  int64  `json:"resend_at"`
	Now       int64  `json:"now"`
	Next      string `json:"next"` // where the person should be, once the code is used
}

// FlowOf returns a view as screens show it.
func FlowOf(v flow.View) Flow {
	return Flow{
		ID: v.ID, Kind: string(v.Kind), State: v.State(), Address: account.Mask(v.Address), Email: account.Display(v.Address),
		SentAt: seconds(v.SentAt), ExpiresAt: seconds(v.ExpiresAt), ResendAt: resendAt(v), Now: seconds(v.Now),
		Next: v.Next,
	}
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// resendAt makes the whole seconds until the next mail no fewer than the true
// ones, so that a browser that counts them does not ask too early.
func resendAt(v flow.View) int64 {
	left := v.ResendAt.Sub(v.Now)
	if left <= 0 {
		return seconds(v.ResendAt)
	}
	return seconds(v.Now) + int64((left+time.Second-1)/time.Second)
}

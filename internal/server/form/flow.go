package form

import (
	"time"

	"portico/internal/account"
	"portico/internal/flow"
)

// Flow is a pending flow as screens show it. Times are Unix seconds. Now is the
// server's time, so that countdowns work in a browser with a wrong clock.
type Flow struct {
	ID        string `json:"id"`
	Kind      string `json:"kind" enum:" signup recovery code provider mfa terms return address enrol protect"`
	State     string `json:"state" enum:" code held refused used_up expired elsewhere done"`
	Email     string `json:"email"` // unmasked for the browser that entered it or has proven it, else masked
	SentAt    int64  `json:"sent_at"`
	ExpiresAt int64  `json:"expires_at"` // expiry of the newest code
	ResendAt  int64  `json:"resend_at"`
	Now       int64  `json:"now"`
	Next      string `json:"next"` // page to show once the code was used
}

// FlowOf converts a view for screens.
func FlowOf(v flow.View) Flow {
	return Flow{
		ID: v.ID, Kind: string(v.Kind), State: v.State(), Email: account.Display(v.Address),
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

// resendAt rounds the time of the next email up to whole seconds, so that a
// browser does not ask too early.
func resendAt(v flow.View) int64 {
	left := v.ResendAt.Sub(v.Now)
	if left <= 0 {
		return seconds(v.ResendAt)
	}
	return seconds(v.Now) + int64((left+time.Second-1)/time.Second)
}

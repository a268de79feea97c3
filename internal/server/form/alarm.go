package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
)

// Secured is the message of the page of the code after an alarm.
const Secured = "secured"

// NotMe is the form of the page of a link that raises an alarm.
type NotMe struct {
	Link string `json:"link"` // mark of the link that the page was shown for
}

// KeepAlarm is KeepLink for a link that raises an alarm. It has a cookie of its
// own, so that neither page carries out the link of the other one.
func (a *Actions) KeepAlarm(w http.ResponseWriter, token string) { a.alarm.Write(w, token, linkLife) }

// Alarm returns the token of KeepAlarm, or "".
func (a *Actions) Alarm(w http.ResponseWriter, r *http.Request) string {
	token, _ := a.alarm.Read(w, r)
	return token
}

// RaiseAlarm is the action of the button "This wasn't me". The session of this
// browser ends with all others.
func (a *Actions) RaiseAlarm(w http.ResponseWriter, r *http.Request, in NotMe) (string, error) {
	token := a.Alarm(w, r)
	if token == "" {
		return "", flow.AlarmOver // the browser has opened no such link, or too long ago
	}
	if in.Link != LinkMark(token) {
		return "", LinkChanged
	}
	next, err := a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.RaiseAlarm(ctx, c, token)
	})
	if err == nil {
		a.alarm.Clear(w)
		a.Say(w, Secured)
	}
	return next, err
}

package admin

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/server/form"
	"portico/internal/signingkey"
	"portico/internal/webhook"
)

// System is what the place System asks the process.
type System struct {
	Version, Commit string
	Checks          func(ctx context.Context) []AdminCheck // of the doctor, each with a short time limit; nil for none
	Nodes           func(ctx context.Context) ([]AdminNode, error)
	// Unsent returns up to limit emails that wait, up to limit that were given up, and how many
	// there are beyond, counted up to app.MostMore.
	Unsent func(ctx context.Context, limit int, lanes ...outbox.Lane) (waiting, dead []outbox.Listed, more int, err error)
	// TestWebhook records and sends a test. Its fault is webhook.Missing.
	TestWebhook func(ctx context.Context, by flow.Actor, name string) (webhook.Result, error)
}

// AdminSystem says how the installation is.
type AdminSystem struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit"`
	Checks  []AdminCheck      `json:"checks"`
	Nodes   []AdminNode       `json:"nodes"`
	Keys    []AdminSigningKey `json:"signing_keys"`
	Mail    AdminMail         `json:"mail"`
}

// The parts of a system.
type (
	AdminCheck struct {
		Name  string `json:"name"`
		State string `json:"state" enum:"ok warning failed skipped"`
		Words string `json:"words"` // what was found
		Do    string `json:"do"`    // what to do about it
	}
	// AdminNode is a process on the database, which runs or ran in the last ten minutes.
	AdminNode struct {
		ID   string `json:"id"`
		Host string `json:"host"`
	}
	AdminSigningKey struct {
		ID        string      `json:"id"`
		Algorithm string      `json:"algorithm"`
		State     string      `json:"state"`
		CreatedAt form.Moment `json:"created_at"`
		SignsAt   form.Moment `json:"signs_at"`
	}
	AdminMail struct {
		Messages []AdminUnsent `json:"messages"` // those that wait, and then those that were given up
		More     int           `json:"more"`     // not listed, counted up to 1,000
	}
	AdminUnsent struct {
		ID       string      `json:"id"`
		Template string      `json:"template"`
		To       string      `json:"to"`
		State    string      `json:"state"`
		Answer   string      `json:"answer"`
		AskedAt  form.Moment `json:"asked_at"`
		DueAt    form.Moment `json:"due_at" empty:"true"` // the next attempt, "" if it was given up
		Again    bool        `json:"again"`               // whether it can be sent again
	}
)

// shownMails is how many emails of each state the place has.
const shownMails = 50

func (a *Admin) system(r *http.Request, _ flow.Actor) (shown AdminSystem, err error) {
	ctx := r.Context()
	shown = AdminSystem{Version: a.System.Version, Commit: a.System.Commit, Checks: []AdminCheck{}}
	waiting, dead, more, err := a.System.Unsent(ctx, shownMails)
	if err != nil {
		return shown, err
	}
	shown.Mail = AdminMail{each(append(waiting, dead...), unsentOf), more}
	nodes, err := a.System.Nodes(ctx)
	if err != nil {
		return shown, err
	}
	keys, err := a.Operator.SigningKeys(ctx)
	if err != nil {
		return shown, err
	}
	shown.Nodes = append([]AdminNode{}, nodes...)
	shown.Keys = each(keys, func(k signingkey.Entry) AdminSigningKey {
		return AdminSigningKey{k.ID, k.Algorithm, string(k.State), form.MomentOf(k.CreatedAt), form.MomentOf(k.SignsAt)}
	})
	if a.System.Checks != nil {
		shown.Checks = append(shown.Checks, a.System.Checks(ctx)...)
	}
	return shown, nil
}

func unsentOf(l outbox.Listed) AdminUnsent {
	u := AdminUnsent{l.ID, l.Template, l.To, string(outbox.Waiting), l.Reason, form.MomentOf(l.CreatedAt), form.MomentOf(l.DueAt), l.Again}
	switch {
	case l.Dead():
		u.State, u.DueAt = string(outbox.GivenUp), ""
	case l.Suppressed:
		u.State = string(outbox.Suppressed)
	}
	return u
}

func (a *Admin) retry(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.MailAgain(r.Context(), by, "", id)
}

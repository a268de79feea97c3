package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
)

// The forms about the end of an account.
type (
	DeleteAccount struct {
		Account string `json:"account"`
	}
	KeepAccount struct {
		Flow string `json:"flow"`
	}
)

// Messages after a user has closed the account, and after the user has kept it.
const (
	AccountLeft = "account_left"
	AccountKept = "account_kept"
)

// DeleteAccount closes the account of the signed-in user, and signs out.
func (a *Actions) DeleteAccount(w http.ResponseWriter, r *http.Request, in DeleteAccount) (string, error) {
	found, err := a.signedInAs(w, r, in.Account)
	if err != nil {
		return "", err
	}
	if err := a.owner.LeaveAccount(r.Context(), a.Caller(w, r), found); err != nil {
		return "", err
	}
	a.forget(w)
	a.Say(w, AccountLeft)
	return pages.SignedOut, nil
}

// KeepAccount takes a closed account back, and signs in.
func (a *Actions) KeepAccount(w http.ResponseWriter, r *http.Request, in KeepAccount) (string, error) {
	next, err := a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.KeepAccount(ctx, c, in.Flow)
	})
	if err == nil && next == pages.Account {
		a.Say(w, AccountKept)
	}
	return next, err
}

// DropKeep ends the step that asks whether a closed account is kept.
func (a *Actions) DropKeep(w http.ResponseWriter, r *http.Request, in KeepAccount) (string, error) {
	return a.drop(w, r, in.Flow, flow.Keep)
}

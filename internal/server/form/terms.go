package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
)

// The forms of the terms of use.
type (
	AcceptTerms struct {
		Flow  string `json:"flow"`
		Terms string `json:"terms,omitempty"` // the accepted version; "" if the box is not ticked
	}
	RefuseTerms struct {
		Flow string `json:"flow"`
	}
)

// AcceptTerms is the action of /auth/terms.
func (a *Actions) AcceptTerms(w http.ResponseWriter, r *http.Request, in AcceptTerms) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.AcceptTerms(ctx, c, in.Flow, in.Terms)
	})
}

// RefuseTerms ends the step. An owner of an account is signed out.
func (a *Actions) RefuseTerms(w http.ResponseWriter, r *http.Request, in RefuseTerms) (string, error) {
	next, err := a.drop(w, r, in.Flow, flow.Accept)
	if next == pages.SignedOut {
		a.forget(w)
	}
	return next, err
}

package form

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// The forms of second factors.
type (
	GiveFactor struct {
		Flow     string `json:"flow,omitempty"` // "" asks for the factor of the session
		Code     string `json:"code"`
		Way      string `json:"way,omitempty" enum:" totp recovery"` // what the code is
		Trust    string `json:"trust,omitempty" enum:" yes"`         // in a sign-in: do not ask for a code in this browser
		ReturnTo string `json:"return_to,omitempty"`
	}
	DropFactor struct {
		Flow string `json:"flow"`
	}
	AddFactor struct {
		Account  string `json:"account"`
		ReturnTo string `json:"return_to,omitempty"`
	}
	ConfirmFactor struct {
		Flow string `json:"flow"`
		Code string `json:"code"`
	}
	SavedCodes struct {
		Flow string `json:"flow"`
	}
	RemoveFactor struct {
		Account string `json:"account"`
		ID      string `json:"id"`
	}
)

// Messages about the second step after a change of it.
const (
	FactorOn      = "factor_on"
	FactorOff     = "factor_off"
	FactorRemoved = "factor_removed"
)

// The ways of a second step.
const (
	WayApp      = "totp"
	WayPasskey  = "passkey"
	WayRecovery = "recovery"
)

// GiveFactor is the action of /auth/mfa. Without a flow it is about the session.
func (a *Actions) GiveFactor(w http.ResponseWriter, r *http.Request, in GiveFactor) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		given := flow.FactorInput{Code: in.Code, Recovery: in.Way == WayRecovery, Trust: in.Trust != ""}
		if in.Flow == "" {
			return a.Flows.StepUp(ctx, c, a.Targets.Check(in.ReturnTo), given)
		}
		return a.Flows.GiveFactor(ctx, c, in.Flow, given)
	})
}

// DropFactor ends a pending second step.
func (a *Actions) DropFactor(w http.ResponseWriter, r *http.Request, in DropFactor) (string, error) {
	return a.drop(w, r, in.Flow, flow.Factor)
}

// drop ends the step of a flow that this browser waits in.
func (a *Actions) drop(w http.ResponseWriter, r *http.Request, id string, step flow.Step) (string, error) {
	next, err := a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.StartAgain(ctx, c, id, step)
	})
	if err == nil {
		a.flow.Clear(w)
	}
	return next, err
}

// AddFactor begins to add an authenticator app.
func (a *Actions) AddFactor(w http.ResponseWriter, r *http.Request, in AddFactor) (string, error) {
	return a.ownAs(w, r, in.Account, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.BeginFactor(ctx, c, found, a.Targets.Check(in.ReturnTo))
	})
}

// ConfirmFactor adds the authenticator app after its first code.
func (a *Actions) ConfirmFactor(w http.ResponseWriter, r *http.Request, in ConfirmFactor) (string, error) {
	return a.own(w, r, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.ConfirmFactor(ctx, c, found, in.Flow, in.Code)
	})
}

// MakeCodes replaces the recovery codes.
func (a *Actions) MakeCodes(w http.ResponseWriter, r *http.Request, in AddFactor) (string, error) {
	return a.ownAs(w, r, in.Account, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.MakeCodes(ctx, c, found, a.Targets.Check(in.ReturnTo))
	})
}

// SavedCodes ends the page with the recovery codes.
func (a *Actions) SavedCodes(w http.ResponseWriter, r *http.Request, in SavedCodes) (string, error) {
	return a.own(w, r, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		result, err := a.owner.SavedCodes(ctx, c, found, in.Flow)
		if err == nil && result.TwoStep && result.Next == pages.Factors {
			a.Say(w, FactorOn)
		}
		return result, err
	})
}

// RemoveFactor removes a factor.
func (a *Actions) RemoveFactor(w http.ResponseWriter, r *http.Request, in RemoveFactor) (string, error) {
	return a.ownAs(w, r, in.Account, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		result, err := a.owner.RemoveFactor(ctx, c, found, in.ID)
		switch {
		case err != nil:
		case result.TwoStep:
			a.Say(w, FactorOff)
		default:
			a.Say(w, FactorRemoved)
		}
		return result, err
	})
}

// ownAs runs a step for the signed-in user. It returns AccountChanged if the page was shown
// for another user.
func (a *Actions) ownAs(w http.ResponseWriter, r *http.Request, account string, run func(context.Context, flow.Caller, session.Found) (flow.Result, error)) (string, error) {
	found, err := a.signedInAs(w, r, account)
	if err != nil {
		return "", err
	}
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) { return run(ctx, c, found) })
}

// own is ownAs for a form that names a flow. The flow belongs to one account.
func (a *Actions) own(w http.ResponseWriter, r *http.Request, run func(context.Context, flow.Caller, session.Found) (flow.Result, error)) (string, error) {
	found, err := a.Session(w, r)
	if err != nil {
		return "", err
	}
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) { return run(ctx, c, found) })
}

// WaitingSignIn returns the page on which this browser goes on with a sign-in, or ""
// if none waits.
func (a *Actions) WaitingSignIn(w http.ResponseWriter, r *http.Request) (string, error) {
	v, err := a.waitingAt(w, r, flow.Factor, flow.Accept, flow.Keep, flow.Protect)
	return v.Next, err
}

// waitingAt returns the flow that this browser waits in if it is at one of the
// steps, else the zero View.
func (a *Actions) waitingAt(w http.ResponseWriter, r *http.Request, steps ...flow.Step) (flow.View, error) {
	id, ok := a.flow.Read(w, r)
	if !ok {
		return flow.View{}, nil
	}
	v, err := a.Flows.View(r.Context(), a.Caller(w, r), id)
	if errors.Is(err, flow.Unknown) || err == nil && !slices.Contains(steps, v.Step) {
		return flow.View{}, nil
	}
	return v, err
}

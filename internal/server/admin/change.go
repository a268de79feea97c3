package admin

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
)

// The bodies of changes, and their answers.
type (
	none = struct{}
	// AdminEnded tells how many sessions have ended.
	AdminEnded struct {
		Ended int `json:"ended"`
	}
	// AdminRoles has the roles that an account gets in place of its present ones.
	AdminRoles struct {
		Roles []string `json:"roles"`
	}
)

func (a *Admin) disable(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.SetUserState(r.Context(), by, id, account.DisabledByOperator)
}

func (a *Admin) enable(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.SetUserState(r.Context(), by, id, account.Active)
}

func (a *Admin) endSessions(r *http.Request, by flow.Actor, id string, _ none) (AdminEnded, error) {
	ended, err := a.Operator.EndUserSessions(r.Context(), by, id)
	return AdminEnded{ended}, err
}

func (a *Admin) setRoles(r *http.Request, by flow.Actor, id string, in AdminRoles) (none, error) {
	return none{}, a.Operator.SetUserRoles(r.Context(), by, id, in.Roles)
}

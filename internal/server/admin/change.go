package admin

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/server/form"
)

// The bodies of changes, and their answers.
type (
	none = struct{}
	// AdminEnded tells how many sessions have ended.
	AdminEnded struct {
		Ended int `json:"ended"`
	}
	// AdminRemoved tells how much was removed.
	AdminRemoved struct {
		Factors  int `json:"factors"`
		Passkeys int `json:"passkeys"`
	}
	// AdminLinked tells until when the mailed link works.
	AdminLinked struct {
		Until form.Moment `json:"until"`
	}
	// AdminErased tells when the account is erased. Until then it can be restored.
	AdminErased struct {
		Until form.Moment `json:"until"`
	}
	// AdminAddressed has the address of the person: another one, or the typed one of a
	// deletion.
	AdminAddressed struct {
		Email string `json:"email"`
	}
	// AdminNamed has the name of the person.
	AdminNamed struct {
		Name string `json:"name"`
	}
	// AdminEnds has when the account ends (RFC 3339), "" for never.
	AdminEnds struct {
		At string `json:"at"`
	}
	// AdminClaims has the JSON object for apps as a text, so that its numbers and its order stay.
	AdminClaims struct {
		Claims string `json:"claims"`           // "" for none
		Before string `json:"before,omitempty"` // what the account must have until then, "{}" for none
	}
	// AdminRoles has the roles that an account gets, and those that it loses. Its other roles
	// stay, also one that another admin gives meanwhile.
	AdminRoles struct {
		Give []string `json:"give"`
		Take []string `json:"take"`
	}
)

func (a *Admin) disable(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.SetUserState(r.Context(), by, id, account.DisabledByOperator)
}

func (a *Admin) enable(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.SetUserState(r.Context(), by, id, account.Active)
}

func (a *Admin) restore(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.RestoreUser(r.Context(), by, id)
}

func (a *Admin) endSessions(r *http.Request, by flow.Actor, id string, _ none) (AdminEnded, error) {
	ended, err := a.Operator.EndUserSessions(r.Context(), by, id)
	return AdminEnded{ended}, err
}

func (a *Admin) changeRoles(r *http.Request, by flow.Actor, id string, in AdminRoles) (none, error) {
	return none{}, a.Operator.ChangeUserRoles(r.Context(), by, id, in.Give, in.Take)
}

func (a *Admin) setName(r *http.Request, by flow.Actor, id string, in AdminNamed) (none, error) {
	return none{}, a.Operator.SetUserName(r.Context(), by, id, in.Name)
}

func (a *Admin) setClaims(r *http.Request, by flow.Actor, id string, in AdminClaims) (none, error) {
	return none{}, a.Operator.SetUserClaims(r.Context(), by, id, in.Claims, in.Before)
}

func (a *Admin) setAddress(r *http.Request, by flow.Actor, id string, in AdminAddressed) (none, error) {
	return none{}, a.Operator.SetUserAddress(r.Context(), by, id, in.Email)
}

func (a *Admin) setEnd(r *http.Request, by flow.Actor, id string, in AdminEnds) (none, error) {
	at, err := timeField("at", in.At)
	if err != nil {
		return none{}, err
	}
	return none{}, a.Operator.SetUserEnd(r.Context(), by, id, at)
}

func (a *Admin) resetFactors(r *http.Request, by flow.Actor, id string, _ none) (AdminRemoved, error) {
	removed, err := a.Operator.ResetFactors(r.Context(), by, id)
	return AdminRemoved{removed.Factors, removed.Passkeys}, err
}

func (a *Admin) liftLimits(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.UnlockUser(r.Context(), by, id)
}

func (a *Admin) mailLink(r *http.Request, by flow.Actor, id string, _ none) (AdminLinked, error) {
	until, err := a.Operator.MailLink(r.Context(), by, id)
	return AdminLinked{form.MomentOf(until)}, err
}

func (a *Admin) remove(r *http.Request, by flow.Actor, id string, in AdminAddressed) (AdminErased, error) {
	until, err := a.Operator.ScheduleErasure(r.Context(), by, id, in.Email)
	return AdminErased{form.MomentOf(until)}, err
}

func (a *Admin) mailAgain(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.MailAgain(r.Context(), by, id, r.PathValue("email"))
}

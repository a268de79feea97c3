package admin

import (
	"net/http"

	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/server/form"
)

// AdminKeys is a page of the API keys, the newest first.
type AdminKeys struct {
	Keys   []AdminKey `json:"keys"`
	Scopes []string   `json:"scopes"`         // that a key can have
	Next   string     `json:"next,omitempty"` // the parameter after of the next page
}

// AdminKey is an API key, without its secret.
type AdminKey struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Scopes    []string    `json:"scopes"`
	State     string      `json:"state" enum:"working stopped ended"` // stopped: no admin answers for it
	CreatedAt form.Moment `json:"created_at"`
	EndsAt    form.Moment `json:"ends_at"`
	UsedAt    form.Moment `json:"used_at" empty:"true"` // exact to a minute, "" if it was never used
	Network   string      `json:"network"`              // of the last use
	Owner     string      `json:"owner"`                // the address of the admin who answers for the newest secret
	Secrets   int         `json:"secrets"`              // 2 while an old one still works
}

// AdminKeyMade is a key with its secret, which no other response has.
type AdminKeyMade struct {
	Key    AdminKey `json:"key"`
	Secret string   `json:"secret"`
}

func (AdminKeyMade) shownOnce() {}

// AdminKeyWanted is what a key shall be.
type AdminKeyWanted struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	EndsAt string   `json:"ends_at,omitempty"` // RFC 3339, at most a year away; "" for 90 days
}

// AdminKeyEnd is the new end of a key, as in AdminKeyWanted.
type AdminKeyEnd struct {
	EndsAt string `json:"ends_at,omitempty"`
}

func keyOf(k flow.APIKey) AdminKey {
	return AdminKey{
		k.ID, k.Name, k.Scopes, string(k.State), form.MomentOf(k.CreatedAt), form.MomentOf(k.EndsAt), form.MomentOf(k.UsedAt), k.Peer, k.OwnerAddress, k.Secrets,
	}
}

func (a *Admin) keys(r *http.Request, _ flow.Actor) (AdminKeys, error) {
	values, limit, err := paging(r)
	if err != nil {
		return AdminKeys{}, err
	}
	page, err := a.Operator.APIKeys(r.Context(), values["after"], limit)
	return AdminKeys{each(page.Items, keyOf), apikey.Scopes(), page.Next}, err
}

func (a *Admin) makeKey(r *http.Request, by flow.Actor, _ string, in AdminKeyWanted) (AdminKeyMade, error) {
	ends, err := timeField("ends_at", in.EndsAt)
	if err != nil {
		return AdminKeyMade{}, err
	}
	k, secret, err := a.Operator.MakeAPIKey(r.Context(), by, by.AccountID(), apikey.Ask{Name: in.Name, Scopes: in.Scopes, EndsAt: ends})
	return AdminKeyMade{keyOf(k), secret}, err
}

func (a *Admin) rotateKey(r *http.Request, by flow.Actor, id string, in AdminKeyEnd) (AdminKeyMade, error) {
	ends, err := timeField("ends_at", in.EndsAt)
	if err != nil {
		return AdminKeyMade{}, err
	}
	k, secret, err := a.Operator.RotateAPIKey(r.Context(), by, by.AccountID(), id, ends)
	return AdminKeyMade{keyOf(k), secret}, err
}

func (a *Admin) endOldSecret(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.EndAPIKey(r.Context(), by, id, true)
}

func (a *Admin) endKey(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.EndAPIKey(r.Context(), by, id, false)
}

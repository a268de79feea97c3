package form

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// GivePortrait is the form for a picture of the user, with files.
type GivePortrait struct {
	Account string
	Picture []byte
}

// RemovePortrait is the form that removes the picture.
type RemovePortrait struct {
	Account string `json:"account"`
}

// Messages of the profile about the picture.
const (
	PortraitSaved   = "picture"
	PortraitRemoved = "picture_removed"
)

// GivePortrait is the action of the form for the picture.
func (a *Actions) GivePortrait(w http.ResponseWriter, r *http.Request, in GivePortrait) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Profile, PortraitSaved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.SetPortrait(r.Context(), c, found, in.Picture)
	})
}

// RemovePortrait is the action of the button that removes the picture.
func (a *Actions) RemovePortrait(w http.ResponseWriter, r *http.Request, in RemovePortrait) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Profile, PortraitRemoved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.RemovePortrait(r.Context(), c, found)
	})
}

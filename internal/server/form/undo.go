package form

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// UndoProfile is the form that undoes the last change of the profile.
type UndoProfile struct {
	Account string `json:"account"`
}

// undoLife is how long a change can be undone. Its button is on one page only.
const undoLife = 10 * time.Minute

// former is a profile before a change. Its cookie grants nothing: undoing a change takes a
// session, and is judged as any other change.
type former struct {
	Account string
	flow.Profile
}

// UndoProfile is the action of the button that undoes the last change of the profile.
func (a *Actions) UndoProfile(w http.ResponseWriter, r *http.Request, in UndoProfile) (string, error) {
	before, ok := a.undoes(w, r, in.Account)
	if !ok {
		return pages.Profile, nil // a second press; the page shows the state
	}
	return a.ownStep(w, r, in.Account, pages.Profile, ProfileUndone, func(c flow.Caller, found session.Found) (flow.Result, error) {
		_, _, err := a.owner.ChangeProfile(r.Context(), c, found, before.Profile, a.Catalogue.Locales())
		if err == nil {
			a.undo.Clear(w)
		}
		return flow.Result{}, err
	})
}

// Undoes reports whether this browser can undo a change of the profile of the account.
func (a *Actions) Undoes(w http.ResponseWriter, r *http.Request, account string) bool {
	_, ok := a.undoes(w, r, account)
	return ok
}

func (a *Actions) undoes(w http.ResponseWriter, r *http.Request, account string) (before former, ok bool) {
	value, ok := a.undo.Read(w, r)
	if !ok {
		return before, false
	}
	plain, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(plain, &before)
	}
	return before, err == nil && before.Account == account
}

// keepFormer lets this browser undo a change of the profile.
func (a *Actions) keepFormer(w http.ResponseWriter, before former) error {
	plain, err := json.Marshal(before)
	if err == nil {
		a.undo.Write(w, base64.RawURLEncoding.EncodeToString(plain), undoLife)
	}
	return err
}

package form

import (
	"context"
	"errors"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// The forms of the account pages. Account is the id of the account that the page
// was shown for.
type (
	ChangePassword struct {
		Account  string `json:"account"`
		Password string `json:"password"`
		Confirm  string `json:"confirm_password"`
	}
	RemovePassword struct {
		Account string `json:"account"`
	}
	ChangeAddress struct {
		Account string `json:"account"`
		Email   string `json:"email"`
		Use     string `json:"use,omitempty"` // "recovery", or "" for the sign-in
	}
	// OwnAddress names one of the other addresses of the user.
	OwnAddress struct {
		Account string `json:"account"`
		Address string `json:"address"`
	}
	ChangeProfile struct {
		Account string `json:"account"`
		Name    string `json:"name"`
		Locale  string `json:"locale,omitempty"`
	}
	RemoveApp struct {
		Account string `json:"account"`
		App     string `json:"app"`
	}
	EndTrust struct {
		Account string `json:"account"`
		ID      string `json:"id,omitempty"` // "" for all browsers
	}
)

// EndSession ends a session of the user.
type EndSession struct {
	Account string `json:"account"`
	ID      string `json:"id,omitempty"` // "" for all but this one
}

// Messages on an account page about the step before it.
const (
	PasswordRemoved = "password_removed"
	ProfileSaved    = "profile"
	ProfileUndone   = "profile_undone"
	AddressSaved    = "address"
	AddressRemoved  = "address_removed"
	AppRemoved      = "app_removed"
	TrustEnded      = "trust_ended"
	SessionEnded    = "session_ended"
	SessionsEnded   = "sessions_ended"
)

// ChangePassword is the action of the form for a new password.
func (a *Actions) ChangePassword(w http.ResponseWriter, r *http.Request, in ChangePassword) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Password, PasswordSaved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.ChangePassword(r.Context(), c, found, in.Password, in.Confirm)
	})
}

// RemovePassword is the action of the button that removes the password.
func (a *Actions) RemovePassword(w http.ResponseWriter, r *http.Request, in RemovePassword) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Password, PasswordRemoved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.RemovePassword(r.Context(), c, found)
	})
}

// ChangeAddress is the action of the form for another address. It leads to the
// page for the code that is mailed there.
func (a *Actions) ChangeAddress(w http.ResponseWriter, r *http.Request, in ChangeAddress) (string, error) {
	return a.ownAs(w, r, in.Account, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.ChangeAddress(ctx, c, found, in.Email, in.Use == UseRecovery)
	})
}

// UseRecovery is the use of an address for a recovery and for notices.
const UseRecovery = "recovery"

// MakePrimary is the action of the button that lets another address sign in.
func (a *Actions) MakePrimary(w http.ResponseWriter, r *http.Request, in OwnAddress) (string, error) {
	return a.otherAddress(w, r, in, AddressSaved, a.owner.MakePrimary)
}

// SetRecovery is the action of the button that lets another address recover the
// account.
func (a *Actions) SetRecovery(w http.ResponseWriter, r *http.Request, in OwnAddress) (string, error) {
	return a.otherAddress(w, r, in, AddressSaved, a.owner.SetRecovery)
}

// RemoveAddress is the action of the button that removes another address.
func (a *Actions) RemoveAddress(w http.ResponseWriter, r *http.Request, in OwnAddress) (string, error) {
	return a.otherAddress(w, r, in, AddressRemoved, a.owner.RemoveAddress)
}

func (a *Actions) otherAddress(w http.ResponseWriter, r *http.Request, in OwnAddress, word string, run func(context.Context, flow.Caller, session.Found, string) (flow.Result, error)) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Addresses, word, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return run(r.Context(), c, found, in.Address)
	})
}

// ChangeProfile is the action of the form for the name and the language.
func (a *Actions) ChangeProfile(w http.ResponseWriter, r *http.Request, in ChangeProfile) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Profile, ProfileSaved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		before, changed, err := a.owner.ChangeProfile(r.Context(), c, found, flow.Profile{Name: in.Name, Locale: in.Locale}, a.Catalogue.Locales())
		switch {
		case err != nil:
		case changed:
			err = a.keepFormer(w, former{found.User.ID, before})
		default:
			a.undo.Clear(w)
		}
		return flow.Result{}, err
	})
}

// RemoveApp is the action of the button that ends what an OpenID client has.
func (a *Actions) RemoveApp(w http.ResponseWriter, r *http.Request, in RemoveApp) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Apps, AppRemoved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.RemoveApp(r.Context(), c, found, in.App)
	})
}

// EndTrust is the action of the buttons that end the trust in browsers.
func (a *Actions) EndTrust(w http.ResponseWriter, r *http.Request, in EndTrust) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Browsers, TrustEnded, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.EndTrust(r.Context(), c, found, in.ID)
	})
}

// EndSession is the action of the buttons that sign other devices out.
func (a *Actions) EndSession(w http.ResponseWriter, r *http.Request, in EndSession) (string, error) {
	word := SessionEnded
	if in.ID == "" {
		word = SessionsEnded
	}
	return a.ownStep(w, r, in.Account, pages.Sessions, word, func(c flow.Caller, found session.Found) (flow.Result, error) {
		if in.ID == "" {
			return flow.Result{}, a.owner.EndOtherSessions(r.Context(), c, found)
		}
		err := a.owner.EndSession(r.Context(), c, found, in.ID)
		if errors.Is(err, session.Missing) {
			err = nil // it has ended before
		}
		return flow.Result{}, err
	})
}

// ownStep runs a change of the signed-in user's account. It sets the cookies of the
// result, and announces word on the page that it returns to. If somebody else has
// signed in since the page was shown, it returns AccountChanged: the form would
// change an account that the page does not name.
func (a *Actions) ownStep(w http.ResponseWriter, r *http.Request, account, page, word string, run func(flow.Caller, session.Found) (flow.Result, error)) (string, error) {
	found, err := a.signedInAs(w, r, account)
	if err != nil {
		return "", err
	}
	result, err := run(a.Caller(w, r), found)
	if err != nil {
		return "", err
	}
	a.renew(w, result)
	a.Say(w, word)
	return page, nil
}

// renew sets the cookies of a session that was started again. Unlike Give, it
// leaves the method of the last sign-in as it is.
func (a *Actions) renew(w http.ResponseWriter, result flow.Result) {
	if result.Session == nil {
		return
	}
	a.device.Write(w, result.Device, deviceLife)
	a.KeepSession(w, result.Session.Value, result.Session.ExpiresAt)
}

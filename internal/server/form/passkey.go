package form

import (
	"context"
	"net/http"
	"strings"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/secret"
	"portico/internal/session"
)

// The forms of passkeys. The parts of an authenticator's answer are base64url
// without padding.
type (
	SignInPasskey struct {
		Credential string `json:"credential"`
		ClientData string `json:"client_data"`
		AuthData   string `json:"authenticator_data"`
		Signature  string `json:"signature"`
		UserHandle string `json:"user_handle"`
		ReturnTo   string `json:"return_to,omitempty"`
		Flow       string `json:"flow,omitempty"`
		Second     string `json:"second,omitempty"` // as a second factor: of the sign-in with this id, or of the "session"
	}
	BeginPasskey struct {
		Account string `json:"account"`
		Quiet   string `json:"quiet,omitempty" enum:" yes"` // the browser asks by itself
	}
	AddPasskey struct {
		Account     string `json:"account"`
		Credential  string `json:"credential"`
		ClientData  string `json:"client_data"`
		Attestation string `json:"attestation"`
		Transports  string `json:"transports,omitempty"` // with spaces between
		Quiet       string `json:"quiet,omitempty" enum:" yes"`
	}
	BeginFirstPasskey struct {
		Flow string `json:"flow"`
	}
	AddFirstPasskey struct {
		Flow        string `json:"flow"`
		Credential  string `json:"credential"`
		ClientData  string `json:"client_data"`
		Attestation string `json:"attestation"`
		Transports  string `json:"transports,omitempty"` // with spaces between
	}
	RefusePasskeys struct {
		Account  string `json:"account"`
		ReturnTo string `json:"return_to,omitempty"`
	}
	RenamePasskey struct {
		Account string `json:"account"`
		ID      string `json:"id"`
		Name    string `json:"name"`
	}
	RemovePasskey struct {
		Account string `json:"account"`
		ID      string `json:"id"`
	}
)

// PasskeyAsk asks an authenticator for a passkey.
type PasskeyAsk struct {
	Challenge string `json:"challenge"`
	Host      string `json:"rp_id"`
	Timeout   int    `json:"timeout"` // in milliseconds
}

// PasskeyOffer asks an authenticator for a new passkey.
type PasskeyOffer struct {
	Challenge  string        `json:"challenge"`
	Host       string        `json:"rp_id"`
	Site       string        `json:"rp_name"`
	Timeout    int           `json:"timeout"`
	User       string        `json:"user_id"`
	Email      string        `json:"user_name"`
	Name       string        `json:"user_display_name"`
	Algorithms []int         `json:"algorithms"`
	Exclude    []PasskeyHeld `json:"exclude"`
}

// PasskeyHeld is a passkey that the account has.
type PasskeyHeld struct {
	Credential string   `json:"credential"`
	Transports []string `json:"transports"`
}

// Messages on the page of the passkeys about the step before it.
const (
	PasskeyAdded   = "passkey_added"
	PasskeyRenamed = "passkey_renamed"
	PasskeyRemoved = "passkey_removed"
)

// AskPasskey answers with a challenge for a sign-in.
func (a *Actions) AskPasskey(w http.ResponseWriter, r *http.Request, _ struct{}) (PasskeyAsk, error) {
	ask, err := a.Flows.AskPasskey(a.Caller(w, r))
	if err != nil {
		return PasskeyAsk{}, err
	}
	a.keepBrowser(w, ask.BrowserCookie)
	return PasskeyAsk{Challenge: ask.Challenge, Host: ask.Host, Timeout: int(passkey.Life.Milliseconds())}, nil
}

// SignInPasskey signs in with a passkey.
func (a *Actions) SignInPasskey(w http.ResponseWriter, r *http.Request, in SignInPasskey) (string, error) {
	result, err := a.run(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.SignInPasskey(ctx, c, flow.PasskeyInput{
			Answer: passkey.Answer{
				Credential: in.Credential, ClientData: in.ClientData, AuthData: in.AuthData, Signature: in.Signature, Handle: in.UserHandle,
			},
			ReturnTo: a.Targets.Check(in.ReturnTo), FlowID: in.Flow, AddsTo: in.Second,
		})
	})
	if result.Session != nil {
		a.flow.Clear(w) // a second step that waits in this browser is no longer needed
	}
	return result.Next, err
}

// BeginPasskey answers with a challenge for a new passkey.
func (a *Actions) BeginPasskey(w http.ResponseWriter, r *http.Request, in BeginPasskey) (PasskeyOffer, error) {
	found, err := a.signedInAs(w, r, in.Account)
	if err != nil {
		return PasskeyOffer{}, err
	}
	o, err := a.owner.BeginPasskey(r.Context(), a.Caller(w, r), found, in.Quiet != "")
	if err != nil {
		return PasskeyOffer{}, err
	}
	a.keepBrowser(w, o.BrowserCookie)
	return a.offerOf(o), nil
}

// offerOf returns what the script of a page asks an authenticator with.
func (a *Actions) offerOf(o flow.CreationOptions) PasskeyOffer {
	offer := PasskeyOffer{
		Challenge: o.Challenge, Host: o.Host, Site: a.Flows.Site(), Timeout: int(passkey.Life.Milliseconds()),
		User: secret.Encode(o.Handle), Email: o.Address, Name: o.Name, Algorithms: passkey.Algorithms(), Exclude: []PasskeyHeld{},
	}
	if strings.TrimSpace(offer.Name) == "" {
		offer.Name = offer.Email
	}
	for _, p := range o.Exclude {
		offer.Exclude = append(offer.Exclude, PasskeyHeld{Credential: secret.Encode(p.Credential), Transports: p.Transports})
	}
	return offer
}

// BeginFirstPasskey answers with a challenge for the passkey of a new account.
func (a *Actions) BeginFirstPasskey(w http.ResponseWriter, r *http.Request, in BeginFirstPasskey) (PasskeyOffer, error) {
	o, err := a.Flows.BeginFirstPasskey(r.Context(), a.Caller(w, r), in.Flow)
	if err != nil {
		return PasskeyOffer{}, err
	}
	return a.offerOf(o), nil
}

// AddFirstPasskey adds the passkey of a new account, and signs in.
func (a *Actions) AddFirstPasskey(w http.ResponseWriter, r *http.Request, in AddFirstPasskey) (string, error) {
	return a.stepAndSay(w, r, Verified, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.AddFirstPasskey(ctx, c, in.Flow, passkey.Answer{
			Credential: in.Credential, ClientData: in.ClientData, Attestation: in.Attestation, Transports: in.Transports,
		})
	})
}

// AddPasskey adds a passkey of the signed-in user.
func (a *Actions) AddPasskey(w http.ResponseWriter, r *http.Request, in AddPasskey) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Passkeys, PasskeyAdded, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.AddPasskey(r.Context(), c, found, passkey.Answer{
			Credential: in.Credential, ClientData: in.ClientData, Attestation: in.Attestation, Transports: in.Transports,
		}, in.Quiet != "")
	})
}

// RefusePasskeys ends the offer of a passkey for the signed-in user, for good.
func (a *Actions) RefusePasskeys(w http.ResponseWriter, r *http.Request, in RefusePasskeys) (string, error) {
	found, err := a.signedInAs(w, r, in.Account)
	if err != nil {
		return "", err
	}
	return a.Targets.Or(a.Targets.Check(in.ReturnTo)), a.owner.RefusePasskeys(r.Context(), found)
}

// RenamePasskey names a passkey of the signed-in user.
func (a *Actions) RenamePasskey(w http.ResponseWriter, r *http.Request, in RenamePasskey) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Passkeys, PasskeyRenamed, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.RenamePasskey(r.Context(), c, found, in.ID, in.Name)
	})
}

// RemovePasskey removes a passkey of the signed-in user.
func (a *Actions) RemovePasskey(w http.ResponseWriter, r *http.Request, in RemovePasskey) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Passkeys, PasskeyRemoved, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.RemovePasskey(r.Context(), c, found, in.ID)
	})
}

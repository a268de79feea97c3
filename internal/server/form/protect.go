package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/passkey"
)

// The forms of a second factor that an account needs.
type (
	ProtectByApp struct {
		Flow string `json:"flow"`
		Code string `json:"code"`
	}
	ProtectByPasskey struct {
		Flow        string `json:"flow"`
		Credential  string `json:"credential"`
		ClientData  string `json:"client_data"`
		Attestation string `json:"attestation"`
		Transports  string `json:"transports,omitempty"` // with spaces between
	}
	Protection struct {
		Flow string `json:"flow"`
	}
)

// ProtectByApp is the action of the code at /auth/protect.
func (a *Actions) ProtectByApp(w http.ResponseWriter, r *http.Request, in ProtectByApp) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.ProtectByApp(ctx, c, in.Flow, in.Code)
	})
}

// BeginProtection answers with a challenge for a new passkey.
func (a *Actions) BeginProtection(w http.ResponseWriter, r *http.Request, in Protection) (PasskeyOffer, error) {
	o, err := a.Flows.BeginProtection(r.Context(), a.Caller(w, r), in.Flow)
	if err != nil {
		return PasskeyOffer{}, err
	}
	return a.offerOf(o), nil
}

// ProtectByPasskey adds the passkey, and signs in.
func (a *Actions) ProtectByPasskey(w http.ResponseWriter, r *http.Request, in ProtectByPasskey) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.ProtectByPasskey(ctx, c, in.Flow, passkey.Answer{
			Credential: in.Credential, ClientData: in.ClientData, Attestation: in.Attestation, Transports: in.Transports,
		})
	})
}

// ProtectLater signs in without the second factor, while the grace lasts.
func (a *Actions) ProtectLater(w http.ResponseWriter, r *http.Request, in Protection) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.ProtectLater(ctx, c, in.Flow)
	})
}

// DropProtection ends the step without a session.
func (a *Actions) DropProtection(w http.ResponseWriter, r *http.Request, in Protection) (string, error) {
	return a.drop(w, r, in.Flow, flow.Protect)
}

package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// OwnProvider is the form of a provider on its account page.
type OwnProvider struct {
	Account  string `json:"account"`
	Provider string `json:"provider"`
}

// Messages on the page of the providers about the step before it.
const (
	ProviderConnected    = "provider_connected"
	ProviderDisconnected = "provider_disconnected"
)

// ConnectProvider returns the address of the page of a provider that the signed-in
// user connects with.
func (a *Actions) ConnectProvider(w http.ResponseWriter, r *http.Request, in OwnProvider) (string, error) {
	return a.ownAs(w, r, in.Account, func(ctx context.Context, c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.ConnectProvider(ctx, c, found, in.Provider)
	})
}

// DisconnectProvider is the action of the button that disconnects a provider.
func (a *Actions) DisconnectProvider(w http.ResponseWriter, r *http.Request, in OwnProvider) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Providers, ProviderDisconnected, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return a.owner.DisconnectProvider(r.Context(), c, found, in.Provider)
	})
}

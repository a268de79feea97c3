package issuer

import (
	"net/http"
	"net/url"
	"strings"

	"portico/internal/assertion"
	"portico/internal/openid"
	"portico/internal/server"
)

// tokenAnswer is the body of a successful token request (RFC 6749 5.1).
type tokenAnswer struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token,omitempty"`
	Scope     string `json:"scope,omitempty"`
	ID        string `json:"id_token,omitempty"`
}

// idTokenType is the type of an ID token.
const idTokenType = "JWT"

// token exchanges a code or a refresh token, or gives a client a token for itself.
func (h *Handler) token(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Pragma", "no-cache") // RFC 6749 5.1
	client, values, err := h.client(w, r)
	if err != nil {
		h.shareWithPages(w, r)
		return h.tell(w, err)
	}
	shareWith(w, r, client)
	proof, err := h.keyProof(r, "")
	if err != nil {
		return h.tell(w, err)
	}
	if values.Get("grant_type") == grantClient {
		return h.employ(w, r, client, values, proof)
	}
	if err := h.Keys.Ready(client.IDTokenAlg); err != nil {
		return err // before the code is used up
	}
	tokens, err := h.exchange(w, r, client, values, proof)
	if err != nil {
		return h.tell(w, err)
	}
	if client.JWT {
		if tokens.Access, _, err = h.Keys.SignBy(client.IDTokenAlg, tokens.JWT(h.issuer, h.Clock.Now()), openid.AccessType); err != nil {
			return err
		}
	}
	claims := tokens.Live.IDToken(h.issuer, client, tokens.Access, h.Clock.Now(), values.Get("grant_type") == grantCode)
	id, _, err := h.Keys.SignBy(client.IDTokenAlg, claims, idTokenType)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, http.StatusOK, tokenAnswer{
		Access: tokens.Access, Type: typeOf(tokens.Key), ExpiresIn: h.remaining(tokens.Ends), Refresh: tokens.Refresh,
		Scope: strings.Join(tokens.Live.Grant.Scopes, " "), ID: id,
	})
}

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantClient  = "client_credentials"
	grantDevice  = openid.GrantDevice
)

func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, client openid.Client, values url.Values, proof assertion.KeyProof) (openid.Tokens, error) {
	caller := h.Actions.Caller(w, r)
	switch values.Get("grant_type") {
	case grantCode:
		return h.OpenID.RedeemCode(r.Context(), caller, client, openid.Redemption{
			Code: values.Get("code"), RedirectURI: values.Get("redirect_uri"), Verifier: values.Get("code_verifier"), Resources: values["resource"],
		}, proof)
	case grantRefresh:
		return h.OpenID.RefreshTokens(r.Context(), caller, client, openid.Renewal{
			Refresh: values.Get("refresh_token"), Scopes: values.Get("scope"), Resources: values["resource"],
		}, proof)
	case grantDevice:
		return h.OpenID.RedeemDevice(r.Context(), caller, client, values.Get("device_code"), values["resource"], proof)
	case "":
		return openid.Tokens{}, &openid.Error{Code: "invalid_request", Description: "grant_type is missing"}
	}
	return openid.Tokens{}, &openid.Error{Code: "unsupported_grant_type", Description: "grant_type must be authorization_code, refresh_token, client_credentials or " + grantDevice}
}

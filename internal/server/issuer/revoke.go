package issuer

import (
	"net/http"
	"strings"
	"time"

	"portico/internal/openid"
	"portico/internal/server"
)

// revoke revokes a token of the client (RFC 7009). An unknown token is no error.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request) error {
	h.shareWithPages(w, r)
	client, values, err := h.client(r)
	if err != nil {
		return h.tell(w, err)
	}
	if err := h.Actions.Flows.RevokeToken(r.Context(), h.Actions.Caller(w, r), client, values.Get("token")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// introspection is the state of a token (RFC 7662 2.2).
type introspection struct {
	Active   bool   `json:"active"`
	Scope    string `json:"scope,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	Subject  string `json:"sub,omitempty"`
	Username string `json:"username,omitempty"`
	Type     string `json:"token_type,omitempty"`
	Issuer   string `json:"iss,omitempty"`
	Expires  int64  `json:"exp,omitempty"`
}

// introspect tells a client with a secret whether one of its tokens works.
func (h *Handler) introspect(w http.ResponseWriter, r *http.Request) error {
	client, values, err := h.client(r)
	if err == nil && client.Public {
		err = &openid.Error{Code: "invalid_client", Description: "only a client with a secret may ask"}
	}
	if err != nil {
		return h.tell(w, err)
	}
	kind := "Bearer"
	l, ends, ok, err := h.Actions.Flows.AccessGrant(r.Context(), values.Get("token"))
	if err == nil && !ok {
		kind = ""
		l, ok, err = h.Actions.Flows.RefreshGrant(r.Context(), values.Get("token"))
		ends = l.Grant.ExpiresAt
	}
	if err != nil {
		return err
	}
	if !ok || l.Grant.ClientID != client.ID {
		return server.WriteJSON(w, http.StatusOK, introspection{})
	}
	return server.WriteJSON(w, http.StatusOK, h.stateOf(l, kind, ends))
}

func (h *Handler) stateOf(l openid.Live, kind string, ends time.Time) introspection {
	return introspection{
		Active: true, Scope: strings.Join(l.Grant.Scopes, " "), ClientID: l.Grant.ClientID, Subject: l.User.ID,
		Username: l.User.Address, Type: kind, Issuer: h.issuer, Expires: ends.Unix(),
	}
}

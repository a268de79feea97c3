package issuer

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/internal/openid"
	"portico/internal/server"
)

// revoke revokes a token of the client (RFC 7009). An unknown token is not an error.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request) error {
	client, values, err := h.client(w, r)
	if err != nil {
		h.shareWithPages(w, r)
		return h.tell(w, err)
	}
	shareWith(w, r, client)
	if values.Get("token") == "" {
		return h.tell(w, errNoToken())
	}
	if err := h.OpenID.RevokeToken(r.Context(), h.Actions.Caller(w, r), client, values.Get("token")); err != nil {
		return h.tell(w, err)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

func errNoToken() error { return invalidRequest("token is missing") }

// introspection is the state of a token (RFC 7662 2.2).
type introspection struct {
	Active   bool            `json:"active"`
	Scope    string          `json:"scope,omitempty"`
	ClientID string          `json:"client_id,omitempty"`
	Subject  string          `json:"sub,omitempty"`
	Username string          `json:"username,omitempty"`
	Type     string          `json:"token_type,omitempty"`
	Issuer   string          `json:"iss,omitempty"`
	Expires  int64           `json:"exp,omitempty"`
	Audience []string        `json:"aud,omitempty"`
	Confirm  *openid.Confirm `json:"cnf,omitempty"`
}

// introspect tells a client with a secret or a key whether a token works: one of its
// own, or one for a resource that the client serves.
func (h *Handler) introspect(w http.ResponseWriter, r *http.Request) error {
	client, values, err := h.client(w, r)
	if err == nil && client.Public {
		err = &openid.Error{Code: "invalid_client", Description: "only a client with a secret or a key may introspect tokens"}
	}
	if err == nil && values.Get("token") == "" {
		err = errNoToken()
	}
	if err != nil {
		return h.tell(w, err)
	}
	state, err := h.stateOf(r, values.Get("token"))
	if err != nil {
		return err
	}
	serves := slices.ContainsFunc(state.Audience, func(aud string) bool { return slices.Contains(client.Serves, aud) })
	if state.ClientID != client.ID && !serves {
		state = introspection{}
	}
	return server.WriteJSON(w, http.StatusOK, state)
}

// stateOf returns the state of a token of any kind.
func (h *Handler) stateOf(r *http.Request, token string) (introspection, error) {
	t, err := h.OpenID.Inspect(r.Context(), token)
	switch {
	case err != nil:
		return introspection{}, err
	case t.Bearer != nil:
		b := t.Bearer
		state := h.describe(b.Live, typeOf(b.Key), b.Ends, b.Resources)
		state.Confirm = confirm(b.Key)
		return state, nil
	case t.Machine != nil:
		m := t.Machine
		return introspection{
			Active: true, Scope: strings.Join(m.Scopes, " "), ClientID: m.ClientID, Subject: m.ClientID,
			Type: typeOf(m.Key), Issuer: h.issuer, Expires: m.Ends.Unix(), Audience: m.Resources, Confirm: confirm(m.Key),
		}, nil
	case t.Refresh != nil:
		return h.describe(*t.Refresh, "", t.Refresh.Ends(), nil), nil
	}
	return introspection{}, nil
}

// confirm names the key that a token belongs to, nil for none (RFC 9449 6.2).
func confirm(key string) *openid.Confirm {
	if key == "" {
		return nil
	}
	return &openid.Confirm{Key: key}
}

func (h *Handler) describe(l openid.Live, kind string, ends time.Time, resources []string) introspection {
	return introspection{
		Active: true, Scope: strings.Join(l.Grant.Scopes, " "), ClientID: l.Grant.ClientID, Subject: l.Grant.Sub(),
		Username: l.Username(), Type: kind, Issuer: h.issuer, Expires: ends.Unix(), Audience: resources,
	}
}

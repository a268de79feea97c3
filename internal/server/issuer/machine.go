package issuer

import (
	"net/http"
	"net/url"
	"strings"

	"portico/internal/assertion"
	"portico/internal/openid"
	"portico/internal/server"
)

// employ gives a client an access token for itself (RFC 6749 4.4).
func (h *Handler) employ(w http.ResponseWriter, r *http.Request, client openid.Client, values url.Values, proof assertion.KeyProof) error {
	access, m, err := h.OpenID.Employ(r.Context(), client, values.Get("scope"), values["resource"], proof)
	if err != nil {
		return h.tell(w, err)
	}
	if client.JWT {
		if access, _, err = h.Keys.SignBy(client.IDTokenAlg, m.JWT(h.issuer, h.Clock.Now()), openid.AccessType); err != nil {
			return err
		}
	}
	return server.WriteJSON(w, http.StatusOK, tokenAnswer{
		Access: access, Type: typeOf(m.Key), ExpiresIn: h.remaining(m.Ends), Scope: strings.Join(m.Scopes, " "),
	})
}

package issuer

import (
	"net/http"
	"strings"

	"portico/internal/openid"
	"portico/internal/server"
)

// userInfo tells who the user of an access token is (OpenID Connect Core 5.3).
func (h *Handler) userInfo(w http.ResponseWriter, r *http.Request) error {
	h.shareWithPages(w, r)
	access, ok := bearer(r)
	if !ok {
		w.Header().Set("Www-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	b, ok, err := h.Actions.Flows.Bearer(r.Context(), access, h.signed(access))
	if err != nil {
		return err
	}
	if !ok || len(b.Resources) > 0 {
		wrong := &openid.Error{Code: "invalid_token", Description: "the access token has expired, was revoked, or is for other servers"}
		server.Note(w, openid.Refused.WithCause(wrong))
		w.Header().Set("Www-Authenticate", `Bearer error="invalid_token", error_description="`+wrong.Description+`"`)
		return server.WriteJSON(w, http.StatusUnauthorized, refusal{wrong.Code, wrong.Description})
	}
	return server.WriteJSON(w, http.StatusOK, b.Live.UserClaims())
}

// bearer returns the access token of the Authorization header, the one place where
// it is accepted (RFC 6750 2.1).
func bearer(r *http.Request) (string, bool) {
	sent := r.Header["Authorization"]
	if len(sent) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(sent[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer")
}

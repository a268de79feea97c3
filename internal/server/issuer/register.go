package issuer

import (
	"errors"
	"mime"
	"net/http"

	"portico/internal/openid"
	"portico/internal/server"
)

// registered is what a registered client is told (RFC 7591 3.2.1, RFC 7592 3). Only the answer that
// makes a secret has it.
type registered struct {
	ID            string `json:"client_id"`
	IssuedAt      int64  `json:"client_id_issued_at"`
	Secret        string `json:"client_secret,omitempty"`
	SecretExpires *int64 `json:"client_secret_expires_at,omitempty"` // 0 for never; required with a secret
	AccessToken   string `json:"registration_access_token"`
	Address       string `json:"registration_client_uri"`
	openid.Registration
}

// registrant serves a request about a registration that has a token.
func (h *Handler) registrant(serve func(w http.ResponseWriter, r *http.Request, token string) error) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		scheme, token, err := presented(r)
		var wrong *openid.Error
		switch {
		case errors.As(err, &wrong):
			return refuseToken(w, http.StatusBadRequest, schemeBearer, wrong)
		case err != nil:
			return err
		case scheme != schemeBearer || token == "":
			return askForToken(w, schemeBearer)
		}
		return serve(w, r, token)
	}
}

// register registers a client that has an initial token.
func (h *Handler) register(w http.ResponseWriter, r *http.Request, token string) error {
	text, err := readMetadata(r)
	if err != nil {
		return h.tellRegistrant(w, err)
	}
	h.explain(w, r, func() openid.Asked { return h.Clients.Asked("", "", metadataOf(text)) })
	made, err := h.OpenID.RegisterClient(r.Context(), h.Actions.Caller(w, r), token, text)
	return h.answerRegistrant(w, http.StatusCreated, made, err)
}

// registration tells a client what it has registered.
func (h *Handler) registration(w http.ResponseWriter, r *http.Request, token string) error {
	h.explain(w, r, func() openid.Asked { return h.Clients.Asked(r.PathValue("id"), "", nil) })
	found, err := h.OpenID.ReadRegistration(r.Context(), h.Actions.Caller(w, r), r.PathValue("id"), token)
	return h.answerRegistrant(w, http.StatusOK, found, err)
}

// reregister replaces what a client has registered.
func (h *Handler) reregister(w http.ResponseWriter, r *http.Request, token string) error {
	text, err := readMetadata(r)
	if err != nil {
		return h.tellRegistrant(w, err)
	}
	h.explain(w, r, func() openid.Asked { return h.Clients.Asked(r.PathValue("id"), "", metadataOf(text)) })
	changed, err := h.OpenID.ChangeRegistration(r.Context(), h.Actions.Caller(w, r), r.PathValue("id"), token, text)
	return h.answerRegistrant(w, http.StatusOK, changed, err)
}

// unregister deletes a client.
func (h *Handler) unregister(w http.ResponseWriter, r *http.Request, token string) error {
	h.explain(w, r, func() openid.Asked { return h.Clients.Asked(r.PathValue("id"), "", nil) })
	if err := h.OpenID.EndRegistration(r.Context(), h.Actions.Caller(w, r), r.PathValue("id"), token); err != nil {
		return h.tellRegistrant(w, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readMetadata returns the body of a request, which must be JSON.
func readMetadata(r *http.Request) ([]byte, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" || len(r.Header["Content-Encoding"]) > 0 {
		return nil, &openid.Error{Code: "invalid_client_metadata", Description: "Content-Type must be application/json"}
	}
	return readBody(r)
}

func (h *Handler) answerRegistrant(w http.ResponseWriter, status int, made openid.Registree, err error) error {
	if err != nil {
		return h.tellRegistrant(w, err)
	}
	answer := registered{
		ID: made.ID, IssuedAt: made.CreatedAt.Unix(), Secret: made.Secret, AccessToken: made.AccessToken,
		Address: h.issuer + registerPath + "/" + made.ID, Registration: made.Told,
	}
	if made.Secret != "" {
		answer.SecretExpires = new(int64)
	}
	return server.WriteJSON(w, status, answer)
}

// tellRegistrant answers with an error of the standards (RFC 7591 3.2.2, RFC 6750 3). Any other
// error becomes the response of the kit.
func (h *Handler) tellRegistrant(w http.ResponseWriter, err error) error {
	var wrong *openid.Error
	if !errors.As(err, &wrong) || wrong.Code != "invalid_token" {
		return h.tell(w, err)
	}
	return refuseToken(w, http.StatusUnauthorized, schemeBearer, wrong)
}

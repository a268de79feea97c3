package issuer

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/throttle"
)

// userInfo tells who the user of an access token is (OpenID Connect Core 5.3).
func (h *Handler) userInfo(w http.ResponseWriter, r *http.Request) error {
	scheme, access, err := presented(r)
	var wrong *openid.Error
	if errors.As(err, &wrong) {
		h.shareWithPages(w, r)
		return refuseToken(w, http.StatusBadRequest, schemeBearer, wrong)
	}
	if err != nil {
		return err
	}
	if access == "" {
		h.shareWithPages(w, r)
		return askForToken(w, schemeBearer, schemeDPoP)
	}
	b, err := h.opens(w, r, scheme, access)
	if errors.As(err, &wrong) {
		h.shareWithPages(w, r)
		return refuseToken(w, http.StatusUnauthorized, scheme, wrong)
	}
	if err != nil {
		return err
	}
	client, err := h.clientOf(w, r, b.Live.Grant.ClientID)
	if err != nil {
		return err
	}
	shareWith(w, r, client)
	if id := b.Live.User.Portrait; id != "" {
		b.Live.User.Picture = h.issuer + pages.Portrait(id)
	}
	return server.WriteJSON(w, http.StatusOK, h.OpenID.UserClaims(b.Live))
}

// clientOf returns the client of a token for a page that asks, and none for a program.
func (h *Handler) clientOf(w http.ResponseWriter, r *http.Request, id string) (openid.Client, error) {
	if len(r.Header["Origin"]) == 0 {
		return openid.Client{}, nil
	}
	clients, err := h.OpenID.ClientsFor(r.Context(), h.Actions.Caller(w, r), id)
	client, _ := clients.Get(id)
	if errors.Is(err, openid.ClientUnknown) || errors.Is(err, openid.ClientDown) || errors.Is(err, throttle.Limited(0)) { // the token works, and its proof is spent: no page may read the answer
		err = nil
	}
	return client, err
}

// opens returns what an access token gives its sender, or an openid.Error. A token that
// belongs to a key counts only with a proof of that key, which is used up.
func (h *Handler) opens(w http.ResponseWriter, r *http.Request, scheme, access string) (openid.Bearer, error) {
	b, ok, err := h.OpenID.Bearer(r.Context(), access)
	id := b.Live.Grant.ClientID
	h.explain(w, r, func() openid.Asked { return h.Clients.Asked(id, "", nil) })
	if err != nil {
		return openid.Bearer{}, err
	}
	invalid := func(why string) error { return &openid.Error{Code: "invalid_token", Description: why} }
	switch {
	case !ok || len(b.Resources) > 0:
		return openid.Bearer{}, invalid("the access token has expired, was revoked, or is for other servers")
	case scheme != typeOf(b.Key):
		return openid.Bearer{}, invalid("send this access token with the scheme " + typeOf(b.Key))
	case b.Key == "":
		return b, nil
	}
	proof, err := h.keyProof(r, access)
	switch {
	case err != nil:
		return openid.Bearer{}, err
	case proof.Key == "":
		return openid.Bearer{}, openid.InvalidProof("the request has no DPoP header")
	case proof.Key != b.Key:
		return openid.Bearer{}, invalid("the access token belongs to another key")
	}
	return b, h.OpenID.SpendProof(r.Context(), proof)
}

// presented returns the access token of a request and its scheme, or "" without one. The
// token is in the Authorization header, or in the form of a POST (RFC 6750 2.1 and 2.2),
// never in the query. One in both places is an openid.Error, and so is a wrong form.
func presented(r *http.Request) (scheme, token string, err error) {
	inForm := r.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), formType)
	sent := r.Header["Authorization"]
	switch {
	case len(sent) == 0 && inForm:
		values, err := readForm(r)
		return schemeBearer, values.Get("access_token"), err
	case len(sent) == 0:
		return "", "", nil
	case len(sent) > 1:
		return "", "", invalidRequest("send the access token once")
	case inForm:
		body, err := readBody(r)
		if err != nil {
			return "", "", err
		}
		if values, _ := url.ParseQuery(string(body)); values.Has("access_token") { // also in a form that is wrong
			return "", "", invalidRequest("send the access token once")
		}
	}
	word, token := server.Credentials(sent[0])
	for _, scheme := range []string{schemeBearer, schemeDPoP} {
		if strings.EqualFold(word, scheme) {
			return scheme, token, nil
		}
	}
	return "", "", nil
}

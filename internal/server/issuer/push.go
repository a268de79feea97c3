package issuer

import (
	"errors"
	"net/http"
	"net/url"

	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/server"
)

// pushed is the answer to a request that is pushed (RFC 9126 2.2).
type pushed struct {
	RequestURI string `json:"request_uri"`
	ExpiresIn  int    `json:"expires_in"`
}

// push stores a request for a code.
func (h *Handler) push(w http.ResponseWriter, r *http.Request) error {
	client, values, err := h.client(w, r)
	if err != nil {
		h.shareWithPages(w, r)
		return h.tell(w, err)
	}
	shareWith(w, r, client)
	if values.Has("request_uri") {
		return h.tell(w, invalidRequest("a pushed request must not contain request_uri")) // RFC 9126 2.1
	}
	for _, proof := range []string{"client_secret", "client_assertion", "client_assertion_type"} {
		values.Del(proof)
	}
	values.Set("client_id", client.ID)
	proof, err := h.keyProof(r, "")
	if err != nil {
		return h.tell(w, err)
	}
	if proof.Key != "" { // which says what dpop_jkt says (RFC 9449 10.1)
		if asked := values.Get("dpop_jkt"); asked != "" && asked != proof.Key {
			return h.tell(w, openid.InvalidProof("dpop_jkt must be the thumbprint of the key in the DPoP proof"))
		}
		values.Set("dpop_jkt", proof.Key)
	}
	_, err = h.judge(values, h.Clients.With(client).ParsePushed)
	switch {
	case errors.Is(err, openid.RedirectUnknown):
		return h.tell(w, invalidRequest("redirect_uri is not registered"))
	case err != nil:
		return h.tell(w, err)
	}
	name, err := h.OpenID.Push(r.Context(), h.Actions.Caller(w, r), client, values, proof)
	if err != nil {
		return h.tell(w, err)
	}
	return server.WriteJSON(w, http.StatusCreated, pushed{name, int(openid.PushLife.Seconds())})
}

// pulled returns the pushed request that a browser names. All parameters other than
// the name do not count. begun says that the browser was here with it before.
func (h *Handler) pulled(w http.ResponseWriter, r *http.Request, clients openid.Clients, query url.Values, begun bool) (openid.Request, error) {
	if err := openid.Single(query, "client_id", "request_uri"); err != nil {
		return openid.Request{}, err
	}
	p, err := h.OpenID.Pushed(r.Context(), query.Get("client_id"), query.Get("request_uri"), begun)
	if err != nil {
		return openid.Request{}, err
	}
	inner, err := url.ParseQuery(p.Query)
	if err != nil {
		return openid.Request{}, err
	}
	h.explain(w, r, func() openid.Asked { return clients.Asked(p.ClientID, "", inner) })
	request, err := h.judge(inner, clients.ParsePushed)
	request.Pushed = p.Hash
	return request, err
}

// carry returns the query by which a browser goes on with a request. It marks a pushed
// one, whose time to begin may be over then.
func (h *Handler) carry(w http.ResponseWriter, r *http.Request, request openid.Request, mark flow.Mark, rawQuery string) string {
	if request.Pushed == nil || mark.Sent {
		return rawQuery
	}
	return h.OpenID.Sent(flow.CutMark(rawQuery), h.Actions.BindBrowser(w, r))
}

package issuer

import (
	"errors"
	"net/http"
	"net/url"
	"time"

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
		return h.tell(w, invalidRequest("a request that is pushed has no request_uri")) // RFC 9126 2.1
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
			return h.tell(w, openid.InvalidProof("dpop_jkt is not the thumbprint of the key in the DPoP proof"))
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
	name, err := h.Actions.Flows.Push(r.Context(), h.Actions.Caller(w, r), client, values, proof)
	if err != nil {
		return h.tell(w, err)
	}
	return server.WriteJSON(w, http.StatusCreated, pushed{name, int(openid.PushLife.Seconds())})
}

// pulled returns the pushed request that a browser names. All other parameters beside
// the name do not count. raw and mark are of the query of the browser.
func (h *Handler) pulled(r *http.Request, clients openid.Clients, query url.Values, raw, mark string) (openid.Request, error) {
	if err := openid.Single(query, "client_id", "request_uri"); err != nil {
		return openid.Request{}, err
	}
	_, unmarked := h.Actions.Flows.Marked(raw, mark)
	p, err := h.Actions.Flows.Pushed(r.Context(), query.Get("client_id"), query.Get("request_uri"), unmarked == nil)
	if err != nil {
		return openid.Request{}, err
	}
	inner, err := url.ParseQuery(p.Query)
	if err != nil {
		return openid.Request{}, err
	}
	request, err := h.judge(inner, clients.ParsePushed)
	request.Pushed = p.Hash
	return request, err
}

// carry returns the query by which a browser goes on with a request. It marks a pushed
// one, whose time to begin may be over then.
func (h *Handler) carry(request openid.Request, rawQuery string, signedInAt time.Time) string {
	raw, mark, _ := cutMark(rawQuery)
	if _, unmarked := h.Actions.Flows.Marked(raw, mark); request.Pushed == nil || unmarked == nil {
		return rawQuery
	}
	return h.marked(raw, signedInAt)
}

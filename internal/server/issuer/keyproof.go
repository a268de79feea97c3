package issuer

import (
	"net/http"

	"portico/internal/assertion"
	"portico/internal/openid"
)

// keyProof returns the key proof of a request (RFC 9449 4), the zero value if it has
// none. access is the access token of the request, if it has one.
func (h *Handler) keyProof(r *http.Request, access string) (assertion.KeyProof, error) {
	sent := r.Header["Dpop"]
	switch len(sent) {
	case 0:
		return assertion.KeyProof{}, nil
	case 1:
		return h.OpenID.CheckProof(sent[0], assertion.Use{Method: r.Method, URL: h.issuer + r.URL.Path, Token: access})
	}
	return assertion.KeyProof{}, openid.InvalidProof("the request has more than one DPoP header")
}

// typeOf returns the type of an access token that belongs to a key, or to none.
func typeOf(key string) string {
	if key != "" {
		return schemeDPoP
	}
	return schemeBearer
}

package issuer

import (
	"net/http"
	"strings"

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
		return h.Actions.Flows.CheckProof(sent[0], assertion.Use{Method: r.Method, URL: h.issuer + r.URL.Path, Token: access})
	}
	return assertion.KeyProof{}, openid.InvalidProof("the request has two DPoP headers")
}

// typeOf returns the type of an access token that belongs to a key, or to none.
func typeOf(key string) string {
	if key != "" {
		return schemeDPoP
	}
	return schemeBearer
}

// The schemes of the Authorization header.
const (
	schemeBearer = "Bearer"
	schemeDPoP   = "DPoP"
)

// challenge is the value of WWW-Authenticate for a scheme. wrong may be nil.
func challenge(scheme string, wrong *openid.Error) string {
	var parts []string
	if wrong != nil {
		parts = append(parts, `error="`+wrong.Code+`"`, `error_description="`+wrong.Description+`"`)
	}
	if scheme == schemeDPoP {
		parts = append(parts, `algs="`+strings.Join(assertion.ProofAlgorithms(), " ")+`"`)
	}
	if len(parts) == 0 { // a scheme has at least one parameter (RFC 6750 3)
		parts = append(parts, `realm="portico"`)
	}
	return scheme + " " + strings.Join(parts, ", ")
}

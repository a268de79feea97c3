package issuer

import (
	"net/http"
	"strings"

	"portico/internal/assertion"
	"portico/internal/openid"
	"portico/internal/server"
)

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

// askForToken answers a request without an access token. It names the schemes, and no error (RFC
// 6750 3.1).
func askForToken(w http.ResponseWriter, schemes ...string) error {
	for _, scheme := range schemes {
		w.Header().Add("Www-Authenticate", challenge(scheme, nil))
	}
	w.WriteHeader(http.StatusUnauthorized)
	return nil
}

// refuseToken answers a request whose access token does not count.
func refuseToken(w http.ResponseWriter, status int, scheme string, wrong *openid.Error) error {
	server.Note(w, openid.Refused.WithCause(wrong))
	w.Header().Set("Www-Authenticate", challenge(scheme, wrong))
	return server.WriteJSON(w, status, refusal{wrong.Code, wrong.Description})
}

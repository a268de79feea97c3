package issuer

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"

	"portico/internal/assertion"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/server"
)

// metadataAge is how long clients may keep the metadata, in seconds.
const metadataAge = 300

// metadata returns what clients may know of this provider (OpenID Connect Discovery
// 3, RFC 8414).
func metadata(issuer string, algorithms, locales []string, documents, registers bool) map[string]any {
	words := func(w ...string) []string { return w }
	m := map[string]any{
		"issuer":                                                   issuer,
		"authorization_endpoint":                                   issuer + pages.Authorize,
		"token_endpoint":                                           issuer + pages.Token,
		"userinfo_endpoint":                                        issuer + pages.UserInfo,
		"pushed_authorization_request_endpoint":                    issuer + parPath,
		"require_pushed_authorization_requests":                    false,
		"revocation_endpoint":                                      issuer + revokePath,
		"introspection_endpoint":                                   issuer + introspectPath,
		"device_authorization_endpoint":                            issuer + devicePath,
		"end_session_endpoint":                                     issuer + pages.EndSession,
		"backchannel_logout_supported":                             true,
		"backchannel_logout_session_supported":                     true,
		"jwks_uri":                                                 issuer + "/.well-known/jwks.json",
		"scopes_supported":                                         openid.Scopes(),
		"response_types_supported":                                 words("code"),
		"response_modes_supported":                                 words("query", "form_post"),
		"grant_types_supported":                                    words(grantCode, grantRefresh, grantClient, grantDevice),
		"subject_types_supported":                                  words("public"),
		"id_token_signing_alg_values_supported":                    algorithms,
		"token_endpoint_auth_methods_supported":                    words("client_secret_basic", "client_secret_post", "private_key_jwt", "none"),
		"token_endpoint_auth_signing_alg_values_supported":         assertion.Algorithms(),
		"code_challenge_methods_supported":                         words("S256"),
		"prompt_values_supported":                                  words("none", "login", "select_account", "consent"),
		"acr_values_supported":                                     openid.ACRValues(),
		"claims_supported":                                         append(words("iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"), openid.Claims()...),
		"claims_parameter_supported":                               true,
		"ui_locales_supported":                                     locales,
		"request_parameter_supported":                              false,
		"request_uri_parameter_supported":                          false,
		"revocation_endpoint_auth_methods_supported":               words("client_secret_basic", "client_secret_post", "private_key_jwt", "none"),
		"revocation_endpoint_auth_signing_alg_values_supported":    assertion.Algorithms(),
		"introspection_endpoint_auth_methods_supported":            words("client_secret_basic", "client_secret_post", "private_key_jwt"),
		"introspection_endpoint_auth_signing_alg_values_supported": assertion.Algorithms(),
		"authorization_response_iss_parameter_supported":           true,
		"dpop_signing_alg_values_supported":                        assertion.ProofAlgorithms(),
	}
	if documents {
		m["client_id_metadata_document_supported"] = true
	}
	if registers {
		m["registration_endpoint"] = issuer + registerPath
	}
	return m
}

// document is a JSON document that never changes.
type document struct {
	body []byte
	etag string
}

func newDocument(v any) document {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, lists of strings and bools always have a JSON form
	}
	sum := sha256.Sum256(body)
	return document{body, `"` + secret.Encode(sum[:12]) + `"`}
}

func (h *Handler) discovery(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	server.OpenToAll(w)
	header.Set("Cache-Control", "public, max-age="+strconv.Itoa(metadataAge))
	header.Set("Etag", h.metadata.etag)
	if server.Unchanged(r, h.metadata.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(h.metadata.body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(h.metadata.body) // fails only if the client has gone
	return nil
}

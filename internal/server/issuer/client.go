package issuer

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
)

func invalidRequest(why string) *openid.Error {
	return &openid.Error{Code: "invalid_request", Description: why}
}

// formType is the media type of all requests of clients that have a body.
const formType = "application/x-www-form-urlencoded"

// readForm reads the parameters of a request. Unlike server.Decode it ignores
// unknown ones (RFC 6749 3.2). None may be there twice.
func readForm(r *http.Request) (url.Values, error) {
	values, err := parseForm(r)
	if err != nil {
		return nil, err
	}
	for name, list := range values {
		if len(list) > 1 && name != "resource" || !utf8.ValidString(name+strings.Join(list, "")) { // RFC 8707 2 repeats resource
			return nil, wrongForm()
		}
	}
	return withValues(values), nil
}

func wrongForm() *openid.Error {
	return invalidRequest("send " + formType + " in UTF-8, each parameter once, and no query")
}

// parseForm parses a form without checking its parameters.
func parseForm(r *http.Request) (url.Values, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != formType || r.URL.RawQuery != "" || len(r.Header["Content-Encoding"]) > 0 {
		return nil, wrongForm()
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, wrongForm()
	}
	return values, nil
}

// readBody returns a body. When it ends early, the client has failed and not the server.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", invalidRequest("the body did not arrive in full"), err)
	}
	return body, nil
}

// withValues removes each parameter without a value, which counts as omitted (RFC 6749 3.1).
func withValues(values url.Values) url.Values {
	maps.DeleteFunc(values, func(_ string, list []string) bool { return len(list) == 1 && list[0] == "" })
	return values
}

// client returns the client that sends a form, and the form. Its errors are openid.Error, except
// for a limit, and for an outage.
func (h *Handler) client(w http.ResponseWriter, r *http.Request) (openid.Client, url.Values, error) {
	values, err := readForm(r)
	h.explain(w, r, func() openid.Asked { return askedBy(h.Clients, r, values) })
	if err != nil {
		return openid.Client{}, nil, err
	}
	proof, err := proofOf(r, values)
	if err != nil {
		return openid.Client{}, nil, err
	}
	proof.Audiences = []string{h.issuer}
	if r.URL.Path != parPath { // where FAPI 2.0 wants the issuer alone
		proof.Audiences = append(proof.Audiences, h.issuer+pages.Token)
	}
	client, err := h.OpenID.AuthenticateClient(r.Context(), h.Actions.Caller(w, r), proof)
	if err == nil && client.Guest {
		clients := h.Clients.With(client)
		h.explain(w, r, func() openid.Asked { return askedBy(clients, r, values) })
	}
	return client, values, err
}

// assertionType is the type of an assertion that authenticates a client (RFC 7523 2.2).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// proofOf returns what the client of a request authenticates with, which must be one thing.
func proofOf(r *http.Request, values url.Values) (openid.Proof, error) {
	oneWay := invalidRequest("the client must authenticate in exactly one way")
	proof := openid.Proof{
		ID: values.Get("client_id"), Secret: values.Get("client_secret"), Assertion: values.Get("client_assertion"),
	}
	asserts := values.Has("client_assertion") || values.Has("client_assertion_type")
	if asserts && (proof.Secret != "" || proof.Assertion == "") {
		return openid.Proof{}, oneWay
	}
	switch kind := values.Get("client_assertion_type"); {
	case asserts && kind == "":
		return openid.Proof{}, invalidRequest("client_assertion_type is missing")
	case asserts && kind != assertionType: // a way that is not supported (RFC 6749 5.2)
		return openid.Proof{}, &openid.Error{Code: "invalid_client", Description: "client_assertion_type must be " + assertionType}
	}
	if len(r.Header["Authorization"]) > 0 {
		id, secret, ok := basic(r)
		if !ok { // RFC 6749 5.2 answers a client that tried this header with 401
			return openid.Proof{}, &openid.Error{Code: "invalid_client", Description: "send one Authorization header with Basic, and percent-encode the id and the secret first"}
		}
		if asserts || proof.Secret != "" || proof.ID != "" && proof.ID != id {
			return openid.Proof{}, oneWay
		}
		proof = openid.Proof{ID: id, Secret: secret}
	}
	return proof, nil
}

// basic returns id and secret of the Authorization header (RFC 6749 2.3.1).
func basic(r *http.Request) (id, secret string, ok bool) {
	name, password, ok := r.BasicAuth()
	if !ok || len(r.Header["Authorization"]) > 1 {
		return "", "", false
	}
	id, idErr := url.QueryUnescape(name)
	secret, secretErr := url.QueryUnescape(password)
	return id, secret, idErr == nil && secretErr == nil
}

// refusal is the body of an error (RFC 6749 5.2).
type refusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// tell answers a client with an error of the standards. Any other error becomes the
// response of the kit.
func (h *Handler) tell(w http.ResponseWriter, err error) error {
	var wrong *openid.Error
	if !errors.As(err, &wrong) {
		return err
	}
	server.Note(w, openid.Refused.WithCause(err)) // with the cause of an outage
	status := http.StatusBadRequest
	if wrong.Code == "invalid_client" {
		status = http.StatusUnauthorized
		w.Header().Set("Www-Authenticate", `Basic realm="portico"`)
	}
	return server.WriteJSON(w, status, refusal{wrong.Code, wrong.Description})
}

// unread answers a client whose request the server does not read. RFC 9126 2.3 names the
// status 413.
func unread(w http.ResponseWriter, status int) error {
	why := "the body is too large"
	switch status {
	case http.StatusLengthRequired:
		why = "send a Content-Length, and no Transfer-Encoding"
	case http.StatusMethodNotAllowed:
		why = "send one of the methods in the Allow header"
	}
	return server.WriteJSON(w, status, refusal{"invalid_request", why})
}

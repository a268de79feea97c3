package openid

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"portico/internal/origin"
	"portico/internal/secret"
)

// maxNonce is the size limit of a nonce in bytes, which the store keeps.
const maxNonce = 512

// Request is a valid request for a code (OpenID Connect Core 3.1.2.1).
type Request struct {
	Client      Client
	RedirectURI string
	State       string
	Nonce       string
	Challenge   string // PKCE, S256
	Scopes      []string
	Resources   []string // that its access tokens are for
	FormPost    bool     // the answer is a form, not a redirect
	Pushed      []byte   // Hash of the pushed request; nil for none
	Key         string   // thumbprint of the key that the code is for; "" for any
	Claims      []string // that it asks for one by one, each with its place
	Locales     string   // languages of pages, in the order of the user's preference; "" for none

	None   bool          // prompt: show nothing
	Login  bool          // prompt: sign in again
	Select bool          // prompt: let the user choose the account
	Ask    bool          // prompt: ask for consent again
	Strong bool          // a second factor, if the account has one
	Level  string        // acr that the ID token must have; "" for any
	Timed  bool          // the ID token must have auth_time
	Users  []string      // from id_token_hint and the claim sub: one of them must be signed in; none for any user
	MaxAge time.Duration // the maximum age of the sign-in; negative for any
	Hint   string        // the address of the user, as the client supposes
}

// ParseRequest reads a request. Its errors are ClientUnknown, RedirectUnknown and
// ParameterTwice, which only a page may show, and an Error, which goes to the RedirectURI of the
// request.
func (c Clients) ParseRequest(query url.Values) (Request, error) {
	r, err := c.ParsePushed(query)
	if err == nil && r.Client.RequirePAR {
		err = invalidRequest("this client must push its requests to pushed_authorization_request_endpoint")
	}
	return r, err
}

// ParsePushed is ParseRequest for a request that does not come from a browser.
func (c Clients) ParsePushed(query url.Values) (Request, error) {
	r := Request{MaxAge: -1}
	if err := Single(query, "client_id", "redirect_uri"); err != nil {
		return r, err
	}
	client, known := c.Get(query.Get("client_id"))
	if !known {
		return r, ClientUnknown
	}
	if !query.Has("redirect_uri") || !client.returnsTo(query.Get("redirect_uri")) {
		return r, RedirectUnknown
	}
	r.Client, r.RedirectURI = client, query.Get("redirect_uri")
	r.Client.EachTime = client.Guest || client.Public && !strings.HasPrefix(r.RedirectURI, "https://") // RFC 8252 8.6
	if len(query["state"]) == 1 {
		r.State = query.Get("state")
	}
	r.FormPost = query.Get("response_mode") == "form_post"
	for name, values := range query {
		if len(values) > 1 && name != "resource" {
			return r, invalidRequest("duplicate parameter: " + word(name))
		}
		if slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) { // PostgreSQL would refuse to store it
			return r, invalidRequest("a parameter must be in UTF-8: " + word(name))
		}
	}
	if !client.Code {
		return r, mayNotUse("authorization_code", "it")
	}
	var err error
	if r.Resources, err = resources(query["resource"], client.Resources); err != nil {
		return r, err
	}
	if err := r.readFixed(query); err != nil {
		return r, err
	}
	if err := r.readChallenge(query); err != nil {
		return r, err
	}
	err = r.readPrompt(query)
	if err == nil && query.Has("claims") {
		err = r.readClaims(query.Get("claims"))
	}
	return r, err
}

// Single returns ParameterTwice if a request has one of some parameters twice.
func Single(query url.Values, names ...string) error {
	for _, name := range names {
		if len(query[name]) > 1 {
			return ParameterTwice.WithParams(map[string]string{"name": name}).WithCause(errors.New("duplicate parameter: " + name))
		}
	}
	return nil
}

// word returns the name of a parameter for an error, if it looks like one.
func word(name string) string {
	if len(name) > 40 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return "(unknown)"
	}
	return name
}

// readFixed reads the parameters that have few valid values.
func (r *Request) readFixed(query url.Values) error {
	for _, name := range []string{"request", "request_uri", "registration"} {
		if query.Has(name) {
			return &Error{name + "_not_supported", "send the parameters in the request itself"}
		}
	}
	switch query.Get("response_mode") {
	case "", "query", "form_post":
	default:
		return invalidRequest("response_mode must be query or form_post")
	}
	if query.Get("response_type") != "code" {
		if !query.Has("response_type") {
			return invalidRequest("response_type is missing")
		}
		return &Error{"unsupported_response_type", "response_type must be code"}
	}
	var err error
	if r.Scopes, err = r.Client.granted(query.Get("scope")); err != nil {
		return err
	}
	if r.Key = query.Get("dpop_jkt"); r.Key != "" && !secret.ValidToken(r.Key) {
		return invalidRequest("dpop_jkt must be a SHA-256 hash in base64url")
	}
	r.Nonce = query.Get("nonce")
	if len(r.Nonce) > maxNonce || strings.ContainsRune(r.Nonce, 0) {
		return invalidRequest("the nonce is longer than 512 bytes, or has a zero byte")
	}
	return nil
}

// granted returns the scopes that a client gets when it asks for some.
func (client Client) granted(asked string) (scopes []string, err error) {
	words := strings.Fields(asked)
	if len(words) == 0 && client.Guest { // a client of plain OAuth (RFC 6749 3.3)
		words = []string{scopeOpenID}
	}
	if !slices.Contains(words, scopeOpenID) {
		return nil, &Error{"invalid_scope", "the scope openid is missing"}
	}
	for _, scope := range client.Scopes {
		if slices.Contains(words, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

func (r *Request) readChallenge(query url.Values) error {
	r.Challenge = query.Get("code_challenge")
	switch {
	case r.Challenge == "" && query.Has("code_challenge_method"):
		return invalidRequest("code_challenge is missing")
	case r.Challenge == "" && r.Client.PKCE:
		return invalidRequest("code_challenge is missing: this client must use PKCE")
	case r.Challenge == "":
		return nil
	case query.Get("code_challenge_method") != "S256":
		return invalidRequest("code_challenge_method must be S256")
	case !secret.ValidToken(r.Challenge):
		return invalidRequest("code_challenge must be a SHA-256 hash in base64url")
	}
	return nil
}

// readPrompt reads what the user must do. The value consent matters only for a
// client whose users are asked. OpenID Connect Core 3.1.2.1 has a SHOULD there, but apps must send
// it to get offline_access (11), and the operator has decided that the users of others are not asked.
func (r *Request) readPrompt(query url.Values) error {
	r.Hint, r.Locales = query.Get("login_hint"), query.Get("ui_locales")
	prompts := strings.Fields(query.Get("prompt"))
	for _, p := range prompts {
		switch p {
		case "none":
			r.None = true
		case "login":
			r.Login = true
		case "select_account":
			r.Select = true
		case "consent":
			r.Ask = true
		default:
			return invalidRequest("prompt must be none, login, select_account or consent")
		}
	}
	if r.None && len(prompts) > 1 {
		return invalidRequest("prompt=none must be the only value")
	}
	if acrs := strings.Fields(query.Get("acr_values")); len(acrs) > 0 {
		r.Strong = acrs[0] == acrTwo
	}
	if !query.Has("max_age") {
		return nil
	}
	seconds, err := strconv.ParseUint(query.Get("max_age"), 10, 31)
	if err != nil {
		return invalidRequest("max_age must be a number of seconds")
	}
	r.MaxAge = time.Duration(seconds) * time.Second
	r.Login = r.Login || seconds == 0
	return nil
}

// OfStranger reports whether anybody can have published the address of the request. An app on the user's own device is
// no site that a browser could be led to.
func (r Request) OfStranger() bool {
	_, _, local := cutLoopback(r.RedirectURI)
	return r.Client.Guest && RegisteredHost(r.Client.ID) == "" && !local
}

// Host returns where the browser goes after the request, for the user to read: the
// host of its address, or the private scheme.
func (r Request) Host() string {
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		return r.RedirectURI
	}
	if origin.HasPrivateScheme(u) { // behind which the app may write the name of another host
		return u.Scheme
	}
	return cmp.Or(u.Host, u.Scheme)
}

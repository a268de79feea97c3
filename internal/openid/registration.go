package openid

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"portico/internal/ids"
	"portico/internal/origin"
)

// Registration is what a client has registered about itself, as it is told (RFC 7591
// 3.2.1). All other members of its request are dropped: pictures, texts, addresses of
// pages. So Portico shows and loads none of them.
type Registration struct {
	RedirectURIs  []string        `json:"redirect_uris"`
	Method        string          `json:"token_endpoint_auth_method"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	Scope         string          `json:"scope"`
	IDTokenAlg    string          `json:"id_token_signed_response_alg"`
	Keys          json.RawMessage `json:"jwks,omitempty"`
	KeysURI       string          `json:"jwks_uri,omitempty"`
	LogoutReturns []string        `json:"post_logout_redirect_uris,omitempty"`
	DPoP          bool            `json:"dpop_bound_access_tokens"`
	LogoutURI     string          `json:"backchannel_logout_uri,omitempty"`
	LogoutSID     bool            `json:"backchannel_logout_session_required,omitempty"` // logout tokens always have one

	secret string // that a change names as the client's; "" for none
}

// methodBasic is the method of a registration that names none (RFC 7591 2).
const methodBasic = "client_secret_basic"

// ParseRegistration reads the metadata that a client sends to be registered. id is of a client that is
// there and changes, "" for a new one. Its errors are Error. algorithms are for ID tokens, the default first.
func ParseRegistration(text []byte, id string, algorithms []string) (Registration, error) {
	m, ok := readMembers(text)
	if !utf8.Valid(text) || !ok {
		return Registration{}, invalidMetadata("send a JSON object in UTF-8 without duplicate members")
	}
	if id != "" {
		if err := m.checkChange(id); err != nil {
			return Registration{}, err
		}
	}
	for _, name := range []string{"sector_identifier_uri", "software_statement"} {
		if m[name] != nil {
			return Registration{}, invalidMetadata(name + " is not supported")
		}
	}
	if subject := m.text("subject_type"); m["subject_type"] != nil && subject != "public" {
		return Registration{}, invalidMetadata("subject_type must be public")
	}
	for _, uri := range slices.Concat(m.texts("redirect_uris"), m.texts("post_logout_redirect_uris")) {
		if why := judgeAddress(uri); why != "" {
			return Registration{}, &Error{"invalid_redirect_uri", why}
		}
	}
	if m["token_endpoint_auth_method"] == nil {
		m["token_endpoint_auth_method"] = []byte(`"` + methodBasic + `"`)
	}
	d, err := m.metadata(methodBasic, "client_secret_post", "private_key_jwt", "none")
	if bad := badReturn(""); errors.As(err, &bad) {
		return Registration{}, &Error{"invalid_redirect_uri", bad.Error()}
	}
	if err != nil {
		return Registration{}, invalidMetadata(err.Error())
	}
	r := Registration{
		RedirectURIs: d.RedirectURIs, LogoutReturns: m.texts("post_logout_redirect_uris"),
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, Scope: m.scope(),
		Method: m.text("token_endpoint_auth_method"), secret: m.text("client_secret"), KeysURI: d.KeysURI,
		IDTokenAlg: algorithms[0], DPoP: d.DPoP,
	}
	if text := m["backchannel_logout_uri"]; text != nil && json.Unmarshal(text, &r.LogoutURI) != nil {
		return Registration{}, invalidMetadata("backchannel_logout_uri must be a string")
	}
	if required := m["backchannel_logout_session_required"]; required != nil && json.Unmarshal(required, &r.LogoutSID) != nil {
		return Registration{}, invalidMetadata("backchannel_logout_session_required must be true or false")
	}
	if d.Keys != "" {
		r.Keys = json.RawMessage(d.Keys)
	}
	if asked := m.text("id_token_signed_response_alg"); slices.Contains(algorithms, asked) {
		r.IDTokenAlg = asked
	}
	return r, r.check()
}

// checkChange holds that the metadata of a client that is there name its id, and nothing
// that the server alone decides (RFC 7592 2.2).
func (m members) checkChange(id string) error {
	if m.text("client_id") != id {
		return invalidMetadata("client_id differs from the one in the address")
	}
	for _, name := range []string{"registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at"} {
		if m[name] != nil {
			return invalidMetadata(name + " is set by the server, and a client must not send it")
		}
	}
	return nil
}

func invalidMetadata(why string) *Error { return &Error{"invalid_client_metadata", why} }

// scope returns the scopes that the client may ask for: the scopes that it names, as far as
// a client may have them that no operator knows.
func (m members) scope() string {
	asked := strings.Fields(m.text("scope"))
	var list []string
	for _, s := range guestScopes() {
		if m["scope"] == nil || s == scopeOpenID || slices.Contains(asked, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, " ")
}

const (
	// maxAddress is the longest address of a registered client, in bytes.
	maxAddress = 2 << 10

	// maxHost is the longest name of a host, in bytes (RFC 1035 3.1). Such a name is part of an id.
	maxHost = 253
)

// judgeAddress returns why users could not judge the host of an address, or "". A private scheme would
// look like the host of another app, and no user knows whose a number is.
func judgeAddress(uri string) string {
	if len(uri) > maxAddress {
		return "an address is longer than 2048 bytes"
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "" // origin.CheckReturn refuses it
	case origin.HasPrivateScheme(u):
		return "an address has a private scheme, which no host proves: use https, or http at a loopback host"
	case len(u.Host) > maxHost:
		return "a host name is longer than 253 bytes"
	case isNumber(strings.ToLower(u.Hostname())) && !origin.IsLoopback(u.Hostname()):
		return "an address has a number in place of a host name"
	}
	return ""
}

// isNumber reports whether a browser reads a host as a number (WHATWG URL, "ends in a number").
func isNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Contains(host, ":") || strings.HasPrefix(last, "0x") || last != "" && strings.Trim(last, "0123456789") == ""
}

// check holds that all addresses lead to one host.
func (r Registration) check() error {
	if len(r.LogoutReturns) > maxReturns {
		return invalidMetadata("post_logout_redirect_uris is too long")
	}
	for _, uri := range r.LogoutReturns {
		if err := origin.CheckReturn(uri); err != nil {
			return invalidMetadata("an address in post_logout_redirect_uris is not accepted: " + err.Error())
		}
	}
	for _, uri := range slices.Concat(r.RedirectURIs, r.LogoutReturns) {
		if hostOf(uri) != r.host() {
			return &Error{"invalid_redirect_uri", "the addresses lead to more than one host: register one client for each"}
		}
	}
	if r.LogoutURI != "" && hostOf(r.LogoutURI) != r.host() {
		return invalidMetadata("backchannel_logout_uri must have the host of redirect_uris")
	}
	return nil
}

// host returns where the addresses of the client lead to.
func (r Registration) host() string { return hostOf(r.RedirectURIs[0]) }

// hostOf returns the host of an address in lower case, without a default port or any port of a
// loopback host.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if origin.IsLoopback(u.Hostname()) {
		return strings.ToLower(u.Hostname())
	}
	_, host, _ := strings.Cut(origin.Of(u), "://")
	return host
}

// registeredPrefix begins the id of each client that has registered itself. The id ends with
// its host, which never changes.
const registeredPrefix = "registered-"

func newRegisteredID(host string) string { return registeredPrefix + ids.New() + "-" + host }

// RegisteredHost returns the host in the id of a client that has registered itself, or "" for any
// other id.
func RegisteredHost(id string) string {
	rest, ok := strings.CutPrefix(id, registeredPrefix)
	if !ok || len(rest) <= ids.Length || !ids.Valid(rest[:ids.Length]) || rest[ids.Length] != '-' {
		return ""
	}
	host := rest[ids.Length+1:]
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-[]:") != "" || len(host) > maxHost {
		return ""
	}
	return host
}

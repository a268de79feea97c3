package openid

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4/json"

	"portico/internal/origin"
)

// maxReturns is how many redirect addresses a client may have that no operator has
// written down.
const maxReturns = 20

// Metadata is what a client says about itself (RFC 7591 2), as far as it counts here.
type Metadata struct {
	RedirectURIs []string
	Keyed        bool   // authenticates with a key of its own
	Keys         string // a JWK Set, "" for KeysURI
	KeysURI      string
	DPoP         bool   // whether it always proves that it has a key
	Secret       bool   // authenticates with a secret
	LogoutURI    string // is told about ended sessions; "" for not
}

// ParseMetadata reads the metadata of a client that names itself by an address (OAuth
// Client ID Metadata Document 4). The document must name that address and have no
// secret, because everyone can read it.
func ParseMetadata(text []byte, address string) (Metadata, error) {
	m, ok := readMembers(text)
	if !ok {
		return Metadata{}, errors.New("it is not a JSON object without duplicate members")
	}
	switch {
	case m.text("client_id") != address:
		return Metadata{}, errors.New("client_id must be the address of the document")
	case m["client_secret"] != nil, m["client_secret_expires_at"] != nil:
		return Metadata{}, errors.New("it has a client_secret, which everyone could read")
	}
	d, err := m.metadata("none", "private_key_jwt")
	if hostOf(d.LogoutURI) != hostOf(address) {
		d.LogoutURI = "" // whose owner has not asked for messages
	}
	return d, err
}

// badReturn is an error in redirect_uris. It is not an Error: what is wrong with the document of a
// client must not go to the client.
type badReturn string

func (b badReturn) Error() string { return string(b) }

// members are the members of a JSON object, by their exact names.
type members map[string]json.RawMessage

// readMembers refuses a name that is there twice, as go-jose does: the standard library would
// take the last one, and another program the first. A member that is null counts as omitted (RFC 7592 2.2).
func readMembers(text []byte) (m members, ok bool) {
	ok = json.Unmarshal(text, &m) == nil && m != nil
	maps.DeleteFunc(m, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return m, ok
}

func (m members) text(name string) (s string) {
	if json.Unmarshal(m[name], &s) != nil {
		return ""
	}
	return s
}

// texts returns a list, or all if there is no member of this name.
func (m members) texts(name string, all ...string) []string {
	var list []string
	if m[name] == nil {
		return all
	}
	if json.Unmarshal(m[name], &list) != nil {
		return nil
	}
	return list
}

// metadata reads the members that count for every client that describes itself. methods
// are the ways in which it may authenticate.
func (m members) metadata(methods ...string) (Metadata, error) {
	d := Metadata{KeysURI: m.text("jwks_uri"), LogoutURI: m.text("backchannel_logout_uri")}
	if bound := m["dpop_bound_access_tokens"]; bound != nil && json.Unmarshal(bound, &d.DPoP) != nil {
		return d, errors.New("dpop_bound_access_tokens must be true or false") // RFC 9449 5.2
	}
	if m["jwks"] != nil {
		d.Keys = string(m["jwks"])
	}
	if d.Keys != "" && d.KeysURI != "" {
		return d, errors.New("jwks and jwks_uri must not both be present") // RFC 7591 2, whatever they are for
	}
	switch method := m.text("token_endpoint_auth_method"); {
	case method == "none" && (d.Keys != "" || d.KeysURI != ""):
		d.Keys, d.KeysURI = "", "" // keys for other purposes
	case method == "none":
	case method != "" && !slices.Contains(methods, method):
		return d, errors.New("token_endpoint_auth_method must be one of " + strings.Join(methods, ", "))
	case method == "client_secret_basic", method == "client_secret_post":
		d.Secret, d.Keys, d.KeysURI = true, "", ""
	case method == "private_key_jwt" || m["token_endpoint_auth_method"] == nil:
		d.Keyed = d.Keys != "" || d.KeysURI != ""
		if !d.Keyed && method != "" {
			return d, errors.New("private_key_jwt needs jwks or jwks_uri")
		}
	default:
		return d, errors.New("token_endpoint_auth_method must be a string")
	}
	switch {
	case !slices.Contains(m.texts("grant_types", "authorization_code"), "authorization_code"):
		return d, errors.New("grant_types must contain authorization_code")
	case !slices.Contains(m.texts("response_types", "code"), "code"):
		return d, errors.New("response_types must contain code")
	}
	d.RedirectURIs = m.texts("redirect_uris")
	if len(d.RedirectURIs) == 0 || len(d.RedirectURIs) > maxReturns {
		return d, badReturn("redirect_uris is missing, or too long")
	}
	for _, uri := range d.RedirectURIs {
		if err := origin.CheckReturn(uri); err != nil {
			return d, badReturn("an address in redirect_uris is not accepted: " + err.Error())
		}
		if u, err := url.Parse(uri); err == nil && (d.Keyed || d.Secret) && origin.HasPrivateScheme(u) {
			return d, badReturn("an address in redirect_uris has a private scheme, which only an app without a key or a secret may use")
		}
	}
	return d, nil
}

// Guest returns a client that no operator has registered. Its name is the host that
// serves its metadata, which alone is proven. It may ask for tokens for the resources.
func (d Metadata) Guest(id, host string, resources []string) Client {
	return Client{
		ID: id, Name: host, Host: host, Keys: d.Keys, KeysURI: d.KeysURI, Public: !d.Keyed,
		RedirectURIs: d.RedirectURIs, LogoutURI: d.LogoutURI, Resources: resources, Scopes: guestScopes(), IDTokenAlg: "ES256",
		Code: true, PKCE: true, DPoP: d.DPoP, Consent: true, Guest: true,
	}
}

// guestScopes are what a client that no operator knows may ask for. The roles of a
// user are for apps of the operator.
func guestScopes() []string {
	return []string{scopeOpenID, scopeProfile, scopeEmail, scopeOffline}
}

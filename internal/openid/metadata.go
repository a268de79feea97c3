package openid

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"portico/internal/origin"
)

// maxReturns is how many redirect addresses a client may have that no operator has
// written down.
const maxReturns = 20

// Metadata is what a client says about itself (RFC 7591 2), as far as it counts here.
type Metadata struct {
	RedirectURIs []string
	Keyed        bool   // proves by a key of its own who it is
	Keys         string // a JWK Set, "" for KeysURI
	KeysURI      string
}

// ParseMetadata reads the metadata of a client that names itself by an address (OAuth
// Client ID Metadata Document 4). The document must name that address and have no
// secret, because everyone can read it.
func ParseMetadata(text []byte, address string) (Metadata, error) {
	var m members
	if json.Unmarshal(text, &m) != nil || m == nil {
		return Metadata{}, errors.New("it is not a JSON object")
	}
	switch {
	case m.text("client_id") != address:
		return Metadata{}, errors.New("client_id is another address than that of the document")
	case m["client_secret"] != nil, m["client_secret_expires_at"] != nil:
		return Metadata{}, errors.New("it has a client_secret, which everyone could read")
	}
	return m.metadata()
}

// members are the members of a JSON object, by their exact names.
type members map[string]json.RawMessage

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

// metadata reads the members that count for every client that describes itself.
func (m members) metadata() (Metadata, error) {
	d := Metadata{KeysURI: m.text("jwks_uri")}
	if m["jwks"] != nil {
		d.Keys = string(m["jwks"])
	}
	switch method := m.text("token_endpoint_auth_method"); {
	case method == "none" && (d.Keys != "" || d.KeysURI != ""):
		d.Keys, d.KeysURI = "", "" // keys for other purposes
	case method == "none":
	case method == "private_key_jwt" || m["token_endpoint_auth_method"] == nil:
		d.Keyed = d.Keys != "" || d.KeysURI != ""
		if !d.Keyed && method != "" || d.Keys != "" && d.KeysURI != "" {
			return d, errors.New("private_key_jwt needs jwks or jwks_uri, and not both")
		}
	default:
		return d, errors.New("token_endpoint_auth_method is none or private_key_jwt")
	}
	switch {
	case !slices.Contains(m.texts("grant_types", "authorization_code"), "authorization_code"):
		return d, errors.New("grant_types has no authorization_code")
	case !slices.Contains(m.texts("response_types", "code"), "code"):
		return d, errors.New("response_types has no code")
	}
	d.RedirectURIs = m.texts("redirect_uris")
	if len(d.RedirectURIs) == 0 || len(d.RedirectURIs) > maxReturns {
		return d, errors.New("redirect_uris is missing, or too long")
	}
	for _, uri := range d.RedirectURIs {
		u, err := url.Parse(uri)
		if err != nil || origin.CheckReturn(uri) != nil || d.Keyed && origin.IsPrivate(u) {
			return d, errors.New("an address in redirect_uris is not https, not of a loopback host, and no private scheme of an app without a key")
		}
	}
	return d, nil
}

// Guest returns a client that no operator has registered. Its name is the host that
// serves its metadata, which alone is proven. It may ask for tokens for the resources.
func (d Metadata) Guest(id, host string, resources []string) Client {
	return Client{
		ID: id, Name: host, Host: host, Keys: d.Keys, KeysURI: d.KeysURI, Public: !d.Keyed,
		RedirectURIs: d.RedirectURIs, Scopes: guestScopes(), IDTokenAlg: "ES256", PKCE: true, Consent: true, Guest: true, Code: true, Resources: resources,
	}
}

// guestScopes are what a client that no operator knows may ask for. The roles of a
// user are for apps of the operator.
func guestScopes() []string {
	return []string{scopeOpenID, scopeProfile, scopeEmail, scopeOffline}
}

// FormAction returns where the form of a page may lead to because of the request: a
// source of a content security policy.
func (r Request) FormAction() string {
	if source := OriginOf(r.RedirectURI); source != "" {
		return source
	}
	scheme, _, _ := strings.Cut(r.RedirectURI, ":")
	return scheme + ":"
}

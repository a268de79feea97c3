package openid

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/secret"
)

// The scopes that exist.
const (
	scopeOpenID  = "openid"
	scopeProfile = "profile"
	scopeEmail   = "email"
	scopeGroups  = "groups"
	scopeOffline = "offline_access"
)

// Scopes returns all scopes.
func Scopes() []string {
	return []string{scopeOpenID, scopeProfile, scopeEmail, scopeGroups, scopeOffline}
}

// minSecret is the least length of a secret. No limit counts attempts to guess
// one, so it must be random.
const minSecret = 24

// Rules decide whether a user may use a client.
type Rules func(s Standing, now time.Time) Ruling

// Standing is what rules know about a user.
type Standing struct {
	Roles    []string
	ProvenAt time.Time // the time of the newest proof
	StrongAt time.Time // the time of the newest second factor; zero when none was given
}

// Ruling is the decision of Rules.
type Ruling int

// The decisions.
const (
	Admitted  Ruling = iota
	TooOld           // after a new sign-in
	NotStrong        // after a second factor
	NotAdmitted
)

// Client is an app that signs its users in by OpenID Connect.
type Client struct {
	ID            string
	Public        bool     // has no secret and no key
	RedirectURIs  []string // exact
	Scopes        []string // which it may ask for
	IDTokenClaims []string // also in the ID token
	ExtraClaims   []string // "name=claim", "name=claim.PATH" or "name='text'"
	IDTokenAlg    string   // that signs the ID token
	PKCE          bool     // whether it must send a code challenge
	LogoutReturns []string // exact; where the browser may go after signing out
	LogoutURI     string   // is told about ended sessions; "" for not
	Name          string   // on pages and in emails
	Consent       bool     // whether its users are asked
	Imported      bool     // whether it knows imported users as their former system called them
	Rules         Rules    // nil admits every user
	RuleTexts     []string // the rules as they are written, for the log
	RequirePAR    bool     // whether it must push its requests
	Code          bool     // whether it may sign users in
	Machine       bool     // whether it may get tokens for itself
	OwnScopes     []string // the scopes of these tokens
	Resources     []string // that its access tokens may be for
	JWT           bool     // whether its access tokens have JWT form
	Serves        []string // the resources whose tokens it may inspect
	DPoP          bool     // whether it must prove at each request that it has a key
	Device        bool     // whether it may sign users in on devices without a browser

	Guest   bool   // whether it describes itself
	Host    string // for a guest: the host that serves its metadata
	Keys    string // for a guest: a JWK Set
	KeysURI string // for a guest: the address of its keys

	// EachTime is set by Clients.ParsePushed: the users are asked at this request, whatever they agreed to before, because
	// nobody proves who sends it.
	EachTime bool

	secrets [][]byte // SHA-256; none of a public client, and of one with a key
}

// Secrets are what a client of the settings has as secrets: texts, or their SHA-256 in
// hexadecimal. A public client has none, and neither has a client with a key.
type Secrets struct {
	Text, Hash         string
	NextText, NextHash string // of a second secret, which is also accepted
}

// NewClient returns the client with its secrets and its name, or an error that says what is
// wrong with a secret.
func NewClient(client Client, s Secrets) (Client, error) {
	client.Name = cmp.Or(client.Name, client.ID)
	for _, given := range []struct{ text, hash, prefix string }{{s.Text, s.Hash, ""}, {s.NextText, s.NextHash, "the next secret: "}} {
		if given.text == "" && given.hash == "" {
			continue
		}
		hash, err := hashOf(given.text, given.hash)
		if err != nil {
			return Client{}, fmt.Errorf("%s%w", given.prefix, err)
		}
		client.secrets = append(client.secrets, hash)
	}
	return client, nil
}

// hashOf returns the hash of a secret, of which either text or hash is given.
func hashOf(text, hash string) ([]byte, error) {
	if hash != "" {
		return hex.DecodeString(hash)
	}
	if len(text) < minSecret {
		return nil, errors.New("the secret has fewer than 24 characters")
	}
	return secret.Hash(text), nil
}

// proves reports whether a secret is one of the client's. It compares with each of
// them.
func (client Client) proves(text string) bool { return client.has(secret.Hash(text)) }

// has is proves with the hash of the secret.
func (client Client) has(hash []byte) (right bool) {
	for _, s := range client.secrets {
		right = secret.Equal(s, hash) || right
	}
	return right
}

// Clients are the clients of an installation. The value is safe for concurrent
// use.
type Clients struct {
	byID  map[string]Client
	guest *Client // one more; nil for none
}

// NewClients returns the registry of clients.
func NewClients(list []Client) Clients {
	c := Clients{byID: make(map[string]Client, len(list))}
	for _, client := range list {
		c.byID[client.ID] = client
	}
	return c
}

// Empty reports whether there is no client.
func (c Clients) Empty() bool { return len(c.byID) == 0 }

// With returns the registry with a guest in addition to its clients.
func (c Clients) With(guest Client) Clients { return Clients{c.byID, &guest} }

// Get returns the client with an id.
func (c Clients) Get(id string) (Client, bool) {
	client, ok := c.byID[id]
	if !ok && c.guest != nil && c.guest.ID == id {
		return *c.guest, true
	}
	return client, ok
}

// LogoutOrigins returns the origins of the addresses that are told about ended
// sessions.
func (c Clients) LogoutOrigins() []string {
	var origins []string
	for _, client := range c.byID {
		if client.LogoutURI != "" {
			origins = append(origins, OriginOf(client.LogoutURI))
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// Admits returns what the rules say about a user.
func (client Client) Admits(s Standing, now time.Time) Ruling {
	if client.Rules == nil {
		return Admitted
	}
	return client.Rules(s, now)
}

// Refuses reports whether the rules refuse to go on with a grant. A second factor counts if the grant began with one.
// The age of the sign-in counts where it begins alone.
func (client Client) Refuses(l Live, now time.Time) bool {
	s := Standing{Roles: l.User.Roles, ProvenAt: now}
	if !l.Grant.StrongAt().IsZero() {
		s.StrongAt = now
	}
	return client.Admits(s, now) != Admitted
}

// Anybody reports whether anybody can be such a client: it proves nothing, or that it has a key which it publishes itself.
// Whoever has registered had a token of the operator.
func (client Client) Anybody() bool {
	return client.Public || client.Guest && RegisteredHost(client.ID) == ""
}

// Proof is what a client authenticates with in a request.
type Proof struct {
	ID     string
	Secret string // "" for none: a public client may send an empty one

	Assertion string   // signed by a key of the client; "" for none
	Audiences []string // the names of this installation that an assertion may have
}

// Authenticate returns the client of a proof without an assertion, or an Error. A
// public client does not authenticate: its codes and tokens alone decide.
func (c Clients) Authenticate(p Proof) (Client, error) {
	client, ok := c.Get(p.ID)
	why := ""
	switch {
	case !ok:
		why = "no client has this id"
	case client.Public && p.Secret != "", !client.Public && !client.proves(p.Secret):
		why = client.unlike(p)
	}
	if why != "" {
		return Client{}, fmt.Errorf("%w: %w", &Error{"invalid_client", "unknown client or wrong credentials"}, errors.New(why))
	}
	return client, nil
}

// unlike returns for the log what is wrong with a proof. The client does not learn it.
func (client Client) unlike(p Proof) string {
	switch {
	case client.Public:
		return "the client is public, but the app sends a secret: remove it from the app"
	case len(client.secrets) == 0:
		return "the client authenticates with a key (private_key_jwt), but the app sends no assertion"
	case p.Secret == "":
		return "the app sends no secret"
	case client.proves(strings.TrimSpace(p.Secret)):
		return "the secret begins or ends with a space or a line break: remove it from the app"
	case client.proves(strings.ReplaceAll(p.Secret, " ", "+")):
		return "the app does not percent-encode the + of the secret (RFC 6749 2.3.1): use a secret of letters and digits"
	case slices.ContainsFunc(client.secrets, func(hash []byte) bool { return strings.EqualFold(hex.EncodeToString(hash), p.Secret) }):
		return "the app sends the hash of the secret instead of the secret"
	}
	return "the secret is wrong"
}

// PublicAt reports whether a public client has a redirect address at the origin. A page
// there may ask whether it may call the token endpoint.
func (c Clients) PublicAt(origin string) bool {
	for _, client := range c.byID {
		if client.PublicAt(origin) {
			return true
		}
	}
	return false
}

// PublicAt reports whether the client is public and has a redirect address at the
// origin. Its pages may read its answers from there.
func (client Client) PublicAt(origin string) bool {
	return client.Public && slices.ContainsFunc(client.RedirectURIs, func(uri string) bool { return OriginOf(uri) == origin })
}

// OriginOf returns the origin of a registered address, or "" for a private
// scheme.
func OriginOf(uri string) string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || strings.Contains(scheme, ".") {
		return ""
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}

// returnsTo reports whether the client has registered an address as its redirect_uri. Addresses are
// compared as text, because two parsers may read one text differently. An app on a device takes
// any free port of its loopback address. It is public, or unknown to the operator; a client of
// the settings with a proof is a server.
func (client Client) returnsTo(uri string) bool {
	if slices.Contains(client.RedirectURIs, uri) {
		return true
	}
	host, rest, ok := cutLoopback(uri)
	if !ok || !client.Public && !client.Guest {
		return false
	}
	return slices.ContainsFunc(client.RedirectURIs, func(registered string) bool {
		h, r, ok := cutLoopback(registered)
		return ok && h == host && r == rest
	})
}

// cutLoopback splits an http address of a loopback host into the part before the
// port and the part after it (RFC 8252 7.3). Apps that cannot be told an IP use the name, which
// RFC 8252 8.3 discourages and does not forbid.
func cutLoopback(uri string) (host, rest string, ok bool) {
	for _, host := range []string{"http://127.0.0.1", "http://[::1]", "http://localhost"} {
		rest, ok := strings.CutPrefix(uri, host)
		if !ok {
			continue
		}
		if after, ported := strings.CutPrefix(rest, ":"); ported {
			rest = strings.TrimLeft(after, "0123456789")
			if _, err := strconv.ParseUint(after[:len(after)-len(rest)], 10, 16); err != nil {
				return "", "", false
			}
		}
		return host, rest, rest == "" || rest[0] == '/' || rest[0] == '?'
	}
	return "", "", false
}

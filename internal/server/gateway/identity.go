package gateway

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/claim"
	"portico/internal/secret"
	"portico/internal/session"
)

const (
	// TokenLife is the validity of a token for an app.
	TokenLife = 5 * time.Minute

	// renewAfter is the age at which a session gets a new token. An app has at
	// least the other half of TokenLife to verify a token.
	renewAfter = TokenLife / 2

	// maxIdentities limits the cache of each app, at about 2 KiB per session.
	maxIdentities = 50_000
)

// identity is the identity of a session for one app, cached until something in
// it changes.
type identity struct {
	person  session.User
	signer  string // id of the key that signed the token
	renewAt time.Time
	ends    time.Time // when the session ends at the latest
	expires time.Time // of the token
	headers []filled
	// holders are the hashes of the account id under all master keys, the current
	// one first, for the cookie that records owners.
	holders []string
	masters secret.Version
}

// filled is a header whose value many requests share. The slice has no spare
// capacity, so appending copies it.
type filled struct {
	name  string
	value []string
}

// claims are the claims of the token (RFC 7519, OpenID Connect Core 2, RFC
// 8176).
type claims struct {
	Issuer    string   `json:"iss"`
	Audience  string   `json:"aud"`
	Subject   string   `json:"sub"`
	SessionID string   `json:"sid"`
	Email     string   `json:"email"`
	Verified  bool     `json:"email_verified"` // always true: accounts have only verified addresses
	Name      string   `json:"name"`
	Roles     []string `json:"roles"`
	Methods   []string `json:"amr"`
	AuthTime  int64    `json:"auth_time"`
	IssuedAt  int64    `json:"iat"`
	Expires   int64    `json:"exp"`
}

// put sets the identity headers of a session.
func (id *identity) put(h http.Header, a *app, found session.Found, now time.Time) {
	for _, f := range id.headers {
		h[f.name] = f.value
	}
	age := []string{strconv.FormatInt(int64(max(0, now.Sub(found.Session.ProvenAt()))/time.Second), 10)}
	for _, name := range a.ages {
		h[name] = age
	}
}

// identity returns the identity of a session from the cache. It creates a new
// one if there is none, if the user or the signing key has changed, if the session
// lasts longer now or ends before the token, or if the token is older than renewAfter. The end changes with
// that of the account, and with a refresh of an access token.
func (g *Gateway) identity(a *app, found session.Found, now time.Time) (*identity, error) {
	kept, known := a.identities.Load(found.Session.ID)
	if known {
		id := kept.(*identity)
		if id.fresh(now) && !found.Ends().After(id.ends) && !id.expires.After(found.Ends()) && id.signer == g.Keys.Signer() && id.masters == g.Holders.Version() && same(id.person, found.User) {
			return id, nil
		}
	}
	id, err := g.newIdentity(a, found, now)
	if err != nil {
		return nil, err
	}
	if !known && a.count.Add(1) > maxIdentities {
		a.identities.Clear()
		a.count.Store(1)
	}
	a.identities.Store(found.Session.ID, id)
	return id, nil
}

// fresh reports whether the token is not due for renewal. One of a clock that was set back since is: apps refuse it,
// or take it for too long.
func (id *identity) fresh(now time.Time) bool {
	left := id.renewAt.Sub(now)
	return left > 0 && left <= renewAfter
}

// forget removes identities whose tokens are due for renewal.
func (a *app) forget(now time.Time) {
	a.identities.Range(func(key, kept any) bool {
		if !kept.(*identity).fresh(now) {
			a.identities.Delete(key)
			a.count.Add(-1)
		}
		return true
	})
}

func (g *Gateway) newIdentity(a *app, found session.Found, now time.Time) (*identity, error) {
	expires, ends := now.Add(TokenLife), found.Ends()
	if ends.Before(expires) {
		expires = ends
	}
	person, moved := found.User, g.Moved()
	signed, err := a.extend(claims{
		Issuer: g.issuer, Audience: a.Audience, Subject: person.ID, SessionID: found.Session.SID(),
		Email: person.Address, Verified: true, Name: person.Name, Roles: orEmpty(person.Roles), Methods: orEmpty(found.Session.Methods),
		AuthTime: max(0, found.Session.ProvenAt().Add(-moved).Unix()), IssuedAt: now.Add(-moved).Unix(), Expires: expires.Add(-moved).Unix(),
	}, person.Claims)
	if err != nil {
		return nil, err
	}
	token, signer, err := g.Keys.Sign(signed, "JWT")
	if err != nil {
		return nil, err
	}
	values := map[Part]string{
		partID: person.ID, partEmail: person.Address, partName: encode(person.Name), partRoles: strings.Join(person.Roles, ","), partToken: token,
	}
	id := &identity{person: person, signer: signer, masters: g.Holders.Version(), renewAt: now.Add(min(renewAfter, expires.Sub(now))), ends: ends, expires: expires}
	for _, sum := range g.Holders.Sums(a.Name, person.ID) {
		id.holders = append(id.holders, base64.RawURLEncoding.EncodeToString(sum[:16]))
	}
	for _, h := range a.headers {
		if h.Part != partSessionAge {
			id.headers = append(id.headers, filled{h.Name, []string{values[h.Part]}})
		}
	}
	return id, nil
}

// extend returns the claims of a token with the extra claims of the app.
func (a *app) extend(own claims, ofAccount string) (any, error) {
	if len(a.ExtraClaims) == 0 {
		return own, nil
	}
	text, err := json.Marshal(own)
	all := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	all["auth_time"], all["iat"], all["exp"] = own.AuthTime, own.IssuedAt, own.Expires // no floating point
	claim.Add(all, a.ExtraClaims, ofAccount)
	return all, err
}

// same reports whether an app would get the same identity for two persons.
func same(a, b session.User) bool {
	return a.ID == b.ID && a.Address == b.Address && a.Name == b.Name && a.Claims == b.Claims && slices.Equal(a.Roles, b.Roles)
}

// encode makes a text safe for a header. It percent-encodes all bytes except
// printable ASCII, and the percent sign, as decodeURIComponent expects.
func encode(text string) string {
	plain := func(c byte) bool { return c >= ' ' && c < 0x7f && c != '%' }
	i := 0
	for i < len(text) && plain(text[i]) {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if plain(text[i]) {
			b.WriteByte(text[i])
		} else {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(text[i])|0x100, 16)[1:]))
		}
	}
	return b.String()
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/session"
)

const (
	// TokenLife is how long a token for an app holds.
	TokenLife = 5 * time.Minute

	// renewAfter is when a session gets another token: an app has at least the
	// rest of the life to verify the one that it was sent.
	renewAfter = TokenLife / 2

	// maxIdentities bounds what an app's sessions take in memory, about 2 KiB each.
	maxIdentities = 50_000
)

// identity is what an app is told of a session, made once and used for as long
// as it is true.
type identity struct {
	person  session.Person
	signer  string // the key of the token
	renewAt time.Time
	headers []filled
	holder  string // its hash, as whose an app's cookies are known
}

// filled is a header with its value, shared by many requests: full, so that
// nobody appends to it.
type filled struct {
	name  string
	value []string
}

// claims are those of the token (RFC 7519, OpenID Connect Core 2, RFC 8176).
type claims struct {
	Issuer    string   `json:"iss"`
	Audience  string   `json:"aud"`
	Subject   string   `json:"sub"`
	SessionID string   `json:"sid"`
	Email     string   `json:"email"`
	Verified  bool     `json:"email_verified"` // always: an account has no other address
	Name      string   `json:"name"`
	Roles     []string `json:"roles"`
	Methods   []string `json:"amr"`
	AuthTime  int64    `json:"auth_time"`
	IssuedAt  int64    `json:"iat"`
	Expires   int64    `json:"exp"`
}

// put puts the identity of a session into a header.
func (id *identity) put(h http.Header, a *app, found session.Found, now time.Time) {
	for _, f := range id.headers {
		h[f.name] = f.value
	}
	age := []string{strconv.FormatInt(int64(max(0, now.Sub(found.Session.ProvenAt()))/time.Second), 10)}
	for _, name := range a.ages {
		h[name] = age
	}
}

// identity returns that of a session from memory, or makes it: when there is
// none, when the person or the signing key has changed, or when the token has
// lived half of its life.
func (g *Gateway) identity(a *app, found session.Found, now time.Time) (*identity, error) {
	kept, known := a.identities.Load(found.Session.ID)
	if known {
		id := kept.(*identity)
		if now.Before(id.renewAt) && id.signer == g.keys.Signer() && same(id.person, found.Person) {
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

// forget drops the identities whose tokens are to be renewed anyway.
func (a *app) forget(now time.Time) {
	a.identities.Range(func(key, kept any) bool {
		if !now.Before(kept.(*identity).renewAt) {
			a.identities.Delete(key)
			a.count.Add(-1)
		}
		return true
	})
}

func (g *Gateway) newIdentity(a *app, found session.Found, now time.Time) (*identity, error) {
	expires := now.Add(TokenLife)
	if found.Session.ExpiresAt.Before(expires) {
		expires = found.Session.ExpiresAt
	}
	sid := sha256.Sum256([]byte("portico sid " + found.Session.ID))
	person := found.Person
	token, signer, err := g.keys.Sign(claims{
		Issuer: g.issuer, Audience: a.Audience, Subject: person.ID, SessionID: base64.RawURLEncoding.EncodeToString(sid[:16]),
		Email: person.Address, Verified: true, Name: person.Name, Roles: orEmpty(person.Roles), Methods: orEmpty(found.Session.Methods),
		AuthTime: found.Session.ProvenAt().Unix(), IssuedAt: now.Unix(), Expires: expires.Unix(),
	}, "JWT")
	if err != nil {
		return nil, err
	}
	values := map[Part]string{
		ID: person.ID, Email: person.Address, Name: encode(person.Name), Roles: strings.Join(person.Roles, ","), Token: token,
	}
	sum := g.holders.Sum(a.Name, person.ID)
	id := &identity{person: person, signer: signer, holder: base64.RawURLEncoding.EncodeToString(sum[:16]), renewAt: now.Add(min(renewAfter, expires.Sub(now)))}
	for _, h := range a.headers {
		if h.Part != SessionAge {
			id.headers = append(id.headers, filled{h.Name, []string{values[h.Part]}})
		}
	}
	return id, nil
}

// same reports whether an app would be told the same of two people.
func same(a, b session.Person) bool {
	return a.ID == b.ID && a.Address == b.Address && a.Name == b.Name && slices.Equal(a.Roles, b.Roles)
}

// encode makes a text safe in a header: what is not printable ASCII, and the
// percent sign, as percent-encoded UTF-8 (decodeURIComponent and its like turn it
// back).
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

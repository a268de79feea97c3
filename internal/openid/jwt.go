package openid

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// AccessType is the type of an access token in JWT form (RFC 9068).
const AccessType = "at+jwt"

// AccessClaims are the claims of an access token in JWT form that name it.
type AccessClaims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	ClientID string   `json:"client_id"`
	ID       string   `json:"jti"`
	Scope    string   `json:"scope"`
	Expires  int64    `json:"exp"`
	Audience []string `json:"aud"`
	Confirm  Confirm  `json:"cnf"`
}

// JWT returns the claims of the access token of a grant. Its id is the content of the
// opaque one without its hash, so that it is checked in the same way.
func (t Tokens) JWT(issuer string, now time.Time) map[string]any {
	g := t.Live.Grant
	claims := map[string]any{
		"iss": issuer, "sub": g.Sub(), "client_id": g.ClientID, "aud": audience(t.Resources, issuer), "jti": t.id,
		"iat": now.Unix(), "exp": t.Ends.Unix(), "scope": strings.Join(g.Scopes, " "), "acr": acr(g.Methods), "amr": amr(g.Methods),
	}
	if !g.SignedInAt.IsZero() {
		claims["auth_time"] = g.SignedInAt.Unix()
	}
	if slices.Contains(g.Scopes, scopeGroups) {
		claims[claimGroups] = t.Live.User.claim(claimGroups)
	}
	return confirmed(claims, t.Key)
}

// JWT returns the claims of the access token of a client itself.
func (m Machine) JWT(issuer string, now time.Time) map[string]any {
	claims := map[string]any{
		"iss": issuer, "sub": m.ClientID, "client_id": m.ClientID, "aud": audience(m.Resources, issuer), "jti": m.ID,
		"iat": now.Unix(), "exp": m.Ends.Unix(),
	}
	if len(m.Scopes) > 0 { // a scope has at least one word (RFC 6749 3.3)
		claims["scope"] = strings.Join(m.Scopes, " ")
	}
	return confirmed(claims, m.Key)
}

// audience returns the resources, or the issuer alone if there are none. It is always
// a list, so that verifiers meet one form.
func audience(resources []string, issuer string) []string {
	if len(resources) == 0 {
		return []string{issuer}
	}
	return resources
}

// Machine returns the content of a verified token that a client has obtained for itself, or
// false for the token of a grant.
func (c AccessClaims) Machine() (Machine, bool) {
	m := Machine{ID: c.ID, ClientID: c.ClientID, Scopes: strings.Fields(c.Scope), Ends: time.Unix(c.Expires, 0), Key: c.Confirm.Key}
	if !slices.Equal(c.Audience, []string{c.Issuer}) {
		m.Resources = c.Audience
	}
	return m, c.Subject == c.ClientID && !strings.Contains(c.ID, ".")
}

// accessParts is how many parts the content of an access token has.
const accessParts = 6

// parts writes the content of an access token. See split.
func (t token) parts() string {
	return strings.Join([]string{
		t.grant, strconv.FormatInt(t.generation, 36), strconv.FormatInt(t.ends.Unix(), 36),
		strconv.FormatUint(t.mask, 36), strconv.FormatUint(t.scopes, 36), t.key,
	}, ".")
}

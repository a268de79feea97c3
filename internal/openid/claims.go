package openid

import (
	"slices"
	"time"
)

// The claims that a scope grants.
const (
	claimName     = "name"
	claimUsername = "preferred_username"
	claimEmail    = "email"
	claimVerified = "email_verified"
	claimGroups   = "groups"
)

// Claims returns the names of all claims about users.
func Claims() []string {
	return []string{claimName, claimUsername, claimEmail, claimVerified, claimGroups}
}

// UserClaims returns the claims of the granted scopes, for UserInfo.
func (l Live) UserClaims() map[string]any {
	claims := map[string]any{"sub": l.User.ID}
	if slices.Contains(l.Grant.Scopes, scopeProfile) {
		claims[claimUsername] = l.User.Address
		if l.User.Name != "" {
			claims[claimName] = l.User.Name
		}
	}
	if slices.Contains(l.Grant.Scopes, scopeEmail) {
		claims[claimEmail] = l.User.Address
		claims[claimVerified] = true // accounts have only verified addresses
	}
	if slices.Contains(l.Grant.Scopes, scopeGroups) {
		groups := l.User.Roles
		if groups == nil {
			groups = []string{}
		}
		claims[claimGroups] = groups
	}
	return claims
}

// IDToken returns the claims of an ID token (OpenID Connect Core 2). first is true
// for the token of a code, which alone repeats the nonce (12.2).
func (l Live) IDToken(issuer string, client Client, now time.Time, first bool) map[string]any {
	claims := map[string]any{
		"iss": issuer, "sub": l.User.ID, "aud": client.ID, "sid": l.Grant.SID,
		"iat": now.Unix(), "exp": now.Add(IDTokenLife).Unix(), "amr": amr(l.Grant.Methods), "acr": acr(l.Grant.Methods),
	}
	if !l.Grant.SignedInAt.IsZero() {
		claims["auth_time"] = l.Grant.SignedInAt.Unix()
	}
	if first && l.Grant.Nonce != "" {
		claims["nonce"] = l.Grant.Nonce
	}
	for name, value := range l.UserClaims() {
		if slices.Contains(client.IDTokenClaims, name) {
			claims[name] = value
		}
	}
	return claims
}

// methodStrong stands beside the methods of a grant whose session had a second
// factor.
const methodStrong = "mfa"

// The values of acr: the levels of a sign-in.
const (
	acrOne = "1" // one proof
	acrTwo = "2" // a second factor too
)

// ACRValues returns the values of acr, the highest first.
func ACRValues() []string { return []string{acrTwo, acrOne} }

func acr(methods []string) string {
	if slices.Contains(methods, methodStrong) {
		return acrTwo
	}
	return acrOne
}

// amr returns proofs in the words of RFC 8176, where it has one.
func amr(methods []string) []string {
	words := make([]string, 0, len(methods))
	for _, m := range methods {
		switch m {
		case "password":
			m = "pwd"
		case "totp":
			m = "otp"
		case "passkey":
			m = "pop" // a key, in hardware or not
		}
		words = append(words, m)
	}
	return words
}

package openid

import (
	"crypto/sha256"
	"crypto/sha512"
	"slices"
	"strings"
	"time"

	"portico/internal/claim"
	"portico/internal/secret"
)

// The claims about users.
const (
	claimName     = "name"
	claimUsername = "preferred_username"
	claimPicture  = "picture"
	claimEmail    = "email"
	claimVerified = "email_verified"
	claimGroups   = "groups"
)

// allClaims, in Client.IDTokenClaims, stands for every claim of the granted scopes.
const allClaims = "all"

// Claims returns the names of all claims about users.
func Claims() []string {
	return []string{claimName, claimUsername, claimPicture, claimEmail, claimVerified, claimGroups}
}

// scopeOf returns the scope that grants a claim.
func scopeOf(claim string) string {
	switch claim {
	case claimName, claimUsername, claimPicture:
		return scopeProfile
	case claimEmail, claimVerified:
		return scopeEmail
	}
	return scopeGroups
}

// claim returns the value of a claim, nil if the user has none.
func (u User) claim(name string) any {
	switch {
	case name == claimUsername, name == claimEmail:
		return u.Address
	case name == claimVerified:
		return true // accounts have only verified addresses
	case name == claimGroups:
		return append([]string{}, u.Roles...)
	case name == claimPicture && u.Picture != "":
		return u.Picture
	case name == claimPicture:
		return nil
	case u.Name != "":
		return u.Name
	}
	return nil
}

// tell adds the claims that chosen says yes to, and the extra claims of the client.
func (u User) tell(claims map[string]any, client Client, chosen func(name string) bool) map[string]any {
	for _, name := range Claims() {
		if value := u.claim(name); value != nil && chosen(name) {
			claims[name] = value
		}
	}
	for _, extra := range client.ExtraClaims {
		name, source, _ := strings.Cut(extra, "=")
		switch {
		case name == claimName && (!chosen(claimName) || claims[claimName] != nil): // it stands in for the name of an account without one
		case strings.HasPrefix(source, "'"), strings.HasPrefix(source, claim.Source):
			claim.Add(claims, []string{extra}, u.Claims)
		case name == claimName || chosen(source): // the scope of the name gives the address as well, as preferred_username
			if value := u.claim(source); value != nil {
				claims[name] = value
			}
		}
	}
	return claims
}

// UserClaims returns the claims of UserInfo: by the granted scopes, and by the names in
// the request.
func (l Live) UserClaims(client Client) map[string]any {
	return l.User.tell(map[string]any{"sub": l.Grant.Sub()}, client, func(name string) bool {
		return slices.Contains(l.Grant.Scopes, scopeOf(name)) || slices.Contains(l.Grant.Claims, inUserInfo+name)
	})
}

// Username returns the address of the user if UserInfo tells it, else "".
func (l Live) Username() string {
	told := l.UserClaims(Client{})
	if told[claimUsername] == nil && told[claimEmail] == nil {
		return ""
	}
	return l.User.Address
}

// IDToken returns the claims of the ID token that is issued with an access token (OpenID
// Connect Core 2). first is true for the token of a code, which alone repeats the nonce
// (12.2).
func (l Live) IDToken(issuer string, client Client, access string, now time.Time, first bool) map[string]any {
	claims := map[string]any{
		"iss": issuer, "sub": l.Grant.Sub(), "aud": client.ID, "sid": l.Grant.SID, "at_hash": halfHash(client.IDTokenAlg, access),
		"iat": now.Unix(), "exp": now.Add(IDTokenLife).Unix(), "amr": amr(l.Grant.Methods), "acr": acr(l.Grant.Methods),
	}
	if !l.Grant.SignedInAt.IsZero() {
		claims["auth_time"] = l.Grant.SignedInAt.Unix()
	}
	if first && l.Grant.Nonce != "" {
		claims["nonce"] = l.Grant.Nonce
	}
	return l.User.tell(claims, client, func(name string) bool {
		standing := slices.Contains(client.IDTokenClaims, name) || slices.Contains(client.IDTokenClaims, allClaims)
		return standing && slices.Contains(l.Grant.Scopes, scopeOf(name)) || slices.Contains(l.Grant.Claims, inIDToken+name)
	})
}

// halfHash returns the left half of the hash that belongs to the algorithm of an ID token
// (OpenID Connect Core 3.1.3.6). Ed25519, the curve of EdDSA here, has SHA-512.
func halfHash(alg, text string) string {
	if alg == "EdDSA" {
		sum := sha512.Sum512([]byte(text))
		return secret.Encode(sum[:len(sum)/2])
	}
	return secret.Encode(secret.Hash(text)[:sha256.Size/2])
}

// methodStrong is added to the methods of a grant whose session had a second
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

package federation

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// maxSkew is how far the provider's clock may be from ours.
const maxSkew = 60 * time.Second

// claims returns the claims of the grant's ID token after it has checked every
// rule of OpenID Connect Core 3.1.3.7. Decision 21 says why no verifier of a
// library does that.
func (p *provider) claims(ctx context.Context, g grant) (object, error) {
	raw, _ := g.token.Extra("id_token").(string)
	token, err := jose.ParseSignedCompact(raw, g.meta.algorithms)
	if err != nil {
		return nil, fmt.Errorf("read the ID token: %w", err)
	}
	if t, ok := token.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]; ok && t != "JWT" && t != "jwt" {
		return nil, fmt.Errorf("the ID token has the wrong type, %.32q", t) // an access token, a logout token, ...
	}
	payload, key, err := p.payload(ctx, token)
	if err != nil {
		return nil, err
	}
	claims, err := parseObject(payload)
	if err != nil {
		return nil, fmt.Errorf("read the ID token: %w", err)
	}
	issuer := p.issuer(claims)
	switch {
	case !g.meta.issuedBy(issuer):
		return nil, fmt.Errorf("the ID token names another issuer, %.256q", issuer)
	case g.answer.issuer != "" && g.answer.issuer != issuer:
		return nil, fmt.Errorf("the ID token comes from %.256q, the callback from %.256q", issuer, g.answer.issuer)
	case p.preset.tenants && key.issuer != "" && !matchIssuer(key.issuer, issuer):
		// A key for personal accounts must not sign for an organisation.
		return nil, fmt.Errorf("the ID token of %.256q is signed with a key of %.256q", issuer, key.issuer)
	}
	if err := p.judge(claims, g.attempt.Nonce); err != nil {
		return nil, err
	}
	if err := judgeHashes(claims, jose.SignatureAlgorithm(token.Signatures[0].Protected.Algorithm), g); err != nil {
		return nil, err
	}
	return claims, nil
}

// payload verifies the token's signature. When no known key matches, the provider may have
// changed its keys, even under the same key id, so payload loads them again.
func (p *provider) payload(ctx context.Context, token *jose.JSONWebSignature) ([]byte, signingKey, error) {
	edition := p.keys.Seen()
	newer := func(ctx context.Context) ([]signingKey, error) { return p.keys.Newer(ctx, edition) }
	for _, load := range []func(context.Context) ([]signingKey, error){p.keys.Current, newer} {
		keys, err := load(ctx)
		if err != nil {
			return nil, signingKey{}, err
		}
		if payload, key, ok := verify(token, keys); ok {
			return payload, key, nil
		}
	}
	return nil, signingKey{}, errors.New("no published key verifies the ID token")
}

// issuer returns the issuer of the claims. An alias counts as the issuer.
func (p *provider) issuer(claims object) string {
	issuer := claims.text("iss")
	if issuer != "" && issuer == p.preset.issuerAlias {
		return p.preset.issuer
	}
	return issuer
}

func (p *provider) judge(claims object, nonce string) error {
	now := p.clock.Now()
	expires, hasExpires := claims.instant("exp")
	issued, hasIssued := claims.instant("iat")
	notBefore, hasNotBefore := claims.instant("nbf")
	sameNonce := subtle.ConstantTimeCompare([]byte(claims.text("nonce")), []byte(nonce)) == 1
	switch {
	case !p.isFor(claims["aud"]):
		return fmt.Errorf("the ID token is for the audience %.256q: if the provider gives such tokens on purpose, write the others as audiences", claims["aud"])
	case (claims.has("azp") || several(claims["aud"])) && claims.text("azp") != p.clientID:
		return fmt.Errorf("the ID token was issued to %.256q", claims["azp"])
	case !hasExpires || now.After(expires.Add(maxSkew)):
		return fmt.Errorf("the ID token expired at %.32q", claims["exp"])
	case !hasIssued || issued.After(now.Add(maxSkew)):
		return fmt.Errorf("the ID token was issued in the future, at %.32q", claims["iat"])
	case claims.has("nbf") && (!hasNotBefore || notBefore.After(now.Add(maxSkew))):
		return fmt.Errorf("the ID token is not valid before %.32q", claims["nbf"])
	case !sameNonce && !(p.preset.omitsNonce && !claims.has("nonce")):
		return errors.New("the nonce of the ID token does not match the attempt")
	case !validSubject(claims.text("sub")):
		return fmt.Errorf("the ID token has an unusable subject, %.300q", claims["sub"])
	}
	return nil
}

// isFor reports whether aud names the client, and otherwise only audiences that the
// operator has named (OpenID Connect Core 3.1.3.7, rule 3).
func (p *provider) isFor(aud json.RawMessage) bool {
	var one string
	if json.Unmarshal(aud, &one) == nil {
		return one == p.clientID
	}
	var list []string
	if json.Unmarshal(aud, &list) != nil || !slices.Contains(list, p.clientID) {
		return false
	}
	return !slices.ContainsFunc(list, func(other string) bool { return other != p.clientID && !slices.Contains(p.audiences, other) })
}

// several reports whether aud names more than one audience. Then azp names the client that
// the token was issued to (rule 4).
func several(aud json.RawMessage) bool {
	var list []string
	return json.Unmarshal(aud, &list) == nil && len(list) > 1
}

// validSubject reports whether s can be a subject: 1 to 255 printable ASCII
// characters (OpenID Connect Core 2).
func validSubject(s string) bool {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	return len(s) >= 1 && len(s) <= 255 && !strings.ContainsFunc(s, odd)
}

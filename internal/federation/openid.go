package federation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/internal/legible"
)

const (
	maxEmail = 320 // bytes: 64, "@", 255 (RFC 5321 4.5.3.1)
	maxName  = 100 // characters, as in package account
)

// openIDIdentity reads the identity from the ID token. When the token lacks the email
// address or the claim of the roles, it asks the UserInfo endpoint (OpenID Connect Core 5.3).
func openIDIdentity(ctx context.Context, p *provider, g grant) (Identity, error) {
	claims, err := p.claims(ctx, g)
	if err != nil {
		return Identity{}, err
	}
	identity := Identity{Provider: p.ID, Issuer: p.issuer(claims), Subject: claims.text("sub"), SignedInAt: p.signedInAt(claims)}
	if p.strong(claims) {
		identity.StrongAt = identity.SignedInAt
	}
	identity.ProvenAgain = g.attempt.provenAgain(identity.SignedInAt)
	profile, roles := claims, claims
	lacksRoles := len(p.roles) > 0 && claims.at(p.rolesClaim) == nil
	if (!claims.has("email") || lacksRoles) && g.meta.userinfo != "" && !p.preset.ignoresUserInfo {
		more, err := p.fetchObject(ctx, g.meta.userinfo, g.token.AccessToken)
		if err != nil {
			return Identity{}, err
		}
		if more.text("sub") != identity.Subject {
			return Identity{}, errors.New("the UserInfo response is about another user than the ID token")
		}
		if !claims.has("email") {
			profile = more
		}
		if lacksRoles {
			roles = more
		}
	}
	identity.Roles = p.rolesIn(roles)
	identity.Email, identity.EmailVerified = p.address(profile)
	identity.Name = p.nameIn(profile)
	if p.preset.postsName && identity.Name == "" {
		identity.Name = postedName(g.answer.user)
	}
	return identity, nil
}

// address returns the email address of a document and whether it is verified. Both come
// from the same document: a flag says nothing about an address in another document.
func (p *provider) address(profile object) (email string, verified bool) {
	email = profile.text("email")
	if email == "" || len(email) > maxEmail {
		return "", false
	}
	flag := profile.isTrue(p.preset.verifiedFlag) ||
		p.preset.flagMayBeText && profile.text(p.preset.verifiedFlag) == "true"
	vouched := p.preset.vouches == nil || p.preset.vouches(email, profile)
	return email, flag && vouched && p.trustEmail
}

// googleVouches reports whether Google runs the mailbox. Google checks any other
// address only once, and its domain can get another owner later.
func googleVouches(email string, profile object) bool {
	return profile.text("hd") != "" || strings.HasSuffix(strings.ToLower(email), "@gmail.com")
}

// displayName returns a name that can be stored and shown.
func displayName(name string) string {
	name = legible.Clean(name)
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName]))
	}
	return name
}

// subject returns a member of a profile, a string or a whole number, as a subject.
func subject(profile object, name string) (string, error) {
	s := profile.text(name)
	if s == "" {
		s = string(profile[name])
		if strings.Trim(s, "0123456789") != "" || s == "0" {
			s = ""
		}
	}
	if !validSubject(s) {
		return "", fmt.Errorf("the profile has an unusable %s, %.300q", name, profile[name])
	}
	return s, nil
}

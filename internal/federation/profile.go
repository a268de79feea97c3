package federation

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
)

// These providers speak OAuth 2.0 only. The access token that they return for the
// code identifies the user. PKCE, state and the provider's own callback address
// bind it to the attempt.

// profileIdentity reads the identity from one profile document.
func profileIdentity(ctx context.Context, p *provider, g grant) (Identity, error) {
	profile, err := p.fetchObject(ctx, g.meta.userinfo, g.token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	return p.fromProfile(g, profile, profile)
}

// fromProfile makes the identity of a profile, with the address of mailbox.
func (p *provider) fromProfile(g grant, profile, mailbox object) (Identity, error) {
	sub, err := subject(profile, cmp.Or(p.preset.identityAt, "id"))
	if err != nil {
		return Identity{}, err
	}
	identity := Identity{Provider: p.ID, Issuer: g.meta.issuer, Subject: sub, Roles: p.rolesIn(profile)}
	identity.Email, identity.EmailVerified = p.address(mailbox)
	identity.Name = p.nameIn(profile)
	return identity, nil
}

// nameIn returns the name of the user in a profile, "" if it has none.
func (p *provider) nameIn(profile object) string {
	members := p.preset.names
	if len(members) == 0 {
		members = []string{"name"}
	}
	for _, member := range members {
		if name := displayName(profile.text(member)); name != "" {
			return name
		}
	}
	return ""
}

// githubIdentity takes the address from the list of addresses. The profile has
// only the public one, which need not be verified.
func githubIdentity(ctx context.Context, p *provider, g grant) (Identity, error) {
	profile, err := p.fetchObject(ctx, g.meta.userinfo, g.token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	body, err := p.fetch(ctx, g.meta.userinfo+"/emails", g.token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	mailbox, err := primary(body, "primary")
	if err != nil {
		return Identity{}, err
	}
	return p.fromProfile(g, profile, mailbox)
}

// bitbucketIdentity takes the address from the list of addresses, too.
func bitbucketIdentity(ctx context.Context, p *provider, g grant) (Identity, error) {
	profile, err := p.fetchObject(ctx, g.meta.userinfo, g.token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	list, err := p.fetchObject(ctx, g.meta.userinfo+"/emails", g.token.AccessToken)
	if err != nil {
		return Identity{}, err
	}
	mailbox, err := primary(list["values"], "is_primary")
	if err != nil {
		return Identity{}, err
	}
	return p.fromProfile(g, profile, mailbox)
}

// primary returns the entry of a list of addresses that has the flag, nil if none
// has.
func primary(body []byte, flag string) (object, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("read the list of addresses: %w", err)
	}
	for _, raw := range list {
		entry, err := parseObject(raw)
		if err != nil {
			return nil, fmt.Errorf("read the list of addresses: %w", err)
		}
		if entry.isTrue(flag) {
			return entry, nil
		}
	}
	return nil, nil
}

// facebookIdentity adds the proof that the app has its secret, which Facebook can
// be set to require.
func facebookIdentity(ctx context.Context, p *provider, g grant) (Identity, error) {
	clientSecret, err := p.secret(p.clock.Now())
	if err != nil {
		return Identity{}, err
	}
	mac := hmac.New(sha256.New, []byte(clientSecret))
	mac.Write([]byte(g.token.AccessToken))
	g.meta.userinfo += "&" + url.Values{"appsecret_proof": {hex.EncodeToString(mac.Sum(nil))}}.Encode()
	return profileIdentity(ctx, p, g)
}

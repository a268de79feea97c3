package federation

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	discoveryLife = time.Hour
	keysLife      = 10 * time.Minute // a withdrawn key is believed no longer, unless the provider is down
)

// ProviderConfig is what the operator says about a provider.
type ProviderConfig struct {
	ID     string // in the routes: lower-case letters, digits, "-" and "_", at most 32
	Preset string // a known provider; "": the one that ID names, else OpenID Connect by Issuer
	Name   string // on the button; "": the preset's, else ID
	// Issuer is needed without a preset. microsoft takes a tenant's issuer,
	// gitlab and github take the address of an own installation.
	Issuer       string
	ClientID     string
	ClientSecret string   // "" without a preset: a public client
	Scopes       []string // empty: the preset's
	// TrustEmail says whether the provider's word on a verified address counts.
	// nil: yes for the own issuers of google, apple, github, gitlab, discord and
	// linkedin, else no.
	TrustEmail *bool

	// apple, instead of ClientSecret: the account's team, and the id and the
	// PEM text of its key for Sign in with Apple.
	TeamID, KeyID, PrivateKey string
}

// Origins returns the origins of the issuers that the operator has named: those
// the egress client must allow, wherever they are.
func Origins(list []ProviderConfig) []string {
	var origins []string
	for _, pc := range list {
		if origin, _, ok := cutOrigin(pc.Issuer); ok {
			origins = append(origins, origin)
		}
	}
	return origins
}

func newProvider(pc ProviderConfig, cfg Config, table map[string]preset) (*provider, error) {
	pre, known := table[cmp.Or(pc.Preset, pc.ID)]
	switch {
	case pc.ID == "" || len(pc.ID) > 32 || strings.Trim(pc.ID, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
		return nil, mistake(pc, "id", "may have lower-case letters, digits, - and _, and at most 32 of them")
	case !known && pc.Preset != "":
		return nil, mistake(pc, "preset", "is not known: use apple, discord, facebook, github, gitlab, google, linkedin, microsoft, or none and an issuer")
	case !known:
		pre = table["openid"]
	}
	if err := check(pc, pre); err != nil {
		return nil, err
	}
	makeSecret, err := clientSecret(pc, pre)
	if err != nil {
		return nil, err
	}
	http := *cfg.Client.HTTP()
	http.Transport = jsonOnly{next: http.Transport}
	issuer := cmp.Or(pc.Issuer, pre.issuer)
	p := &provider{
		Provider:   Provider{ID: pc.ID, Name: cmp.Or(pc.Name, pre.name, pc.ID), Icon: pre.icon},
		preset:     pre,
		clientID:   pc.ClientID,
		secret:     makeSecret,
		scopes:     pre.scopes,
		trustEmail: pre.trustEmail && issuer == pre.issuer,
		redirect:   cfg.RedirectURL(pc.ID),
		http:       &http,
		clock:      cfg.Clock,
	}
	if len(pc.Scopes) > 0 {
		p.scopes = slices.Clone(pc.Scopes)
	}
	if pc.TrustEmail != nil {
		p.trustEmail = *pc.TrustEmail
	}
	p.publish(issuer)
	return p, nil
}

// publish sets where the provider's documents come from.
func (p *provider) publish(issuer string) {
	load := func(ctx context.Context) (metadata, error) { return p.discover(ctx, issuer) }
	if p.preset.fixed != nil {
		load = func(context.Context) (metadata, error) { return p.preset.fixed(strings.TrimSuffix(issuer, "/")), nil }
	}
	p.metadata = newDocument(p.clock, discoveryLife, load)
	p.keys = newDocument(p.clock, keysLife, p.loadKeys)
}

// check returns the first thing in pc that cannot work.
func check(pc ProviderConfig, pre preset) error {
	switch {
	case pc.ClientID == "":
		return mistake(pc, "client_id", "is missing: copy it from the provider's page for your app")
	case pc.Issuer == "" && pre.issuer == "":
		return mistake(pc, "issuer", "is missing: write the provider's issuer, such as https://id.example.com")
	case pc.Issuer != "" && !pre.otherIssuers:
		return mistake(pc, "issuer", "is fixed for this preset: remove the key")
	case pc.Issuer != "" && !validIssuer(pc.Issuer):
		return mistake(pc, "issuer", "must be an https address without query and fragment (http only on loopback)")
	case pc.ClientSecret == "" && pre.issuer != "" && !(pre.signsSecret && pc.PrivateKey != ""):
		return mistake(pc, "client_secret", "is missing: copy it from the provider's page for your app")
	case pc.TrustEmail != nil && *pc.TrustEmail && pre.verifiedFlag == "":
		return mistake(pc, "trust_email", "cannot be true: this provider does not say which addresses are verified")
	}
	for _, scope := range pc.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return mistake(pc, "scopes", fmt.Sprintf("has %q, which is not a scope (RFC 6749 3.3)", scope))
		}
	}
	return nil
}

func clientSecret(pc ProviderConfig, pre preset) (func(time.Time) (string, error), error) {
	if !pre.signsSecret || pc.PrivateKey == "" {
		return func(time.Time) (string, error) { return pc.ClientSecret, nil }, nil
	}
	if pc.TeamID == "" || pc.KeyID == "" {
		return nil, mistake(pc, "team_id and key_id", "belong to private_key: copy all three from the developer account")
	}
	makeSecret, err := appleSecret(pc, pre.issuer)
	if err != nil {
		return nil, mistake(pc, "private_key", err.Error())
	}
	return makeSecret, nil
}

// validIssuer reports whether s can be an issuer (OpenID Connect Core 2). Plain
// http is for a provider on the same machine, in development and tests.
func validIssuer(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(s, "?#{}") {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	loopback := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback
}

func mistake(pc ProviderConfig, key, text string) error {
	return fmt.Errorf("provider %q: %s %s", pc.ID, key, text)
}

package federation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"portico/internal/document"
)

const (
	discoveryLife = time.Hour
	keysLife      = 10 * time.Minute // a withdrawn key is used no longer than this, unless the provider is down
)

// ProviderConfig is the configuration of a provider.
type ProviderConfig struct {
	ID     string // in the routes: lower-case letters, digits, "-" and "_", at most 32
	Preset string // a known provider; "": the one that ID names, else OpenID Connect by Issuer
	Name   string // on the button; "": the preset's, else ID
	// Issuer is required without a preset. Presets with otherIssuers also accept a
	// tenant's issuer, or the address of the operator's own installation.
	Issuer       string
	ClientID     string
	ClientSecret string   // "" without a preset: a public client
	Scopes       []string // empty: the preset's
	// TrustEmail is whether an address counts as proven if the provider calls it verified.
	// nil means the preset's trustEmail at the preset's own issuer, and false at any other
	// issuer.
	TrustEmail *bool
	// StrongAMR and StrongACR are the values of the claims amr and acr that count as
	// a second factor. Empty: none.
	StrongAMR, StrongACR []string
	// RolesClaim is the claim of the ID token, of UserInfo or of the profile that gives Roles, "groups"
	// if it is empty. Dots lead to nested claims.
	RolesClaim string
	Roles      []RoleMapping
	// Audiences are other audiences that its ID tokens may have, if azp names ClientID.
	Audiences []string

	// apple, instead of ClientSecret: the account's team, and the id and the
	// PEM text of its key for Sign in with Apple.
	TeamID, KeyID, PrivateKey string
}

// Origins returns the origins of the issuers that the operator has named. The egress client
// must allow them, even at a private address.
func Origins(list []ProviderConfig) []string {
	var origins []string
	for _, pc := range list {
		if origin, _, ok := cutOrigin(pc.Issuer); ok {
			origins = append(origins, origin)
		}
	}
	return origins
}

// IssuerOf returns the issuer of a provider, of its preset if the operator names
// none. It is "" for a provider without one.
func IssuerOf(pc ProviderConfig) string {
	if pc.Issuer != "" {
		return pc.Issuer
	}
	return presets()[pc.Preset].issuer
}

func newProvider(pc ProviderConfig, cfg Config, table map[string]preset) (*provider, error) {
	if wrong := check(pc, table); len(wrong) > 0 {
		all := make([]error, len(wrong))
		for i, m := range wrong {
			all[i] = m
		}
		return nil, errors.Join(all...)
	}
	pre, _ := presetOf(pc, table)
	makeSecret, err := clientSecret(pc, pre)
	if err != nil {
		return nil, err
	}
	http := *cfg.Client.HTTP()
	http.Transport = jsonOnly{next: http.Transport}
	issuer := cmp.Or(pc.Issuer, pre.issuer)
	p := &provider{
		Provider:   Provider{ID: pc.ID, Name: cmp.Or(pc.Name, pre.name, pc.ID), Icon: pre.icon, TellsNoTime: pre.tellsNoTime},
		preset:     pre,
		named:      issuer,
		clientID:   pc.ClientID,
		secret:     makeSecret,
		scopes:     pre.scopes,
		trustEmail: pre.trustEmail && issuer == pre.issuer,
		strongAMR:  slices.Clone(pc.StrongAMR),
		strongACR:  slices.Clone(pc.StrongACR),
		audiences:  slices.Clone(pc.Audiences),
		rolesClaim: cmp.Or(pc.RolesClaim, "groups"),
		roles:      slices.Clone(pc.Roles),
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
	p.Provider.Vouches = p.trustEmail
	p.Provider.Strong = len(p.strongAMR)+len(p.strongACR) > 0
	p.publish(issuer)
	return p, nil
}

// publish sets how the provider's documents are loaded.
func (p *provider) publish(issuer string) {
	load := func(ctx context.Context) (metadata, error) { return p.discover(ctx, issuer) }
	if p.preset.fixed != nil {
		load = func(context.Context) (metadata, error) { return p.preset.fixed(strings.TrimSuffix(issuer, "/")), nil }
	}
	p.metadata = document.New(p.clock.Now, discoveryLife, load)
	p.keys = document.New(p.clock.Now, keysLife, p.loadKeys)
}

// Mistake is a setting of a provider that cannot work.
type Mistake struct {
	ID, Key    string
	Why, Write string // both follow the key in the message
}

func (m Mistake) Error() string {
	return fmt.Sprintf("provider %q: %s %s: %s", m.ID, m.Key, m.Why, m.Write)
}

// Check returns everything in pc that New refuses.
func Check(pc ProviderConfig) []Mistake { return check(pc, presets()) }

func check(pc ProviderConfig, table map[string]preset) (all []Mistake) {
	add := func(key, why, write string) { all = append(all, Mistake{pc.ID, key, why, write}) }
	if pc.ID == "" || len(pc.ID) > 32 || strings.Trim(pc.ID, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		add("id", "is not one", "it may have lower-case letters, digits, - and _, and at most 32 of them")
	}
	pre, known := presetOf(pc, table)
	if !known {
		names := slices.Sorted(maps.Keys(table))
		add("preset", "is not known", "use one of "+strings.Join(names, ", "))
		return all
	}
	if pc.ClientID == "" {
		add("client_id", "is missing", "copy it from the provider's page for your app")
	}
	switch {
	case pc.Issuer == "" && pre.issuer == "":
		add("issuer", "is missing", "write the provider's issuer, such as "+cmp.Or(pre.example, "https://id.example.com"))
	case pc.Issuer != "" && !pre.otherIssuers:
		add("issuer", "is fixed for this preset", "remove the key")
	}
	if pc.TrustEmail != nil && *pc.TrustEmail && pre.verifiedFlag == "" {
		add("trust_email", "cannot be true", "this provider does not say which addresses are verified: remove the key")
	}
	for _, strong := range []struct {
		key    string
		values []string
	}{{"mfa_acr", pc.StrongACR}, {"mfa_amr", pc.StrongAMR}} {
		if len(strong.values) > 0 && (pre.fixed != nil || pre.tellsNoTime) {
			add(strong.key, "cannot be set", "this provider has no ID token that tells when its user signed in: remove the key")
		}
	}
	if len(pc.Audiences) > 0 && pre.fixed != nil {
		add("audiences", "cannot be set", "this provider has no ID token: remove the key")
	}
	if len(pc.Scopes) > 0 && !pre.signsSecret && slices.Contains(pre.scopes, "openid") && !slices.Contains(pc.Scopes, "openid") {
		add("scopes", "lacks openid, without which this provider gives no ID token", "add it")
	}
	for _, scope := range pc.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			add("scopes", fmt.Sprintf("has %q, which is not a scope (RFC 6749 3.3)", scope), "write scopes as the provider names them")
		}
	}
	checkSecret(pc, pre, add)
	return all
}

// presetOf returns the preset of a provider.
func presetOf(pc ProviderConfig, table map[string]preset) (preset, bool) {
	pre, known := table[cmp.Or(pc.Preset, pc.ID)]
	if !known && pc.Preset == "" {
		return table["openid"], true
	}
	return pre, known
}

// checkSecret checks the client secret, or the settings that it is made from.
func checkSecret(pc ProviderConfig, pre preset, add func(key, why, write string)) {
	const jwtDots = 2
	signs := pre.signsSecret && pc.PrivateKey != ""
	switch {
	case pc.ClientSecret == "" && pre.issuer != "" && !signs:
		add("client_secret", "is missing", "copy it from the provider's page for your app")
	case pre.signsSecret && !signs && strings.Count(pc.ClientSecret, ".") != jwtDots:
		add("client_secret", "cannot be used, because the provider accepts only a signed token", "remove it, and write team_id, key_id and private_key: Portico makes the token from them")
	}
	if !signs {
		return
	}
	if pc.TeamID == "" {
		add("team_id", "is missing, and private_key needs it", "copy it from the developer account")
	}
	if pc.KeyID == "" {
		add("key_id", "is missing, and private_key needs it", "copy it from the developer account")
	}
	if _, err := appleSecret(pc, pre.issuer); err != nil {
		add("private_key", err.Error(), "use the AuthKey_....p8 file as Apple gave it")
	}
}

// clientSecret returns the function that makes the secret for an exchange.
func clientSecret(pc ProviderConfig, pre preset) (func(time.Time) (string, error), error) {
	if pre.signsSecret && pc.PrivateKey != "" {
		return appleSecret(pc, pre.issuer)
	}
	return func(time.Time) (string, error) { return pc.ClientSecret, nil }, nil
}

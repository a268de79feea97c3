package federation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// tenantMark stands for the id of a tenant in the issuer of Microsoft's endpoints
// for all tenants.
const tenantMark = "{tenantid}"

// metadata is the part of a provider's metadata that a client needs (OpenID Connect
// Discovery 3, RFC 8414 2).
type metadata struct {
	issuer         string // may contain tenantMark
	authorize      string
	token          string
	userinfo       string // "": none
	keys           string
	algorithms     []jose.SignatureAlgorithm
	promisesIssuer bool // RFC 9207 3
	secretInBody   bool // client_secret_post instead of client_secret_basic
	noLoginPrompt  bool // the provider lists its values of prompt, without "login"
}

// issuedBy reports whether an issuer is the provider's. It compares strings, with
// a slash at the end.
func (m metadata) issuedBy(issuer string) bool { return matchIssuer(m.issuer, issuer) }

func matchIssuer(pattern, issuer string) bool {
	before, after, ok := strings.Cut(pattern, tenantMark)
	if !ok {
		return issuer == pattern
	}
	rest, isBefore := strings.CutPrefix(issuer, before)
	tenant, isAfter := strings.CutSuffix(rest, after)
	return isBefore && isAfter && isTenant(tenant)
}

// isTenant reports whether s has the form of a tenant's id, a UUID.
func isTenant(s string) bool {
	return len(s) == 36 && strings.Count(s, "-") == 4 && strings.Trim(s, "0123456789abcdef-") == ""
}

// signing returns the algorithms that may sign an ID token. All are asymmetric:
// with a shared secret, each party that can verify could also sign.
func signing() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
		jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	}
}

// discover loads the metadata that an issuer publishes.
func (p *provider) discover(ctx context.Context, issuer string) (metadata, error) {
	body, err := p.fetch(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", "")
	if err != nil {
		return metadata{}, err
	}
	var d struct {
		Issuer         string                    `json:"issuer"`
		Authorize      string                    `json:"authorization_endpoint"`
		Token          string                    `json:"token_endpoint"`
		UserInfo       string                    `json:"userinfo_endpoint"`
		Keys           string                    `json:"jwks_uri"`
		Algorithms     []jose.SignatureAlgorithm `json:"id_token_signing_alg_values_supported"`
		Methods        []string                  `json:"token_endpoint_auth_methods_supported"`
		PromisesIssuer bool                      `json:"authorization_response_iss_parameter_supported"`
		Prompts        []string                  `json:"prompt_values_supported"`
	}
	if err := json.Unmarshal(body, &d); err != nil {
		return metadata{}, fmt.Errorf("read the discovery document: %w", err)
	}
	if d.Issuer != issuer && !(p.preset.tenants && tenantIssuer(issuer, d.Issuer)) {
		return metadata{}, fmt.Errorf("the discovery document of %s names the issuer %.256q", issuer, d.Issuer)
	}
	targets := []string{d.Authorize, d.Token, d.Keys}
	if d.UserInfo != "" {
		targets = append(targets, d.UserInfo)
	}
	for _, target := range targets {
		if !endpoint(target, issuer) {
			return metadata{}, fmt.Errorf("the discovery document holds %.256q where an https address belongs", target)
		}
	}
	algorithms := slices.DeleteFunc(signing(), func(a jose.SignatureAlgorithm) bool { return !slices.Contains(d.Algorithms, a) })
	if len(algorithms) == 0 {
		return metadata{}, errors.New("the provider signs ID tokens with none of the accepted algorithms")
	}
	return metadata{
		issuer: d.Issuer, authorize: d.Authorize, token: d.Token, userinfo: d.UserInfo, keys: d.Keys,
		algorithms: algorithms, promisesIssuer: d.PromisesIssuer,
		secretInBody:  len(d.Methods) > 0 && !slices.Contains(d.Methods, "client_secret_basic"),
		noLoginPrompt: len(d.Prompts) > 0 && !slices.Contains(d.Prompts, "login"),
	}, nil
}

// tenantIssuer reports whether the discovery document of issuer may name another
// issuer, found. With tenants that is the pattern for all of them, or the tenant
// behind an alias such as "consumers" or a domain.
func tenantIssuer(issuer, found string) bool {
	root, path, _ := cutOrigin(issuer)
	alias, rest, _ := strings.Cut(path, "/")
	pattern := root + "/" + tenantMark + "/" + rest
	return !isTenant(alias) && (found == pattern || matchIssuer(pattern, found))
}

// cutOrigin splits an address into its origin and the path without its first slash.
func cutOrigin(address string) (origin, path string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", "", false
	}
	return u.Scheme + "://" + u.Host, strings.TrimPrefix(u.Path, "/"), true
}

// endpoint reports whether an address may be used: https, or http when the
// issuer is http itself, which the settings allow on loopback only.
func endpoint(address, issuer string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && u.Fragment == "" &&
		(u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(issuer, "http://"))
}

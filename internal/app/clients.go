package app

import (
	"fmt"
	"strconv"
	"time"

	"portico/internal/config"
	"portico/internal/openid"
	"portico/internal/rule"
)

// algorithms returns the algorithms by which ID tokens are signed. Where there are OpenID clients,
// RS256 is one of them, because discovery must name it (OpenID Connect Discovery 1.0, 3).
func algorithms(cfg config.Config) []string {
	var list []string
	for _, c := range cfg.Clients {
		list = append(list, c.IDTokenAlg)
	}
	if len(list) > 0 || cfg.OpenID.Registration || cfg.OpenID.ClientDocuments {
		list = append(list, "RS256")
	}
	return list
}

// clientRules converts the rules of an OpenID client, or returns their problems.
func clientRules(cfg config.Config, c config.Client) (openid.Rules, config.Problems) {
	var needs []rule.Need
	var problems config.Problems
	for i, line := range c.Rules {
		need, p := rule.NeedOf(line)
		if p != nil {
			key := c.Key + ".rules." + strconv.Itoa(i+1)
			problems = append(problems, config.Problem{Source: cfg.Source(key), Key: key, Why: fmt.Sprintf("(%s) %s", line, p.Why), Write: p.Write})
		}
		needs = append(needs, need)
	}
	if len(needs) == 0 {
		return nil, problems
	}
	return func(s openid.Standing, now time.Time) openid.Ruling {
		best := openid.NotAdmitted
		for _, need := range needs {
			switch need.Judge(&rule.User{Roles: s.Roles, AuthenticatedAt: s.ProvenAt, StrongAt: s.StrongAt}, now) {
			case rule.Pass:
				return openid.Admitted
			case rule.SignInAgain:
				best = openid.TooOld
			case rule.SecondFactor:
				best = openid.NotStrong
			}
		}
		return best
	}, problems
}

// clients converts the configured OpenID clients for package openid, or returns
// their problems.
func clients(cfg config.Config) (openid.Clients, config.Problems) {
	list := make([]openid.Client, 0, len(cfg.Clients))
	_, problems := clientKeys(cfg)
	for _, c := range cfg.Clients {
		allowed, wrong := clientRules(cfg, c)
		problems = append(problems, wrong...)
		client, err := openid.NewClient(openid.ClientConfig{
			ID: c.ID, Secret: c.Secret, SecretHash: c.SecretHash, SecretNext: c.SecretNext, NextHash: c.NextHash, Keyed: c.Keys != "" || c.KeysURI != "", Public: c.Public,
			RedirectURIs: c.RedirectURIs, Scopes: c.Scopes, IDTokenClaims: c.IDTokenClaims, ExtraClaims: c.ExtraClaims, IDTokenAlg: c.IDTokenAlg, PKCE: c.PKCE,
			LogoutReturns: c.LogoutReturns, LogoutURI: c.LogoutURI, Name: c.Name, Consent: c.Consent, Rules: allowed, RuleTexts: c.Rules, RequirePAR: c.RequirePAR,
			Code: c.SignsIn(), Machine: c.Machine(), OwnScopes: c.OwnScopes, Resources: c.Resources, JWT: c.AccessToken == "jwt", Serves: c.Serves, DPoP: c.DPoP, Device: c.Device(),
		})
		if err != nil && c.Secret == "" && c.SecretNext == "" {
			continue // the settings have been refused for it
		}
		if err != nil {
			key := c.Key + ".secret"
			problems = append(problems, config.Problem{
				Source: cfg.Source(key), Key: key, Why: err.Error(), Write: "write what openssl rand -hex 32 prints",
			})
			continue
		}
		list = append(list, client)
	}
	return openid.NewClients(list), problems
}

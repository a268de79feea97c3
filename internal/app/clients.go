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
			problems = append(problems, cfg.Problem(key, fmt.Sprintf("(%s) %s", line, p.Why), p.Write))
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
		client, err := openid.NewClient(openid.Client{
			ID: c.ID, Name: c.Name, Public: c.Public, Consent: c.Consent, Imported: c.Subject == "imported", Rules: allowed, RuleTexts: c.Rules,
			Code: c.SignsIn(), Machine: c.Machine(), Device: c.Device(),
			RedirectURIs: c.RedirectURIs, LogoutReturns: c.LogoutReturns, LogoutURI: c.LogoutURI,
			Scopes: c.Scopes, OwnScopes: c.OwnScopes, Resources: c.Resources, Serves: c.Serves,
			IDTokenClaims: c.IDTokenClaims, ExtraClaims: c.ExtraClaims, IDTokenAlg: c.IDTokenAlg, JWT: c.AccessToken == "jwt",
			PKCE: c.PKCE, RequirePAR: c.RequirePAR, DPoP: c.DPoP,
		}, openid.Secrets{Text: c.Secret, Hash: c.SecretHash, NextText: c.SecretNext, NextHash: c.NextHash})
		if err != nil && c.Secret == "" && c.SecretNext == "" {
			continue // the settings have been refused for it
		}
		if err != nil {
			problems = append(problems, cfg.Problem(c.Key+".secret", err.Error(), "write what openssl rand -hex 32 prints"))
			continue
		}
		list = append(list, client)
	}
	return openid.NewClients(list), problems
}

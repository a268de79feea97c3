package app

import (
	"slices"

	"portico/internal/config"
	"portico/internal/openid"
)

// rsaClient reports whether an OpenID client needs RS256.
func rsaClient(cfg config.Config) bool {
	return slices.ContainsFunc(cfg.Clients, func(c config.Client) bool { return c.IDTokenAlg == "RS256" })
}

// clients converts the configured OpenID clients for package openid, or returns
// their problems.
func clients(cfg config.Config) (openid.Clients, config.Problems) {
	list := make([]openid.Client, 0, len(cfg.Clients))
	var problems config.Problems
	for _, c := range cfg.Clients {
		client, err := openid.NewClient(openid.ClientConfig{
			ID: c.ID, Secret: c.Secret, SecretHash: c.SecretHash, Public: c.Public,
			RedirectURIs: c.RedirectURIs, Scopes: c.Scopes, IDTokenClaims: c.IDTokenClaims, IDTokenAlg: c.IDTokenAlg, PKCE: c.PKCE,
			LogoutReturns: c.LogoutReturns, LogoutURI: c.LogoutURI,
		})
		if err != nil {
			key := c.Key + ".secret"
			problems = append(problems, config.Problem{
				Source: cfg.Source(key), Key: key, Why: err.Error(), Write: "write what openssl rand -base64 32 prints",
			})
			continue
		}
		list = append(list, client)
	}
	return openid.NewClients(list), problems
}

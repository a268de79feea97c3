package app

import (
	"portico/internal/config"
	"portico/internal/openid"
)

// clients converts the configured OpenID clients for package openid, or returns
// their problems.
func clients(cfg config.Config) (openid.Clients, config.Problems) {
	list := make([]openid.Client, 0, len(cfg.Clients))
	var problems config.Problems
	for _, c := range cfg.Clients {
		client, err := openid.NewClient(openid.ClientConfig{
			ID: c.ID, Secret: c.Secret, SecretHash: c.SecretHash, Public: c.Public,
			RedirectURIs: c.RedirectURIs, Scopes: c.Scopes, IDTokenClaims: c.IDTokenClaims, PKCE: c.PKCE,
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

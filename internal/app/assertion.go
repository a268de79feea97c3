package app

import (
	"portico/internal/assertion"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/openid"
)

// clientKeys returns where the keys of OpenID clients are, or problems with those in
// the settings.
func clientKeys(cfg config.Config) (list []assertion.Source, problems config.Problems) {
	for _, c := range cfg.Clients {
		source := assertion.Source{ClientID: c.ID, URL: c.KeysURI}
		if c.Keys != "" {
			var err error
			if source.Keys, err = assertion.ParseKeys([]byte(c.Keys)); err != nil {
				problems = append(problems, cfg.Problem(c.Key+".jwks", err.Error(), "write the public keys of the client, as its documents name them"))
			}
		}
		if c.Keys != "" || c.KeysURI != "" {
			list = append(list, source)
		}
	}
	return list, problems
}

// takeAssertions prepares checking what OpenID clients sign.
func (p *parts) takeAssertions(c clock.Clock) error {
	sources, _ := clientKeys(p.config) // clients has the problems
	var origins []string
	for _, s := range sources {
		if s.URL != "" {
			origins = append(origins, openid.OriginOf(s.URL))
		}
	}
	client, err := outgoing(p.config, origins)
	if err != nil {
		return err
	}
	p.asserted = assertion.New(assertion.Config{Clock: c, Client: client, Sources: sources})
	return nil
}

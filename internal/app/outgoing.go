package app

import (
	"portico/internal/config"
	"portico/internal/egress"
)

// Outgoing returns what the settings and the environment say about requests to
// servers of others: the proxy and the authorities.
func Outgoing(cfg config.Config) (c egress.Config, err error) {
	if c.Proxy, err = egress.Proxy(cfg.HTTPSProxy, cfg.NoProxy); err != nil {
		return c, err
	}
	c.Roots, err = egress.Roots(cfg.TLS.CAFile)
	return c, err
}

// outgoing returns a client for the origins that the operator has named.
func outgoing(cfg config.Config, origins []string) (*egress.Client, error) {
	c, err := Outgoing(cfg)
	if err != nil {
		return nil, err
	}
	c.Allow = origins
	return egress.New(c)
}

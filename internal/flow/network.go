package flow

import "portico/internal/throttle"

// widths is the number of networks that a limit counts for: the caller's own, and
// the /56 and the /48 around it. The owner of a /48 has 65,536 networks.
const widths = 3

// widened returns the limit of a network for each width. A wider network has a
// higher limit, because several households can share it.
func widened(l throttle.Limit) [widths]throttle.Limit {
	household, site := l, l
	household.Name, household.Count = l.Name+" /56", l.Count*3/2
	site.Name, site.Count = l.Name+" /48", l.Count*3
	return [widths]throttle.Limit{l, household, site}
}

// fromNetwork returns an attempt for each network of the caller, the narrowest
// first.
func fromNetwork(l throttle.Limit, c Caller) []throttle.Attempt {
	limits := widened(l)
	attempts := []throttle.Attempt{{Limit: limits[0], Subject: c.Peer}}
	for i, network := range c.Around {
		if network != "" {
			attempts = append(attempts, throttle.Attempt{Limit: limits[i+1], Subject: network})
		}
	}
	return attempts
}

// widest returns the widest network that probably has one owner.
func (c Caller) widest() string {
	if site := c.Around[len(c.Around)-1]; site != "" {
		return site
	}
	return c.Peer
}

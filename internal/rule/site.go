package rule

import (
	"slices"
	"strings"
)

// Site is the part of a host that belongs to one app.
type Site struct {
	Host  string // as browsers send it, in lower case
	Path  string // path prefix: "/" or "/shop"
	Rules Set

	AsSent bool // the app takes paths that Path refuses and Readings admits

	// Server names what answers for the site. Sites of a host with the same one may be one program, which reads
	// paths in its own way and knows no sites.
	Server string
}

// Sites finds the app of a request. It is immutable and safe for concurrent
// use.
type Sites struct {
	sites []Site
	order []int  // indexes of the sites, longest path first
	mixed []bool // by site: another site of the host has the same server
}

// NewSites returns Sites for the sites of all apps.
func NewSites(sites []Site) Sites {
	s := Sites{sites: sites}
	for i, site := range sites {
		s.order = append(s.order, i)
		beside := func(other Site) bool { return other.Path != site.Path && other.besides(site) }
		s.mixed = append(s.mixed, slices.ContainsFunc(sites, beside))
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return len(sites[b].Path) - len(sites[a].Path) })
	return s
}

// Find returns the site of a host and path, and its index in the list of
// NewSites. The path must have the form that Path returns.
func (s Sites) Find(host, path string) (Site, int, bool) {
	for _, i := range s.order {
		if site := s.sites[i]; site.Host == host && site.holds(path) {
			return site, i, true
		}
	}
	return Site{}, 0, false
}

func (s Site) holds(path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(s.Path, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// besides reports whether one program may answer for two sites.
func (s Site) besides(other Site) bool { return s.Host == other.Host && s.Server == other.Server }

// MatchAll is Set.MatchAll for a site, by its index. If its server could read a path as one of another site, the request
// must satisfy the rule there as well.
func (s Sites) MatchAll(i int, m Methods, readings []string) (Rule, int, bool) {
	r, at, ok := s.sites[i].Rules.MatchAll(m, readings)
	if !ok || !s.mixed[i] {
		return r, at, ok
	}
	for _, path := range readings {
		reading := generous(path)
		j := s.order[slices.IndexFunc(s.order, func(j int) bool {
			return j == i || s.sites[j].besides(s.sites[i]) && s.sites[j].reads(reading)
		})]
		if j == i {
			continue
		}
		other, known := s.sites[j].Rules.read(m, reading)
		if !known {
			return Rule{}, 0, false
		}
		r.Need = r.Need.and(other.Need)
	}
	return r, at, true
}

// reads reports whether a site has a path as the most generous app reads it.
func (s Site) reads(reading string) bool {
	return Rule{below: true}.reaches(generous(s.Path), reading, true)
}

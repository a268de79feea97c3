package rule

import (
	"cmp"
	"slices"
	"strings"
)

// Site is the part of a host that belongs to one app.
type Site struct {
	Host  string // as browsers send it, in lower case
	Path  string // path prefix: "/" or "/shop"
	Rules Set

	AsSent bool // the app takes paths that Path refuses and Readings admits

	// Server names what answers for the site, "" if that is unknown. Sites of a host with the same one may be one program,
	// which reads paths in its own way and knows no sites.
	Server string
}

// Sites finds the app of a request. It is immutable and safe for concurrent
// use.
type Sites struct {
	sites    []Site
	order    []int    // indexes of the sites, longest path first
	readings []string // by site: its path as the most generous app reads it
	mixed    []bool   // by site: another site of the host has the same server
}

// Reading is a site whose server may read the path of another site as one of its own.
type Reading struct {
	Site int
	Path string
}

// NewSites returns Sites for the sites of all apps.
func NewSites(sites []Site) Sites {
	s := Sites{sites: sites}
	for i, site := range sites {
		s.order = append(s.order, i)
		s.readings = append(s.readings, generous(site.Path))
		sharesServer := func(other Site) bool { return other.Path != site.Path && other.sameProgram(site) }
		s.mixed = append(s.mixed, slices.ContainsFunc(sites, sharesServer))
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		return cmp.Or(len(s.readings[b])-len(s.readings[a]), len(sites[b].Path)-len(sites[a].Path))
	})
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

// sameProgram reports whether one program may answer for both sites. Nobody knows the server of an app that another proxy
// forwards to: it may be that of any app of the host.
func (s Site) sameProgram(other Site) bool {
	return s.Host == other.Host && (s.Server == other.Server || s.Server == "" || other.Server == "")
}

// MatchAll is Set.MatchAll for a site, by its index. If its server could read a path as one of another site, the request
// must satisfy the rule there as well.
func (s Sites) MatchAll(i int, m Methods, paths []string) (Rule, int, bool) {
	r, at, ok := s.sites[i].Rules.MatchAll(m, paths)
	if !ok || !s.mixed[i] {
		return r, at, ok
	}
	for _, also := range s.Readings(i, paths) {
		other, known := s.sites[also.Site].Rules.read(m, also.Path)
		if !known {
			return Rule{}, 0, false
		}
		r.Need = r.Need.and(other.Need)
	}
	return r, at, true
}

// Readings returns the other sites that the server of a site, by its index, could read paths of it as. Of those that
// have a path, the longest count.
func (s Sites) Readings(i int, paths []string) (also []Reading) {
	if !s.mixed[i] {
		return nil
	}
	for _, path := range paths {
		reading, longest := generous(path), 0
		for _, j := range s.order {
			below := Rule{below: true}
			if len(s.readings[j]) < longest || !s.sites[j].sameProgram(s.sites[i]) || !below.reaches(s.readings[j], reading, true) {
				continue
			}
			if longest = len(s.readings[j]); j != i {
				also = append(also, Reading{j, reading})
			}
		}
	}
	return also
}

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
}

// Sites finds the app of a request. It is immutable and safe for concurrent
// use.
type Sites struct {
	sites []Site
	order []int // indexes of the sites, longest path first
}

// NewSites returns Sites for the sites of all apps.
func NewSites(sites []Site) Sites {
	s := Sites{sites: sites}
	for i := range sites {
		s.order = append(s.order, i)
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

package clientdoc

import (
	"net/url"
	"slices"
	"strings"

	"portico/internal/origin"
)

// maxAddress is the size limit of an address in bytes.
const maxAddress = 512

// Counts reports whether a text is the address of a document that counts, in its one
// spelling: an origin, and a path without . and .. as segments. There is no query, no
// fragment and no user. It is not at the host of Portico itself.
func (k *Keeper) Counts(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxAddress || !strings.HasPrefix(u.Path, "/") || !plain(u.Path) {
		return false
	}
	site := origin.Of(u)
	if text != site+u.Path || origin.Check(site) != nil || origin.SameHost(site, k.self) {
		return false
	}
	if len(k.origins) > 0 {
		return slices.Contains(k.origins, site)
	}
	return u.Scheme == "https" && !origin.IsLoopback(u.Hostname()) // which the guard never dials
}

// plain reports whether every program reads a path alike.
func plain(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("/-._~@!$&'()*+,:=", r)
	})
}

// HostOf returns the host of an address, for people to read. It returns "" for a text
// that is not an address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

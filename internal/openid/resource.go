package openid

import (
	"math/bits"
	"slices"
)

// maxResources is how many resource servers one grant can have. An access token has
// one bit for each.
const maxResources = 16

// resources returns the resource servers that a client asks for (RFC 8707), or an
// Error unless it may have all of them.
func resources(asked, allowed []string) ([]string, error) {
	var list []string
	for _, r := range asked {
		if !slices.Contains(allowed, r) {
			return nil, &Error{"invalid_target", "the client may not use this resource: allow it in the resources of the client, and name it already in the request that begins the grant"}
		}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	if len(list) > maxResources {
		return nil, &Error{"invalid_target", "too many resources"}
	}
	return list, nil
}

// mask returns the places of some of the resources or scopes of a grant, one bit each. All
// of them have the mask 0.
func mask(some, all []string) (m uint64) {
	for _, r := range some {
		m |= 1 << slices.Index(all, r)
	}
	if bits.OnesCount64(m) == len(all) {
		return 0
	}
	return m
}

// unmask is the inverse of mask.
func unmask(m uint64, all []string) []string {
	if m == 0 {
		return all
	}
	var some []string
	for i, r := range all {
		if m&(1<<i) != 0 {
			some = append(some, r)
		}
	}
	return some
}

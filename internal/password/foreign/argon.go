package foreign

import (
	"fmt"
	"strings"

	"portico/internal/password/argon2"
)

const (
	mostMemory = 256 * 1024 // KiB
	mostArgon  = 1 << 22    // KiB times passes
)

// argonTypes are the names of the types by their numbers (RFC 9106 3.1).
func argonTypes() []string { return []string{"argon2d", "argon2i", "argon2id"} }

// parseArgon2 reads v=19$m=65536,t=3,p=4$<salt>$<digest>. Without a version it is the one
// of 2015.
func parseArgon2(number uint64, rest string) (Hash, error) {
	v := argon2.Variant{Type: number, Version: 0x10}
	if later, ok := strings.CutPrefix(rest, "v=19$"); ok {
		v.Version, rest = 0x13, later
	}
	rest = strings.TrimPrefix(rest, "v=16$")
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	p, err := argonCost(parts[0])
	if err != nil {
		return Hash{}, err
	}
	salt, digest, err := decodeBoth(parts[1], parts[2])
	if err != nil || len(salt) < 8 {
		return Hash{}, ErrForm
	}
	name := argonTypes()[number]
	setting := fmt.Sprintf("$%s$v=%d$m=%d,t=%d,p=%d$%s$", name, v.Version, p.Memory, p.Passes, p.Lanes, encode(salt))
	return Hash{
		kind:   fmt.Sprintf("%s, %d KiB, %d passes", name, p.Memory, p.Passes),
		memory: p.Memory, setting: setting, digest: digest,
		derive: func(a *argon2.Arena, password []byte) ([]byte, error) {
			tag := make([]byte, len(digest))
			return tag, a.DeriveAs(v, tag, argon2.Input{Password: password, Salt: salt}, p)
		},
	}, nil
}

func argonCost(text string) (argon2.Params, error) {
	values, err := params(text, "m", "t", "p")
	if err != nil {
		return argon2.Params{}, err
	}
	lanes, err := within(values[2], "a number of lanes", 1, argon2.MaxLanes-1)
	if err != nil {
		return argon2.Params{}, err
	}
	memory, err := within(values[0], "a memory in KiB", uint64(8*lanes), mostMemory)
	if err != nil {
		return argon2.Params{}, err
	}
	passes, err := within(values[1], "a number of passes", 1, uint64(min(mostArgon/memory, argon2.MaxPasses)))
	return argon2.Params{Memory: uint32(memory), Passes: uint32(passes), Lanes: uint32(lanes)}, err
}

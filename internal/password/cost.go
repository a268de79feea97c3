package password

import (
	"fmt"

	"portico/internal/password/argon2"
)

// Cost is the work of one hash (RFC 9106 3.1). There is always one lane: the
// slots keep every core busy, so more lanes would only take turns.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
}

const (
	// The floor: ASVS 5.0 appendix C, OWASP Password Storage Cheat Sheet.
	floorMemory = 19 * 1024
	floorPasses = 2

	// The ceiling guards against typing errors and damaged rows: beyond it one
	// hash would take the memory of the machine or half a minute.
	ceilingMemory = 256 * 1024
	ceilingPasses = 32

	// ceilingSlots bounds the memory of all slots together.
	ceilingSlots = 8 * 1024 * 1024 // KiB

	lanes       = 1
	leastMemory = 8 * lanes // KiB: RFC 9106 3.1
	leastPasses = 1

	saltSize = 16 // bytes: RFC 9106 3.1
	tagSize  = 32 // bytes
)

// String returns the spelling of a PHC string: m=19456,t=2.
func (c Cost) String() string { return fmt.Sprintf("m=%d,t=%d", c.Memory, c.Passes) }

// ParseCost is the inverse of String, for configurable costs.
func ParseCost(s string) (Cost, bool) {
	var c Cost
	_, err := fmt.Sscanf(s, "m=%d,t=%d", &c.Memory, &c.Passes)
	return c, err == nil && c.check() == nil && c.String() == s
}

func floor() Cost { return Cost{Memory: floorMemory, Passes: floorPasses} }

// least is the cheapest hash that can be computed.
func least() Cost { return Cost{Memory: leastMemory, Passes: leastPasses} }

// check says what is wrong with a configured cost.
func (c Cost) check() error { return c.from(floor()) }

// from says what is wrong with a cost that is at least another.
func (c Cost) from(floor Cost) error {
	if c.Memory < floor.Memory || c.Memory > ceilingMemory {
		return fmt.Errorf("password: hashing memory of %d KiB: write a number from %d to %d", c.Memory, floor.Memory, ceilingMemory)
	}
	if c.Passes < floor.Passes || c.Passes > ceilingPasses {
		return fmt.Errorf("password: %d hashing passes: write a number from %d to %d", c.Passes, floor.Passes, ceilingPasses)
	}
	return nil
}

// MostSlots returns how many hashes of the cost may be computed at a time.
func (c Cost) MostSlots() int { return ceilingSlots / int(max(c.Memory, 1)) }

// checkSlots says what is wrong with that many slots of the cost.
func (c Cost) checkSlots(slots int) error {
	if slots < 1 || slots > c.MostSlots() {
		return fmt.Errorf("password: %d hashing slots of %d KiB: from 1 slot to %d KiB together can be had", slots, c.Memory, ceilingSlots)
	}
	return nil
}

// work is proportional to the time of a hash.
func (c Cost) work() float64 { return float64(c.Memory) * float64(c.Passes) }

func (c Cost) params() argon2.Params {
	return argon2.Params{Memory: c.Memory, Passes: c.Passes, Lanes: lanes}
}

// derive is the only place that runs Argon2id. The caller wipes the tag, which
// must not leave the process without the keyed step.
func derive(arena *argon2.Arena, text string, salt []byte, c Cost) ([]byte, error) {
	plain := []byte(text)
	defer clear(plain)
	tag := make([]byte, tagSize)
	err := arena.Derive(tag, argon2.Input{Password: plain, Salt: salt}, c.params())
	return tag, err
}

package argon2

import (
	"errors"
	"fmt"
	"time"
)

// Params are the cost of a hash (RFC 9106 3.1).
type Params struct {
	Memory uint32 // KiB: m
	Passes uint32 // t
	Lanes  uint32 // p; they are computed one after another
}

// The bounds of what is computed at all. RFC 9106 3.1 allows up to 4 TiB.
const (
	MaxMemory = 1 << 20 // KiB
	MaxPasses = 1 << 10
	MaxLanes  = 1 << 8

	maxInput = 1 << 16 // bytes of each
	minSalt  = 8       // bytes: a shorter salt is a mistake
	minTag   = 4
	maxTag   = 1 << 10
)

// Check says what is wrong with the parameters.
func (p Params) Check() error {
	switch {
	case p.Lanes < 1 || p.Lanes > MaxLanes:
		return fmt.Errorf("argon2: %d lanes: from 1 to %d can be computed", p.Lanes, MaxLanes)
	case p.Memory < 8*p.Lanes || p.Memory > MaxMemory:
		return fmt.Errorf("argon2: %d KiB of memory: from %d to %d can be used", p.Memory, 8*p.Lanes, MaxMemory)
	case p.Passes < 1 || p.Passes > MaxPasses:
		return fmt.Errorf("argon2: %d passes: from 1 to %d can be made", p.Passes, MaxPasses)
	}
	return nil
}

// Variant is a form of Argon2. Foreign hashes have other forms than Portico's.
type Variant struct {
	Type    uint64 // 0 is Argon2d, 1 Argon2i, 2 Argon2id
	Version uint32 // 0x10 before 2016, else 0x13
}

// ID is the variant of RFC 9106 that Portico uses.
var ID = Variant{Type: 2, Version: 0x13}

func (v Variant) check() error {
	if v.Type > ID.Type || v.Version != ID.Version && v.Version != 0x10 {
		return fmt.Errorf("argon2: type %d of version %#x: types 0 to 2 of versions 0x10 and 0x13 can be computed", v.Type, v.Version)
	}
	return nil
}

// addressed reports whether the memory that a segment reads does not depend on the
// password. Argon2id does so in the first half of the first pass (RFC 9106 3.4.1.3).
func (v Variant) addressed(at place) bool {
	return v.Type == 1 || v.Type == 2 && at.pass == 0 && at.slice < syncPoints/2
}

// Input is what is hashed. Secret and Data may be empty.
type Input struct {
	Password []byte // P
	Salt     []byte // S
	Secret   []byte // K
	Data     []byte // X
}

func (in Input) check() error {
	for _, part := range [...][]byte{in.Password, in.Salt, in.Secret, in.Data} {
		if len(part) > maxInput {
			return fmt.Errorf("argon2: an input of %d bytes: at most %d can be hashed", len(part), maxInput)
		}
	}
	if len(in.Salt) < minSalt {
		return fmt.Errorf("argon2: a salt of %d bytes: it has at least %d", len(in.Salt), minSalt)
	}
	return nil
}

const blockSize = 8 * words // bytes

// Arena is the memory in which hashes are computed, one after another. It grows
// to the most expensive hash, keeps its size, and is wiped after each hash.
// Only one goroutine may use it at a time.
type Arena struct {
	kernel  kernel
	variant Variant
	blocks  []block

	scratch, addresses, counter, zero block // zero stays zero

	text  []byte              // the input of the first hash
	bytes [4 + blockSize]byte // a length and a block, as bytes
}

// NewArena returns an arena without memory. The first hash allocates it.
func NewArena() *Arena { return &Arena{kernel: kernels()[0]} }

// Derive fills tag, whose length is part of the hash, with Argon2id of the
// input. For wrong parameters it returns an error and leaves tag alone.
func (a *Arena) Derive(tag []byte, in Input, p Params) error {
	return a.DeriveAs(ID, tag, in, p)
}

// DeriveAs is Derive for any variant.
func (a *Arena) DeriveAs(v Variant, tag []byte, in Input, p Params) error {
	if err := errors.Join(v.check(), p.Check(), in.check()); err != nil {
		return err
	}
	if len(tag) < minTag || len(tag) > maxTag {
		return fmt.Errorf("argon2: a tag of %d bytes: it has from %d to %d", len(tag), minTag, maxTag)
	}
	l := p.layout()
	a.reserve(l.blocks())
	defer a.wipe(l.blocks())
	a.variant = v
	a.begin(in, p, len(tag))
	for at := range l.segments() {
		a.segment(l, at)
	}
	a.finish(tag, l)
	return nil
}

// Spend takes the time of a hash with these parameters, less the time that was
// already spent. A cheaper hash followed by Spend then takes as long as a more
// expensive one. Spend does the same work in the same memory and leaves out a
// part of it. The time of a block depends on the caches and on other load, so
// Spend estimates the rest from the work that it has just done.
func (a *Arena) Spend(p Params, spent time.Duration) error {
	if err := p.Check(); err != nil {
		return err
	}
	l := p.layout()
	a.reserve(l.blocks())
	defer a.wipe(l.blocks())
	a.variant = ID
	a.begin(Input{}, p, minTag)
	left := time.Duration(l.passes * syncPoints * l.lanes) // segments
	var done, taken time.Duration
	for at := range l.segments() {
		if at.pass == 1 && at.slice == 0 && at.lane == 0 {
			done, taken = 0, 0
		}
		start := time.Now()
		a.segment(l, at)
		done, taken, left = done+1, taken+time.Since(start), left-1
		each := taken / done
		if at.pass == 0 {
			each *= 2 // later passes read one block more, and farther away
		}
		if left*each <= spent+each/2 {
			break
		}
	}
	return nil
}

// Size returns the memory that the arena holds, in KiB.
func (a *Arena) Size() uint32 { return uint32(len(a.blocks)) }

// Release gives the memory back to the garbage collector.
func (a *Arena) Release() { a.blocks = nil }

func (a *Arena) reserve(blocks uint32) {
	if a.Size() < blocks {
		a.Release() // before more is allocated
		a.blocks = make([]block, blocks)
	}
}

// wipe clears every block, so that neither a read beyond bounds nor a memory
// image shows data that a password can be tested against.
func (a *Arena) wipe(blocks uint32) {
	clear(a.blocks[:blocks])
	clear(a.scratch[:])
	clear(a.addresses[:])
	clear(a.counter[:])
	clear(a.text)
	clear(a.bytes[:])
}

package argon2

import "iter"

// syncPoints is the number of parts of a lane, after each of which the lanes may
// see one another (RFC 9106 3.4).
const syncPoints = 4

// layout is how the memory is divided (RFC 9106 3.2, step 2).
type layout struct {
	lanes   uint32
	lane    uint32 // blocks of a lane
	segment uint32 // blocks of a lane in one slice
	passes  uint32
}

func (p Params) layout() layout {
	segment := p.Memory / (syncPoints * p.Lanes)
	return layout{lanes: p.Lanes, lane: syncPoints * segment, segment: segment, passes: p.Passes}
}

func (l layout) blocks() uint32 { return l.lanes * l.lane }

// place is where a block is made.
type place struct {
	pass, slice, lane uint32
	index             uint32 // within the segment
}

// segments yields the places where segments begin, in the order in which they
// are filled. Lanes take turns: the caller has one core, and what a lane may
// read does not depend on the order.
func (l layout) segments() iter.Seq[place] {
	return func(yield func(place) bool) {
		var at place
		for at.pass = 0; at.pass < l.passes; at.pass++ {
			for at.slice = 0; at.slice < syncPoints; at.slice++ {
				for at.lane = 0; at.lane < l.lanes; at.lane++ {
					if !yield(at) {
						return
					}
				}
			}
		}
	}
}

// segment computes the blocks of one segment.
func (a *Arena) segment(l layout, at place) {
	independent := a.variant.addressed(at)
	if independent {
		a.counter = block{uint64(at.pass), uint64(at.lane), uint64(at.slice), uint64(l.blocks()), uint64(l.passes), a.variant.Type}
	}
	if at.pass == 0 && at.slice == 0 {
		at.index = 2 // the first two exist
	}
	lane := a.blocks[at.lane*l.lane:][:l.lane]
	current := at.slice*l.segment + at.index
	previous := (current + l.lane - 1) % l.lane
	for ; at.index < l.segment; at.index++ {
		pseudo := lane[previous][0]
		if independent {
			pseudo = a.address(at.index)
		}
		a.kernel.compress(&lane[current], &lane[previous], &a.blocks[l.reference(at, pseudo)], &a.scratch, at.pass > 0 && a.variant.Version != 0x10)
		previous, current = current, current+1
	}
}

// address returns the pseudo-random value of a block in a segment whose
// addresses do not depend on the password (RFC 9106 3.4.1.2).
func (a *Arena) address(index uint32) uint64 {
	if a.counter[6] != uint64(index/words+1) {
		a.counter[6]++
		a.kernel.compress(&a.addresses, &a.zero, &a.counter, &a.scratch, false)
		a.kernel.compress(&a.addresses, &a.zero, &a.addresses, &a.scratch, false)
	}
	return a.addresses[index%words]
}

// reference maps a pseudo-random value to the block that is read together with the previous
// one (RFC 9106 3.4.2).
func (l layout) reference(at place, pseudo uint64) uint32 {
	lane := uint32(pseudo>>32) % l.lanes
	visible, start := 3*l.segment, (at.slice+1)%syncPoints*l.segment
	if at.pass == 0 {
		visible, start = at.slice*l.segment, 0
		if at.slice == 0 {
			lane = at.lane
		}
	}
	if lane == at.lane {
		visible += at.index - 1
	} else if at.index == 0 {
		visible--
	}
	x := pseudo & 0xffffffff
	back := uint32(x * x >> 32 * uint64(visible) >> 32)
	return lane*l.lane + (start+visible-1-back)%l.lane
}

package argon2

import (
	"encoding/binary"
	"slices"

	"golang.org/x/crypto/blake2b"
)

// seed is H_0 of RFC 9106 3.2.
func (a *Arena) seed(in Input, p Params, size int) [blake2b.Size]byte {
	parts := [...][]byte{in.Password, in.Salt, in.Secret, in.Data}
	need := 4 * (6 + len(parts))
	for _, part := range parts {
		need += len(part)
	}
	b := slices.Grow(a.text[:0], need) // grow once: append would leave copies of the input behind
	for _, v := range [...]uint32{p.Lanes, uint32(size), p.Memory, p.Passes, a.variant.Version, uint32(a.variant.Type)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, part := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	a.text = b
	return blake2b.Sum512(b)
}

// begin fills the first two blocks of each lane.
func (a *Arena) begin(in Input, p Params, size int) {
	seed := a.seed(in, p, size)
	length := p.layout().lane
	for lane := range p.Lanes {
		a.first(&a.blocks[lane*length], &seed, 0, lane)
		a.first(&a.blocks[lane*length+1], &seed, 1, lane)
	}
	clear(seed[:])
}

// first fills one of the first two blocks of a lane (RFC 9106 3.2, steps 3, 4).
func (a *Arena) first(dst *block, seed *[blake2b.Size]byte, column, lane uint32) {
	var in [4 + blake2b.Size + 8]byte
	binary.LittleEndian.PutUint32(in[:], blockSize)
	copy(in[4:], seed[:])
	binary.LittleEndian.PutUint32(in[4+blake2b.Size:], column)
	binary.LittleEndian.PutUint32(in[4+blake2b.Size+4:], lane)
	expand(a.bytes[4:], in[:])
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint64(a.bytes[4+8*i:])
	}
	clear(in[:])
}

// finish writes the tag that the last column gives (RFC 9106 3.2, steps 7, 8).
func (a *Arena) finish(tag []byte, l layout) {
	last := &a.scratch
	*last = a.blocks[l.lane-1]
	for lane := uint32(1); lane < l.lanes; lane++ {
		for i, w := range a.blocks[lane*l.lane+l.lane-1] {
			last[i] ^= w
		}
	}
	binary.LittleEndian.PutUint32(a.bytes[:], uint32(len(tag)))
	for i, w := range last {
		binary.LittleEndian.PutUint64(a.bytes[4+8*i:], w)
	}
	expand(tag, a.bytes[:])
}

// expand is H' of RFC 9106 3.3. In begins with the length of out.
func expand(out, in []byte) {
	if len(out) <= blake2b.Size {
		sum(out, in)
		return
	}
	v := blake2b.Sum512(in)
	for {
		out = out[copy(out, v[:blake2b.Size/2]):]
		if len(out) <= blake2b.Size {
			sum(out, v[:])
			clear(v[:])
			return
		}
		v = blake2b.Sum512(v[:])
	}
}

// sum is BLAKE2b of any length.
func sum(out, in []byte) {
	switch len(out) {
	case blake2b.Size:
		digest := blake2b.Sum512(in)
		copy(out, digest[:])
	case blake2b.Size256:
		digest := blake2b.Sum256(in)
		copy(out, digest[:])
	default:
		h, err := blake2b.New(len(out), nil)
		if err != nil {
			return // of no length from 1 to 64
		}
		_, _ = h.Write(in) // never fails
		h.Sum(out[:0])
	}
}

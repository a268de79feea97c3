package argon2

import "math/bits"

// words is the number of 64-bit words of a block: 1 KiB (RFC 9106 3.2).
const words = 128

// block is one block of memory, in words.
type block [words]uint64

// kernel is one implementation of the compression function.
type kernel struct {
	name string

	// compress sets dst to G(x, y) of RFC 9106 3.5, or xors it over what dst
	// holds. Dst may be x or y, but not scratch, which is left with secrets.
	compress func(dst, x, y, scratch *block, over bool)
}

func compressPortable(dst, x, y, scratch *block, over bool) {
	z := scratch
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
	for i := 0; i < words; i += 16 {
		permute((*[16]uint64)(z[i:]))
	}
	var column [16]uint64
	for i := 0; i < 16; i += 2 {
		for j := range 8 {
			column[2*j], column[2*j+1] = z[16*j+i], z[16*j+i+1]
		}
		permute(&column)
		for j := range 8 {
			z[16*j+i], z[16*j+i+1] = column[2*j], column[2*j+1]
		}
	}
	if !over {
		for i := range dst {
			dst[i] = z[i] ^ x[i] ^ y[i]
		}
		return
	}
	for i := range dst {
		dst[i] ^= z[i] ^ x[i] ^ y[i]
	}
}

// permute is P of RFC 9106 3.6, on a row or a column.
func permute(v *[16]uint64) {
	v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15 := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]
	v0, v4, v8, v12 = half(v0, v4, v8, v12, 32, 24)
	v0, v4, v8, v12 = half(v0, v4, v8, v12, 16, 63)
	v1, v5, v9, v13 = half(v1, v5, v9, v13, 32, 24)
	v1, v5, v9, v13 = half(v1, v5, v9, v13, 16, 63)
	v2, v6, v10, v14 = half(v2, v6, v10, v14, 32, 24)
	v2, v6, v10, v14 = half(v2, v6, v10, v14, 16, 63)
	v3, v7, v11, v15 = half(v3, v7, v11, v15, 32, 24)
	v3, v7, v11, v15 = half(v3, v7, v11, v15, 16, 63)
	v0, v5, v10, v15 = half(v0, v5, v10, v15, 32, 24)
	v0, v5, v10, v15 = half(v0, v5, v10, v15, 16, 63)
	v1, v6, v11, v12 = half(v1, v6, v11, v12, 32, 24)
	v1, v6, v11, v12 = half(v1, v6, v11, v12, 16, 63)
	v2, v7, v8, v13 = half(v2, v7, v8, v13, 32, 24)
	v2, v7, v8, v13 = half(v2, v7, v8, v13, 16, 63)
	v3, v4, v9, v14 = half(v3, v4, v9, v14, 32, 24)
	v3, v4, v9, v14 = half(v3, v4, v9, v14, 16, 63)
	v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15] = v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15
}

// half of GB of RFC 9106 3.6.
func half(a, b, c, d uint64, first, second int) (uint64, uint64, uint64, uint64) {
	a = addmul(a, b)
	d = bits.RotateLeft64(d^a, -first)
	c = addmul(c, d)
	b = bits.RotateLeft64(b^c, -second)
	return a, b, c, d
}

// addmul adds and multiplies, which a circuit does little faster than a
// processor.
func addmul(a, b uint64) uint64 {
	return a + b + 2*uint64(uint32(a))*uint64(uint32(b))
}

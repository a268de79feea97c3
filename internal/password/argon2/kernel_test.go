package argon2

import (
	"math/rand/v2"
	"testing"
)

// Every kernel computes the same as the one in Go. The words are chosen to
// carry, to overflow and to stay unchanged, also when output and input are the
// same memory.
func TestKernels_Agree(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9106, 2))
	edges := []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	word := func() uint64 {
		if random.IntN(4) == 0 {
			return edges[random.IntN(len(edges))]
		}
		return random.Uint64()
	}
	for range 500 {
		var x, y, old block
		for i := range x {
			x[i], y[i], old[i] = word(), word(), word()
		}
		for _, over := range []bool{false, true} {
			want := old
			compressPortable(&want, &x, &y, new(block), over)
			for _, k := range kernels() {
				got, scratch := old, old
				if k.compress(&got, &x, &y, &scratch, over); got != want {
					t.Fatalf("%s, over %v: %x of %x and %x over %x, want %x", k.name, over, got, x, y, old, want)
				}
			}
		}
		for _, k := range kernels() {
			var want, scratch block
			compressPortable(&want, &x, &y, new(block), false)
			first, second := x, y
			k.compress(&first, &first, &y, &scratch, false)
			k.compress(&second, &x, &second, &scratch, false)
			if first != want || second != want {
				t.Fatalf("%s gives something else where it reads", k.name)
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			var dst, x, y, scratch block
			b.SetBytes(blockSize)
			for b.Loop() {
				k.compress(&dst, &x, &y, &scratch, true)
			}
		})
	}
}

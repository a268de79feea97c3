package argon2

import "golang.org/x/sys/cpu"

// kernels returns what this processor can run, the fastest first.
func kernels() []kernel {
	var found []kernel
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		found = append(found, kernel{"AVX-512", compressAVX512})
	}
	if cpu.X86.HasAVX2 {
		found = append(found, kernel{"AVX2", compressAVX2})
	}
	return append(found, kernel{"portable", compressPortable})
}

//go:noescape
func compressAVX2(dst, x, y, scratch *block, over bool)

//go:noescape
func compressAVX512(dst, x, y, scratch *block, over bool)

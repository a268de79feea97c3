//go:build !amd64

package argon2

// kernels returns what this processor can run, the fastest first.
func kernels() []kernel { return []kernel{{"portable", compressPortable}} }

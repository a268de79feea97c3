package main

import (
	"context"
	"errors"
	"runtime"

	"golang.org/x/crypto/argon2"

	"portico/internal/secret"
)

// The measured ways to hash, with the product's parameters: 19 MiB, two passes,
// one lane.
const (
	hashPlain = "plain" // golang.org/x/crypto as a program would use it
	hashOurs  = "ours"  // internal/password without the rest of the product
)

// hashLimit hashes with one goroutine for each core. The turn that does not count
// matters: x/crypto allocates 19 MiB for each hash, and the first hashes wait for
// that memory.
func hashLimit(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the way to hash")
	}
	hash := func() error {
		argon2.IDKey([]byte(goodPassword), make([]byte, 16), 2, 19*1024, 1, 32)
		return nil
	}
	if args[0] == hashOurs {
		passwords, err := newPasswords(secret.NewKey())
		if err != nil {
			return err
		}
		hash = func() error { // as many callers as slots, so none is refused
			_, err := passwords.Hash(ctx, goodPassword)
			return err
		}
	}
	return takeTurns(runtime.GOMAXPROCS(0), hash)
}

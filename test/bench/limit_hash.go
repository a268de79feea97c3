package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/internal/secret"
)

// The measured ways to hash, with the product's parameters: 19 MiB, two passes,
// one lane.
const (
	hashPlain = "plain" // golang.org/x/crypto as a program would use it
	hashOurs  = "ours"  // internal/password without the rest of the product
)

// hashLimit hashes with one goroutine for each core. Each line of standard
// input is a number of nanoseconds. It answers with the number of hashes and
// the nanoseconds that they took.
func hashLimit(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the way to hash")
	}
	hash := func() { argon2.IDKey([]byte(goodPassword), make([]byte, 16), 2, 19*1024, 1, 32) }
	if args[0] == hashOurs {
		passwords, err := newPasswords(secret.NewKey())
		if err != nil {
			return err
		}
		hash = func() { _, _ = passwords.Hash(ctx, goodPassword) } // as many callers as slots, so none is refused
	}
	fmt.Println("hashing")
	for in := bufio.NewReader(os.Stdin); ; {
		var length time.Duration
		if _, err := fmt.Fscanln(in, &length); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		count, took := hashFor(length, hash)
		fmt.Println(count, int64(took))
	}
}

func hashFor(length time.Duration, hash func()) (int64, time.Duration) {
	var count atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for time.Since(began) < length {
				hash()
				count.Add(1)
			}
		})
	}
	all.Wait()
	return count.Load(), time.Since(began)
}

// hashing starts a process that hashes in its turns and rests between them. The
// turn that does not count matters: x/crypto allocates 19 MiB for each hash,
// and the first hashes wait for that memory.
func (b *bench) hashing(ctx context.Context, way string, length time.Duration) (*process, side, error) {
	p, _, err := b.limit(ctx, roleHash, way)
	if err != nil {
		return nil, nil, err
	}
	return p, func(context.Context, int) (reading, error) {
		before, err := p.cpu()
		if err != nil {
			return reading{}, err
		}
		if _, err := fmt.Fprintln(p.in, int64(length)); err != nil {
			return reading{}, err
		}
		var count, took int64
		if _, err := fmt.Fscanln(p.out, &count, &took); err != nil {
			return reading{}, errors.Join(err, p.failure())
		}
		after, err := p.cpu()
		return reading{rate: float64(count) / time.Duration(took).Seconds(), cpu: (after - before) / time.Duration(count)}, err
	}, nil
}

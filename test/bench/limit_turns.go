package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// takeTurns works when it is told to, with so many goroutines. Each line of
// standard input is a number of nanoseconds. It answers with the number of pieces
// of work and the nanoseconds that they took.
func takeTurns(workers int, do func() error) error {
	fmt.Println("ready")
	for in := bufio.NewReader(os.Stdin); ; {
		var length time.Duration
		if _, err := fmt.Fscanln(in, &length); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		count, took, err := workFor(workers, length, do)
		if err != nil {
			return err
		}
		fmt.Println(count, int64(took))
	}
}

func workFor(workers int, length time.Duration, do func() error) (int64, time.Duration, error) {
	var count atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, workers)
	began := time.Now()
	for range workers {
		all.Go(func() {
			for time.Since(began) < length {
				if err := do(); err != nil {
					failed <- err
					return
				}
				count.Add(1)
			}
		})
	}
	all.Wait()
	close(failed)
	return count.Load(), time.Since(began), <-failed
}

// turns starts a process that works in its turns of a length and rests between
// them.
func (b *bench) turns(ctx context.Context, length time.Duration, role string, args ...string) (*process, side, error) {
	p, _, err := b.limit(ctx, role, args...)
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
		return reading{rate: float64(count) / time.Duration(took).Seconds(), cpu: (after - before) / time.Duration(max(1, count))}, err
	}, nil
}

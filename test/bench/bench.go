package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// scale is the size of all measurements.
type scale struct {
	rounds int           // turns of each side
	round  time.Duration // the length of a turn
	small  int           // accounts in a small installation
	large  int           // accounts in a large one, on SQLite
	huge   int           // accounts in a large one, on PostgreSQL
	starts int           // starts of the process
	hands  int           // connections of the rows that hash: with more than there are cores, sign-ins wait in a queue
	crowd  int           // clients in the storm
	settle time.Duration // the time after which the memory of an idle process is read
	pipes  int           // WebSockets that are open at once
	pour   int64         // bytes of a large body

	// patience is how long the product waits for PostgreSQL, "" for its own limit. It is for
	// rounds of which nothing is measured, on a busy machine.
	patience string
}

// full is a run that takes less than ten minutes on two cores.
func full() scale {
	return scale{rounds: 5, round: 1100 * time.Millisecond, small: 10_000, large: 1_000_000, huge: 10_000_000, starts: 15, hands: signers, crowd: 200, settle: 5 * time.Second, pipes: 2_000, pour: 2 << 30}
}

func short() scale {
	return scale{rounds: 3, round: 400 * time.Millisecond, small: 2_000, large: 50_000, huge: 100_000, starts: 3, hands: signers, crowd: 200, settle: time.Second, pipes: 200, pour: 64 << 20}
}

// bench is one run of the command.
type bench struct {
	scale
	binary  string // the product
	self    string // this program
	profile string // the folder for profiles of the product, "" for none
	dir     string
	engines []engine
	mail    *sink
	lives   int // runs of the product so far
	made    map[string]*installation
}

func newBench(binary, profile string, s scale, engines []engine) (*bench, error) {
	b := &bench{scale: s, profile: profile, engines: engines, made: map[string]*installation{}}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	if _, err = os.Stat(b.binary); err != nil {
		return nil, fmt.Errorf("%w: run make build", err)
	}
	if b.mail, err = newSink(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp("", "portico-bench"); err != nil {
		return nil, errors.Join(err, b.mail.close())
	}
	return b, nil
}

func (b *bench) close() {
	for _, i := range b.made {
		if err := i.drop(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}
	_ = b.mail.close()
	_ = os.RemoveAll(b.dir)
}

// reading is the result of one turn of a side.
type reading struct {
	rate float64       // pieces of work a second
	cpu  time.Duration // processor time of the server for one piece
	wait time.Duration // the 99th percentile of the times of the pieces
}

// side is one of several measured programs. turn counts from 0.
type side func(ctx context.Context, turn int) (reading, error)

// interleave lets the sides take turns and returns the readings of each. The
// order is reversed after every turn, so that no side always follows the same
// other one. A turn before the first warms up and does not count.
func interleave(ctx context.Context, rounds int, sides ...side) ([][]reading, error) {
	all := make([][]reading, len(sides))
	for turn := range rounds + 1 {
		for n := range sides {
			if turn%2 == 1 {
				n = len(sides) - 1 - n
			}
			r, err := sides[n](ctx, turn)
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				all[n] = append(all[n], r)
			}
		}
	}
	return all, nil
}

// abreast lets the sides work at the same time. It is for light loads, and for
// tails: any disturbance of the machine then affects all sides. A turn before
// the first does not count.
func abreast(ctx context.Context, rounds int, sides ...side) ([][]reading, error) {
	all := make([][]reading, len(sides))
	for turn := range rounds + 1 {
		readings, errs := make([]reading, len(sides)), make([]error, len(sides))
		var working sync.WaitGroup
		for n, s := range sides {
			working.Go(func() { readings[n], errs[n] = s(ctx, turn) })
		}
		working.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for n := range sides {
			if turn > 0 {
				all[n] = append(all[n], readings[n])
			}
		}
	}
	return all, nil
}

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

// scale is how much is measured.
type scale struct {
	rounds int           // turns of each side
	round  time.Duration // that a turn lasts
	small  int           // people in an installation of ordinary size
	large  int           // in a large one, on SQLite
	huge   int           // in a large one, on PostgreSQL
	starts int           // of the process
	crowd  int           // people in the storm
	settle time.Duration // until an idle process holds what it keeps
	pipes  int           // WebSockets that are open at once
	pour   int64         // bytes of a large body
}

// full keeps the whole table under ten minutes on two cores.
func full() scale {
	return scale{rounds: 5, round: 1100 * time.Millisecond, small: 10_000, large: 1_000_000, huge: 10_000_000, starts: 15, crowd: 200, settle: 5 * time.Second, pipes: 2_000, pour: 2 << 30}
}

func short() scale {
	return scale{rounds: 3, round: 400 * time.Millisecond, small: 2_000, large: 50_000, huge: 100_000, starts: 3, crowd: 200, settle: time.Second, pipes: 200, pour: 64 << 20}
}

// bench is one run.
type bench struct {
	scale
	binary  string // the product
	self    string // this program
	profile string // where profiles of the product go, "" for none
	dir     string
	engines []engine
	mail    *sink
	lives   int // of the product, so far
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

// reading is what one turn of a side gave.
type reading struct {
	rate float64       // pieces of work a second
	cpu  time.Duration // of the server, for one piece
	wait time.Duration // that 99 of 100 pieces took at most
}

// side is one of those that take turns; turn counts from 0.
type side func(ctx context.Context, turn int) (reading, error)

// interleave lets the sides take turns and returns the readings of each. The
// order is reversed every time, so that no side always comes after the same
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

// abreast lets the sides work at the same time, for loads that leave the machine
// idle: whatever else it does then disturbs all of them alike, which tails would
// not forgive. A turn before the first does not count.
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

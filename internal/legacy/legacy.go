package legacy

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/signature"
)

const (
	// Timeout is how long the other system may take.
	Timeout = 2 * time.Second

	// refusalTime is how long a check that does not succeed takes. It leaves time for what surrounds the question.
	refusalTime = Timeout + 200*time.Millisecond

	// MostChecks is how many checks run at the same time.
	MostChecks = 16

	// MostBytes bounds an answer.
	MostBytes = 4 << 10
)

// ErrBusy says that all places are taken.
var ErrBusy = errors.New("too many sign-ins wait for the former system")

// Config says whom to ask, and until when.
type Config struct {
	URL    string
	Keys   []signature.Key // one, or two while the secret is changed
	Until  time.Time
	Client *egress.Client // ends a question after Timeout
	Clock  clock.Clock
	Log    *slog.Logger

	// Pause waits until a check may end. Nil stands for a timer.
	Pause func(ctx context.Context, left time.Duration)
}

// Question is about one person.
type Question struct {
	Address  string
	Subject  string // what the other system calls the person, if it was imported
	Password string
}

// Stats are counts since the start of the process.
type Stats struct {
	Right, Wrong, Failed, Refused uint64
}

// Keeper asks. It is safe for concurrent use. A nil one is always off.
type Keeper struct {
	Config
	places  chan struct{}
	stopped atomic.Bool

	*tally
}

// tally goes on when a reload replaces the keeper.
type tally struct {
	mu      sync.Mutex
	stats   Stats
	failing bool // whether the last question had no answer
}

// New returns a Keeper. It counts on where before stopped, which may be nil.
func New(cfg Config, before *Keeper) *Keeper {
	if cfg.Pause == nil {
		cfg.Pause = pause
	}
	k := &Keeper{Config: cfg, places: make(chan struct{}, MostChecks), tally: &tally{}}
	if before != nil {
		k.places, k.tally = before.places, before.tally
	}
	return k
}

func pause(ctx context.Context, left time.Duration) {
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// On reports whether an answer counts.
func (k *Keeper) On() bool { return k != nil && !k.stopped.Load() && k.Clock.Now().Before(k.Until) }

// Stop ends it: no answer counts anymore, not even one that is under way.
func (k *Keeper) Stop() {
	if k != nil {
		k.stopped.Store(true)
		k.Client.Close()
	}
}

// Stats returns the counts.
func (k *Keeper) Stats() Stats {
	if k == nil {
		return Stats{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stats
}

// Check reports whether the other system says that the password is right. Without a question it asks nobody, and
// is the same otherwise.
//
// It returns ErrBusy, and the error of a context that ends.
func (k *Keeper) Check(ctx context.Context, q *Question) (right bool, err error) {
	select {
	case k.places <- struct{}{}:
		defer func() { <-k.places }()
	default:
		k.count(func(s *Stats) { s.Refused++ })
		return false, ErrBusy
	}
	began := clock.Here()
	if q != nil {
		right = k.answer(ctx, *q) && k.On()
	}
	if !right {
		k.Pause(ctx, refusalTime-began.Age())
		err = ctx.Err()
	}
	return right, err
}

func (k *Keeper) answer(ctx context.Context, q Question) bool {
	right, err := k.ask(ctx, q)
	if ctx.Err() != nil {
		return false // the visitor has left, which says nothing about the other system
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case err != nil:
		k.stats.Failed++
		if !k.failing {
			k.Log.Error("the former system did not answer: see signin.legacy", "error", err)
		}
	case right:
		k.stats.Right++
	default:
		k.stats.Wrong++
	}
	if err == nil && k.failing {
		k.Log.Info("the former system answers again")
	}
	k.failing = err != nil
	return right
}

func (k *Keeper) count(change func(*Stats)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.stats)
}

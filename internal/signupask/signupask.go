package signupask

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/fault"
	"portico/internal/signature"
)

const (
	// Timeout is how long the app may take.
	Timeout = 2 * time.Second

	// mostQuestions is how many questions run at the same time.
	mostQuestions = 16

	// MostBytes bounds an answer.
	MostBytes = 4 << 10

	// mostText bounds the text of a refusal, in characters.
	mostText = 200
)

// Reasons of a refusal that have a text of Portico.
const (
	ReasonDomain    = "domain"
	ReasonUninvited = "uninvited"
)

// ErrBusy says that all places are taken.
var ErrBusy = errors.New("too many sign-ups wait for the app")

// Config says whom to ask.
type Config struct {
	URL    string
	Keys   []signature.Key // one, or two while the secret is changed
	Open   bool            // whether who is not answered about may sign up
	Client *egress.Client  // ends a question after Timeout
	Clock  clock.Clock
	Log    *slog.Logger
}

// Question is about one account that would be made now.
type Question struct {
	Address    string `json:"email"` // proven
	Name       string `json:"name"`
	Method     string `json:"method"` // the proof: "mail", or "provider:" with its id
	Invitation string `json:"invitation"`
	Language   string `json:"language"`
}

// Answer is what the app has said.
type Answer struct {
	Allowed    bool
	Reason     string // of a refusal; "" for none
	Text       string // of a refusal, for the visitor; "" for none
	Unanswered bool   // the setting has decided
}

// Stats are counts since the start of the process.
type Stats struct {
	Allowed, Refused, Failed, Busy uint64
}

// Keeper asks. It is safe for concurrent use.
type Keeper struct {
	Config
	*state
}

// state goes on when a reload replaces the keeper.
type state struct {
	places chan struct{}

	mu      sync.Mutex
	asked   map[Question]*inquiry
	stats   Stats
	failing bool // whether the last question had no answer
}

// inquiry is a question that somebody waits for, or whose answer is being used.
type inquiry struct {
	users  int
	done   chan struct{}
	answer Answer
	err    error
}

// New returns a Keeper. It goes on where before stopped, which may be nil.
func New(cfg Config, before *Keeper) *Keeper {
	if before != nil {
		return &Keeper{cfg, before.state}
	}
	return &Keeper{cfg, &state{places: make(chan struct{}, mostQuestions), asked: map[Question]*inquiry{}}}
}

// Stats returns the counts. Those of a nil Keeper are zero.
func (k *Keeper) Stats() Stats {
	if k == nil {
		return Stats{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stats
}

// Ask returns the answer of the app. Whoever asks the same before all have called used gets the same answer. A
// question goes on when its visitor leaves, because others may wait for it.
//
// It returns ErrBusy, and the error of a context that ends.
func (k *Keeper) Ask(ctx context.Context, q Question) (a Answer, used func(), err error) {
	k.mu.Lock()
	i, shared := k.asked[q]
	if !shared {
		i = &inquiry{done: make(chan struct{})}
		k.asked[q] = i
	}
	i.users++
	k.mu.Unlock()
	if !shared {
		go func() {
			i.answer, i.err = k.inquire(context.WithoutCancel(ctx), q)
			close(i.done)
		}()
	}
	used = func() { k.used(q, i) }
	select {
	case <-i.done:
		return i.answer, used, i.err
	case <-ctx.Done():
		return Answer{}, used, ctx.Err()
	}
}

func (k *Keeper) used(q Question, i *inquiry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i.users--; i.users == 0 {
		delete(k.asked, q)
	}
}

// inquire runs in a goroutine of its own, where a panic would end the process.
func (k *Keeper) inquire(ctx context.Context, q Question) (_ Answer, err error) {
	defer fault.Recover(&err)
	select {
	case k.places <- struct{}{}:
		defer func() { <-k.places }()
	default:
		k.count(func(s *Stats) { s.Busy++ })
		return Answer{}, ErrBusy
	}
	a, err := k.ask(ctx, q)
	k.note(a, err)
	if err != nil {
		a = Answer{Allowed: k.Open, Unanswered: true}
	}
	return a, nil
}

// note counts an answer, and logs when the app ceases to answer and when it answers again.
func (k *Keeper) note(a Answer, err error) {
	k.count(func(s *Stats) {
		switch {
		case err != nil:
			s.Failed++
		case a.Allowed:
			s.Allowed++
		default:
			s.Refused++
		}
		if err != nil && !k.failing {
			k.Log.Error("the app did not answer whether somebody may sign up: see signup.ask", "error", err)
		}
		if err == nil && k.failing {
			k.Log.Info("the app answers again who may sign up")
		}
		k.failing = err != nil
	})
}

func (k *Keeper) count(change func(*Stats)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.stats)
}

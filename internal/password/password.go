package password

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"portico/internal/fault"
	"portico/internal/password/argon2"
	"portico/internal/secret"
	"portico/internal/telemetry/tally"
)

// Breached is the list of passwords that must not be chosen.
type Breached interface {
	Contains(password string) bool
}

// Config is what a Service is made of. Key and Breached are required; a zero
// in the rest takes the default.
type Config struct {
	Key      *secret.Key // the current master key makes new hashes, all verify
	Breached Breached
	Names    []string      // of the site: brand, product, host
	Policy   Policy        // Standard
	Cost     Cost          // the floor: 19 MiB, 2 passes; the settings keep it there or above
	Slots    int           // pieces of work at a time: one for each core
	Queue    int           // places in the queue: 100 for each slot
	Wait     time.Duration // longest wait: 5 seconds
}

// FormersPurpose is the purpose of the box that seals what Former returns.
const FormersPurpose = "password former"

const (
	defaultQueue = 100 // for each slot: 2.5 s at the 25 ms of the floor
	defaultWait  = 5 * time.Second
)

// Service hashes, verifies and judges passwords. It is safe for concurrent use.
type Service struct {
	policy   Policy
	cost     Cost
	key      *secret.Key
	pepper   *secret.MAC
	formers  *secret.Box // of the keys that Remember takes
	breached Breached
	names    []string
	slots    *slots
}

// New returns a Service, or an error that says what is wrong with the config.
func New(c Config) (*Service, error) {
	if c.Key == nil || c.Breached == nil {
		return nil, errors.New("password: a master key and the list of breached passwords are required")
	}
	if c.Slots < 0 || c.Queue < 0 || c.Wait < 0 {
		return nil, errors.New("password: the number of slots, the length of the queue and the longest wait cannot be negative: write 0 for the default")
	}
	s := &Service{policy: c.Policy, cost: c.Cost, breached: c.Breached, names: slices.Clone(c.Names)}
	if s.policy == (Policy{}) {
		s.policy = standard()
	}
	if s.cost == (Cost{}) {
		s.cost = floor()
	}
	slots := orDefault(c.Slots, min(cores, s.cost.MostSlots()))
	if err := errors.Join(s.policy.check(), s.cost.from(least()), s.cost.checkSlots(slots)); err != nil {
		return nil, err
	}
	s.key, s.pepper, s.formers = c.Key, c.Key.MAC("password pepper"), c.Key.Box(FormersPurpose)
	s.slots = newSlots(slots, orDefault(c.Queue, defaultQueue*slots), orDefault(c.Wait, defaultWait), s.cost.Memory)
	return s, nil
}

// With returns a Service with another rule for new passwords. It shares
// everything else with s, such as the slots.
func (s *Service) With(policy Policy, names []string) (*Service, error) {
	if err := policy.check(); err != nil {
		return nil, err
	}
	other := *s
	other.policy, other.names = policy, slices.Clone(names)
	return &other, nil
}

// Policy returns the rule in force.
func (s *Service) Policy() Policy { return s.policy }

// Hash returns what to store for the password. It does not apply the rule for
// new passwords (see Check). Its faults are Invalid with the field password,
// and Busy. It also returns the error of a context that ends while waiting.
func (s *Service) Hash(ctx context.Context, password string) (string, error) {
	text, fields := normalise(password)
	if fields != nil {
		return "", fault.InvalidFields(fields...)
	}
	h := s.blank()
	err := s.slots.do(ctx, func(arena *argon2.Arena) (err error) {
		h.tag, err = s.tag(arena, text, h)
		return err
	})
	if err != nil {
		return "", err
	}
	return h.String(), nil
}

// Verify reports whether the password is the one that encoded was made of, and
// whether a match should be hashed anew because the cost or the key has
// changed, or because the hash is a foreign one. It returns the faults of Hash. A string
// that neither Hash nor Adopt takes, or made under a master key that is not configured,
// is an error but not a fault.
func (s *Service) Verify(ctx context.Context, encoded, password string) (ok, rehash bool, err error) {
	text, fields := normalise(password)
	if fields != nil {
		return false, false, fault.InvalidFields(fields...)
	}
	h, err := parse(encoded)
	if err != nil {
		ok, err = s.verifyForeign(ctx, encoded, password)
		return ok, ok, err
	}
	if !s.pepper.Has(h.keyID) {
		return false, false, errNoKey(h.keyID)
	}
	err = s.slots.do(ctx, func(arena *argon2.Arena) error {
		start := time.Now()
		tag, err := s.tag(arena, text, h)
		if err != nil {
			return err
		}
		ok = secret.Equal(tag, h.tag)
		return s.fillUp(arena, h, time.Since(start))
	})
	return ok, ok && s.outdated(h), err
}

// VerifyNobody costs what Verify does and never succeeds. Sign-in calls it when
// the address has no account or no password, so that the time of the answer
// does not tell (SEC-002). It returns the faults of Hash.
func (s *Service) VerifyNobody(ctx context.Context, password string) error {
	_, _, err := s.Verify(ctx, s.nobody(), password)
	return err
}

// Close releases the memory of the free slots, which would else stay for a minute. The
// service, and other services with the same slots, can still be used.
func (s *Service) Close() { s.slots.close() }

// Stats returns figures for the metrics.
func (s *Service) Stats() Stats { return s.slots.figures() }

// Durations returns how long each piece of work has taken its slot.
func (s *Service) Durations() tally.Snapshot[time.Duration] { return s.slots.taken.Snapshot() }

// nobody returns a hash that matches no password.
func (s *Service) nobody() string {
	h := s.blank()
	h.tag = random(tagSize)
	return h.String()
}

// blank returns a hash of today's cost and key, without its tag.
func (s *Service) blank() hash {
	return hash{cost: s.cost, keyID: s.key.ID(), salt: random(saltSize)}
}

func (s *Service) outdated(h hash) bool {
	return h.cost != s.cost || h.keyID != s.key.ID() || len(h.salt) != saltSize
}

// fillUp spends the time that a hash of an older, lower cost has saved. Otherwise
// the response time would distinguish accounts that have not signed in since the
// cost was raised from unknown accounts.
func (s *Service) fillUp(arena *argon2.Arena, h hash, spent time.Duration) error {
	if h.cost.work() >= s.cost.work() {
		return nil
	}
	return arena.Spend(s.cost.params(), spent)
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}

func random(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return b
}

package audit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Late is how far before the end of the last seal a record has to be made to need a seal of
// its own. Its transaction ends before the next seals reach that far.
const Late = 15 * time.Second

const (
	// settled is the age from which records are sealed: the clocks of two nodes may differ by
	// twice clock.Uncorrected, and a transaction ends within seconds.
	settled = 2*clock.Uncorrected + 25*time.Second
	// mostSealed bounds one seal, so that other writes wait briefly.
	mostSealed = 1000
	// mostLate bounds those of a seal that came too late, with a statement for each.
	mostLate = 50

	chainContext = "audit"
)

// BoxPurpose is the purpose of the box for the key of the chain.
const BoxPurpose = "audit"

// Seal covers the records after the seal before it, up to its own end, and those that came too
// late for an earlier seal.
type Seal struct {
	Number   int64 // from 1
	FirstAt  time.Time
	Last     Position // the end of its range
	Records  int64
	SealedAt time.Time
	Hash     []byte
}

// Position is a place in the order of the record.
type Position struct {
	At time.Time
	ID string
}

// Chain says where the chain of seals begins.
type Chain struct {
	Sealed  []byte // its key
	BeganAt time.Time
	Number  int64     // of the last seal that was deleted; 0 for none
	Hash    []byte    // its hash
	Until   time.Time // records from before may be deleted
	Proof   []byte    // a keyed hash of this
}

// SealStore has the operations of the database that seals need.
type SealStore interface {
	// Chain returns the zero Chain if there is none.
	Chain(ctx context.Context) (Chain, error)
	// BeginChain fails if there is a chain.
	BeginChain(ctx context.Context, c Chain) error
	// KeepChain changes everything but the key and when it began.
	KeepChain(ctx context.Context, c Chain) error
	// NewestSeal returns the zero Seal if there is none.
	NewestSeal(ctx context.Context) (Seal, error)
	// Seals returns up to limit seals that follow a number, in their order.
	Seals(ctx context.Context, after int64, limit int) ([]Seal, error)
	InsertSeal(ctx context.Context, s Seal) error
	// ReleaseSeals deletes the seals up to a number, and the records that came too late and
	// belong to them.
	ReleaseSeals(ctx context.Context, number int64) error
	// Unsealed returns up to limit records after a position that are from before a time and
	// have no seal, in their order.
	Unsealed(ctx context.Context, after Position, before time.Time, limit int) ([]Fact, error)
	// LateFacts returns up to limit records up to a position that came too late for its seal
	// and have no other yet.
	LateFacts(ctx context.Context, to Position, limit int) ([]Fact, error)
	// AssignSeal stores the seal of a record that came too late, or 0 for the one of its time.
	AssignSeal(ctx context.Context, f Fact, number int64) error
	// FactsOfSeal returns the records of a seal that follows a position, without an order: at
	// most one more than it has.
	FactsOfSeal(ctx context.Context, after Position, s Seal) ([]Fact, error)
	// StrayFacts returns how many records name a seal that is not after gone and up to newest.
	StrayFacts(ctx context.Context, gone, newest int64) (int64, error)
}

// Sealer seals the record.
type Sealer struct {
	clock clock.Clock
	box   *secret.Box
}

// NewSealer returns a Sealer. The box has the purpose BoxPurpose.
func NewSealer(c clock.Clock, box *secret.Box) *Sealer { return &Sealer{c, box} }

// Due reports whether records wait to be sealed.
func (s *Sealer) Due(ctx context.Context, tx SealStore) (bool, error) {
	c, err := tx.Chain(ctx)
	if err != nil {
		return false, err
	}
	next, err := s.next(ctx, tx, c, 1)
	return len(next.facts) > 0, err
}

// Seal adds one seal, and reports whether more records may wait. One caller at a time
// succeeds: seals have numbers.
func (s *Sealer) Seal(ctx context.Context, tx SealStore) (more bool, err error) {
	c, err := s.chain(ctx, tx)
	if err != nil {
		return false, err
	}
	key, err := s.box.Open(c.Sealed, chainContext)
	if err != nil {
		return false, err
	}
	next, err := s.next(ctx, tx, c, mostSealed)
	if err != nil || len(next.facts) == 0 {
		return false, err
	}
	for _, f := range next.assigned {
		number := next.seal.Number
		if f.within(next.before, next.seal.Last) {
			number = 0
		}
		if err := tx.AssignSeal(ctx, f, number); err != nil {
			return false, err
		}
	}
	next.seal.Hash = next.seal.sum(key, next.hash, next.facts)
	return next.full, tx.InsertSeal(ctx, next.seal)
}

// chain returns the chain, and begins it if there is none.
func (s *Sealer) chain(ctx context.Context, tx SealStore) (Chain, error) {
	c, err := tx.Chain(ctx)
	if err != nil || len(c.Sealed) > 0 {
		return c, err
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	c = Chain{Sealed: s.box.Seal(key, chainContext), BeganAt: s.clock.Now(), Hash: make([]byte, sha256.Size)}
	c.Proof = c.proof(key)
	return c, tx.BeginChain(ctx, c)
}

// following is a seal that can be added.
type following struct {
	seal     Seal
	before   Position // where its range begins
	hash     []byte   // of the seal before
	facts    []Fact   // all
	assigned []Fact   // those that counted as late
	full     bool     // more may wait
}

func (s *Sealer) next(ctx context.Context, tx SealStore, c Chain, most int) (n following, err error) {
	newest, err := tx.NewestSeal(ctx)
	if err != nil {
		return n, err
	}
	n.seal.Number, n.hash, n.before = c.Number+1, c.Hash, Position{At: c.Until}
	if newest.Number > 0 {
		n.seal.Number, n.hash, n.before = newest.Number+1, newest.Hash, newest.Last
	}
	now := s.clock.Now()
	n.facts, err = tx.Unsealed(ctx, n.before, now.Add(-settled), most)
	if err != nil {
		return n, err
	}
	n.full = len(n.facts) == most
	n.seal.Last, n.seal.SealedAt, n.seal.FirstAt = n.before, now, n.before.At
	if len(n.facts) > 0 {
		n.facts = ofOneMonth(n.facts)
		n.seal.FirstAt, n.seal.Last = n.facts[0].At, n.facts[len(n.facts)-1].position()
	}
	late := min(most, mostLate)
	n.assigned, err = tx.LateFacts(ctx, n.seal.Last, late)
	for _, f := range n.assigned {
		if !f.within(n.before, n.seal.Last) {
			n.facts = append(n.facts, f)
		}
	}
	n.full = n.full || len(n.assigned) == late
	n.seal.Records = int64(len(n.facts))
	return n, err
}

// ofOneMonth returns the first records, of one month. Months are deleted whole.
func ofOneMonth(facts []Fact) []Fact {
	end := MonthOf(facts[0].At).AddDate(0, 1, 0)
	if n := slices.IndexFunc(facts, func(f Fact) bool { return !f.At.Before(end) }); n > 0 {
		return facts[:n]
	}
	return facts
}

// MonthOf returns the beginning of a month.
func MonthOf(t time.Time) time.Time {
	return time.Date(t.UTC().Year(), t.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
}

func (f Fact) position() Position { return Position{f.At, f.ID} }

// within reports whether a record is after a position, up to another one.
func (f Fact) within(after, to Position) bool {
	return f.position().compare(after) > 0 && f.position().compare(to) <= 0
}

func (p Position) compare(q Position) int { return cmp.Or(p.At.Compare(q.At), cmp.Compare(p.ID, q.ID)) }

// sum returns the hash of a seal over its records, with the hash of the seal before it.
func (s Seal) sum(key, before []byte, facts []Fact) []byte {
	slices.SortFunc(facts, func(a, b Fact) int { return a.position().compare(b.position()) })
	h := hmac.New(sha256.New, key)
	write(h, "seal", s.Number, before, s.FirstAt, s.Last.At, s.Last.ID, s.SealedAt, int64(len(facts)))
	for _, f := range facts {
		write(h, f.At, f.ID, string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail)
	}
	return h.Sum(nil)
}

func (c Chain) proof(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	write(h, "chain", c.BeganAt, c.Number, c.Hash, c.Until)
	return h.Sum(nil)
}

func (c Chain) proven(key []byte) bool { return secret.Equal(c.Proof, c.proof(key)) }

// write writes values so that two different lists never give the same input.
func write(h hash.Hash, values ...any) {
	var b []byte
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	for _, value := range values {
		switch v := value.(type) {
		case int64:
			number(v)
		case time.Time:
			number(v.UnixMicro())
		case string:
			number(int64(len(v)))
			b = append(b, v...)
		case []byte:
			number(int64(len(v)))
			b = append(b, v...)
		}
	}
	h.Write(b)
}

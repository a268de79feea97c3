package password

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"portico/internal/password/argon2"
	"portico/internal/password/foreign"
	"portico/internal/secret"
)

// keyed begins the stored form of a foreign hash under the master key:
//
//	$keyed$keyid=<8>$<32 bytes>$<the foreign hash without its digest>
const keyed = "$keyed$keyid="

// adopted is a stored hash of another system.
type adopted struct {
	foreign.Hash
	keyID string // "" if the stored digest is the foreign one
	tag   []byte
}

// Adopt returns what to store for the hash of another system: the hash under the master key,
// so that the database alone does not allow guessing. The kind names algorithm and cost. A
// hash of this installation stays as it is. The errors say what is wrong with the hash, and
// do not have it.
func (s *Service) Adopt(encoded string) (stored, kind string, err error) {
	if h, err := parse(encoded); err == nil {
		if !s.pepper.Has(h.keyID) {
			return "", "", errNoKey(h.keyID)
		}
		return encoded, "Portico", nil
	}
	a, err := s.adopted(encoded)
	if err != nil {
		return "", "", err
	}
	if a.keyID != "" {
		return encoded, a.Kind(), nil
	}
	a.keyID = s.key.ID()
	a.tag, _ = s.pepper.SumOf(a.keyID, string(a.Digest()))
	return a.String(), a.Kind(), nil
}

// Same reports whether what is stored is of this hash of another system, also under a former master key.
func (s *Service) Same(stored, encoded string) bool {
	has, err := s.adopted(stored)
	if err != nil {
		return false
	}
	brought, err := s.adopted(encoded)
	return err == nil && brought.keyID == "" && has.Bare().String() == brought.Bare().String() && s.right(has, brought.Digest())
}

// String returns the stored form.
func (a adopted) String() string {
	return fmt.Sprintf("%s%s$%s$%s", keyed, a.keyID, base64.RawStdEncoding.EncodeToString(a.tag), a.Bare())
}

// adopted reads a hash of another system, stored or as it comes.
func (s *Service) adopted(encoded string) (adopted, error) {
	rest, ours := strings.CutPrefix(encoded, keyed)
	if !ours {
		h, err := foreign.Parse(encoded)
		return adopted{Hash: h}, err
	}
	parts := strings.SplitN(rest, "$", 3)
	if len(parts) != 3 {
		return adopted{}, errHash
	}
	h, err := foreign.Parse(parts[2])
	if err != nil {
		return adopted{}, err
	}
	tag, err := base64.RawStdEncoding.DecodeString(parts[1])
	a := adopted{Hash: h, keyID: parts[0], tag: tag}
	if err != nil || len(tag) != tagSize || a.String() != encoded {
		return adopted{}, errHash
	}
	if !s.pepper.Has(a.keyID) {
		return adopted{}, errNoKey(a.keyID)
	}
	return a, nil
}

// right reports whether a digest is the stored one.
func (s *Service) right(a adopted, digest []byte) bool {
	if a.keyID == "" {
		return secret.Equal(digest, a.Digest())
	}
	tag, ok := s.pepper.SumOf(a.keyID, string(digest))
	return ok && secret.Equal(tag, a.tag)
}

// verifyForeign is Verify for the hash of another system. It takes at least the time of an own
// hash, so that the time does not tell which addresses were imported (SEC-405).
func (s *Service) verifyForeign(ctx context.Context, encoded, typed string) (ok bool, err error) {
	a, err := s.adopted(encoded)
	if err != nil {
		return false, fmt.Errorf("password: the stored hash cannot be checked: %w", err)
	}
	err = s.slots.do(ctx, func(arena *argon2.Arena) error {
		start := time.Now()
		ok, err = s.matches(arena, a, typed)
		if err != nil {
			return err
		}
		return arena.Spend(s.cost.params(), time.Since(start))
	})
	return ok, err
}

// Pair is a text, and a stored hash that may be of it.
type Pair struct{ Hash, Text string }

// VerifyAny returns the place of a pair that fits, or -1. It tries all of them, each in its turn for a slot, and takes at least
// the time of an own hash. So its time tells neither which one fits nor whether one does, also without any pair. It
// returns the errors of Verify.
func (s *Service) VerifyAny(ctx context.Context, pairs []Pair) (place int, err error) {
	place = -1
	if len(pairs) == 0 {
		return place, s.VerifyNobody(ctx, "nobody")
	}
	var spent time.Duration
	full := false // one of them was an own hash of today's cost
	for i, p := range pairs {
		err := s.slots.do(ctx, func(arena *argon2.Arena) error {
			start := time.Now()
			ok, own, err := s.fits(arena, p)
			if ok {
				place = i
			}
			full = full || own
			if spent += time.Since(start); err != nil || full || i < len(pairs)-1 {
				return err
			}
			return arena.Spend(s.cost.params(), spent)
		})
		if err != nil {
			return -1, err
		}
	}
	return place, nil
}

// fits reports whether a hash is of the text, and whether it is an own one of today's cost or more.
func (s *Service) fits(arena *argon2.Arena, p Pair) (ok, full bool, err error) {
	if h, err := parse(p.Hash); err == nil {
		tag, err := s.tag(arena, p.Text, h)
		return err == nil && secret.Equal(tag, h.tag), h.cost.work() >= s.cost.work(), err
	}
	a, err := s.adopted(p.Hash)
	if err != nil {
		return false, false, fmt.Errorf("password: the stored hash cannot be checked: %w", err)
	}
	ok, err = s.matches(arena, a, p.Text)
	return ok, false, err
}

// matches does the work of the foreign hash. Memory beyond what a slot keeps is dropped at
// once, or the garbage of one hash would still be there during the next.
func (s *Service) matches(arena *argon2.Arena, a adopted, typed string) (bool, error) {
	ok, err := a.Match(arena, typed, func(digest []byte) bool { return s.right(a, digest) })
	if a.Memory() > s.cost.Memory {
		runtime.GC()
	}
	return ok, err
}

// Weigh returns how many times as long as an own hash the check of a foreign one takes. Above
// one, the time of a sign-in tells that the address has an account.
func (s *Service) Weigh(ctx context.Context, encoded string) (times float64, err error) {
	a, err := s.adopted(encoded)
	if err != nil {
		return 0, err
	}
	err = s.slots.do(ctx, func(arena *argon2.Arena) error {
		own := s.blank()
		times, err = leastTimes(
			func() error { _, err := s.tag(arena, "weigh", own); return err },
			func() error { _, err := s.matches(arena, a, "weigh"); return err },
			time.Since,
		)
		return err
	})
	return times, err
}

// leastTimes returns how many times as long theirs takes as ours. It does both in turn and takes the shortest time of each, so that
// other work on the machine changes little. The less alike they are, the fewer rounds tell it.
func leastTimes(ours, theirs func() error, since func(time.Time) time.Duration) (times float64, err error) {
	const rounds, enough = 21, 12
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for round := range rounds {
		for i, work := range []func() error{ours, ours, theirs} { // the first one brings its memory back
			start := time.Now()
			if err := work(); err != nil {
				return 0, err
			}
			least[i/2] = min(least[i/2], max(since(start), 1))
		}
		times = float64(least[1]) / float64(least[0])
		if float64(round+1)*max(times, 1/times) >= enough {
			break
		}
	}
	return times, nil
}

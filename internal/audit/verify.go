package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kept is what an operator has kept of a seal, outside of the database.
type Kept struct {
	Number int64
	Hash   []byte
}

// String returns the form that ParseKept reads.
func (k Kept) String() string {
	return strconv.FormatInt(k.Number, 10) + ":" + hex.EncodeToString(k.Hash)
}

// ParseKept reads a number and a hash, with a colon between them.
func ParseKept(text string) (k Kept, err error) {
	number, hash, _ := strings.Cut(text, ":")
	if k.Number, err = strconv.ParseInt(number, 10, 64); err == nil {
		k.Hash, err = hex.DecodeString(hash)
	}
	if err == nil && (k.Number < 1 || len(k.Hash) != 32) {
		err = errors.New("neither is complete")
	}
	return k, err
}

// Broken says what was changed. Its times are those of the records that may be concerned.
type Broken struct {
	Seal     int64     // the number of the first seal that does not fit; 0 for none
	From, To time.Time // zero if unknown
	Why      string
}

// Error implements error.
func (b *Broken) Error() string {
	text := b.Why
	if b.Seal > 0 {
		text = fmt.Sprintf("seal %d: %s", b.Seal, b.Why)
	}
	if !b.From.IsZero() {
		text += fmt.Sprintf(" (records from %s to %s)", b.From.Format(time.RFC3339Nano), b.To.Format(time.RFC3339Nano))
	}
	return text
}

// Verified is what Verify has found to be as it was sealed.
type Verified struct {
	Seals, Records int64
	From, To       time.Time // of the records
	BeganAt        time.Time // when the first seal of the chain was made
	Until          time.Time // records from before were deleted as settings say; zero: none were
	Newest         Kept
	Waiting        time.Time // of the oldest record without a seal; zero: there is none
}

// ErrNoSeal says that nothing can be verified.
var ErrNoSeal = errors.New("no audit record is sealed yet: a server does that within a minute after it starts")

// SealReader reads from the database.
type SealReader interface {
	Read(ctx context.Context, fn func(SealStore) error) error
}

// verifying is a way through the chain.
type verifying struct {
	*Sealer
	tx    SealStore
	chain Chain
	key   []byte

	number int64 // of the last seal that was verified
	hash   []byte
	place  Position // its end
	kept   Kept
	met    bool // whether the kept seal was among those that were verified
	found  Verified
}

// Verify compares the record with its seals, in the order of the chain, from a seal on (0: the
// first), while servers write. It needs as much memory as one seal has records. The error is a
// *Broken for the first difference.
func (s *Sealer) Verify(ctx context.Context, db SealReader, from int64, kept Kept) (found Verified, err error) {
	err = db.Read(ctx, func(tx SealStore) error {
		v := &verifying{Sealer: s, tx: tx, kept: kept}
		err := v.all(ctx, from)
		found = v.found
		return err
	})
	return found, err
}

func (v *verifying) all(ctx context.Context, from int64) error {
	if err := v.begin(ctx, from); err != nil {
		return err
	}
	for {
		seals, err := v.tx.Seals(ctx, v.number, mostReleased)
		if err != nil {
			return err
		}
		if len(seals) == 0 {
			if again, err := v.end(ctx); !again {
				return err
			}
		}
		for _, seal := range seals {
			released, err := v.seal(ctx, seal)
			if err != nil {
				return err
			}
			if released { // by a server, meanwhile
				if err := v.begin(ctx, 0); err != nil {
					return err
				}
				break
			}
		}
	}
}

// begin reads where the chain begins, or where its seal from does.
func (v *verifying) begin(ctx context.Context, from int64) (err error) {
	if v.chain, err = v.tx.Chain(ctx); err != nil {
		return err
	}
	newest, err := v.tx.NewestSeal(ctx)
	switch {
	case err != nil:
		return err
	case len(v.chain.Sealed) == 0 && newest.Number > 0:
		return &Broken{Why: "the row of audit_chain is missing"}
	case len(v.chain.Sealed) == 0:
		return ErrNoSeal
	}
	if v.key, err = v.box.Open(v.chain.Sealed, chainContext); err != nil {
		return &Broken{Why: "the key in audit_chain was made by another installation or another master key"}
	}
	if !v.chain.proven(v.key) {
		return &Broken{Why: "the row of audit_chain was changed: it says where the record begins", To: v.chain.Until}
	}
	v.number, v.hash, v.place = v.chain.Number, v.chain.Hash, Position{At: v.chain.Until}
	v.found.BeganAt, v.found.Until = v.chain.BeganAt, v.chain.Until
	if from <= v.number+1 {
		return nil
	}
	before, err := v.tx.Seals(ctx, from-2, 1)
	if err == nil && (len(before) == 0 || before[0].Number != from-1) {
		return fmt.Errorf("there is no seal %d: the newest is %d", from, newest.Number)
	}
	if err == nil {
		v.number, v.hash, v.place = from-1, before[0].Hash, before[0].Last
	}
	return err
}

// seal verifies the next seal. It returns true if a server has deleted it meanwhile.
func (v *verifying) seal(ctx context.Context, s Seal) (released bool, err error) {
	broken := &Broken{Seal: v.number + 1, From: s.FirstAt, To: s.Last.At}
	if s.Number != v.number+1 {
		broken.Why, broken.From, broken.To = "it is missing", v.place.At, s.FirstAt
		return v.unless(ctx, broken)
	}
	fits := false
	for try := 0; try < 2 && !fits; try++ { // a record that came late may have its seal by now
		facts, err := v.tx.FactsOfSeal(ctx, v.place, s)
		if err != nil {
			return false, err
		}
		fits = bytes.Equal(s.sum(v.key, v.hash, facts), s.Hash) && int64(len(facts)) == s.Records
		switch n := int64(len(facts)); {
		case n > s.Records:
			broken.Why = "a record was added"
		case n < s.Records:
			broken.Why = "a record is missing"
		default:
			broken.Why = "a record or the seal itself was changed"
		}
	}
	if v.kept.Number == s.Number {
		if v.met = true; !bytes.Equal(v.kept.Hash, s.Hash) {
			fits, broken.Why = false, "its hash is not the one that was kept"
		}
	}
	if !fits {
		return v.unless(ctx, broken)
	}
	if v.found.Seals == 0 {
		v.found.From = s.FirstAt
	}
	v.number, v.hash, v.place = s.Number, s.Hash, s.Last
	v.found.Seals, v.found.Records, v.found.To = v.found.Seals+1, v.found.Records+s.Records, s.Last.At
	return false, nil
}

// unless returns the difference, unless a server has deleted the seal meanwhile.
func (v *verifying) unless(ctx context.Context, b *Broken) (released bool, err error) {
	now, err := v.tx.Chain(ctx)
	if err != nil || now.Number >= b.Seal && now.proven(v.key) {
		return err == nil, err
	}
	return false, b
}

// end looks at what is beyond the newest seal. It returns true if there is another one by now.
func (v *verifying) end(ctx context.Context) (again bool, err error) {
	switch {
	case v.kept.Number > v.number:
		return false, &Broken{Seal: v.kept.Number, Why: "it was kept, and is missing"}
	case v.kept.Number > 0 && !v.met:
		return false, fmt.Errorf("seal %d, which was kept, is before the first that was compared: keep a newer one, or begin with an older one", v.kept.Number)
	}
	stray, err := v.tx.StrayFacts(ctx, v.chain.Number, v.number)
	if err != nil {
		return false, err
	}
	newest, err := v.tx.NewestSeal(ctx)
	if err != nil || newest.Number > v.number {
		return err == nil, err
	}
	if stray > 0 {
		return false, &Broken{Why: fmt.Sprintf("records name a seal that does not exist (%d)", stray)}
	}
	waiting, err := v.tx.Unsealed(ctx, v.place, v.clock.Now().AddDate(1, 0, 0), 1)
	if len(waiting) > 0 {
		v.found.Waiting = waiting[0].At
	}
	v.found.Newest = Kept{v.number, v.hash}
	return false, err
}

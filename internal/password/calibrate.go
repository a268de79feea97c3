package password

import (
	"sync"
	"time"

	"portico/internal/password/argon2"
)

// Budget is what the hashes of an installation may take.
type Budget struct {
	Least     Cost // the floor when zero
	Slots     int  // as of Config
	PerSecond int  // sign-ins that the machine must bear
	Previous  Cost // what an earlier calibration chose, if there was one
}

// Calibration is the cost that a machine bears.
type Calibration struct {
	Cost      Cost
	Taken     time.Duration // by one hash while all slots are at work
	PerSecond float64       // sign-ins that the slots bear
	Kept      bool          // whether the budget is kept: the least cost may exceed it
	Spent     time.Duration // on measuring
}

const (
	// longestTaken is what people do not feel as a wait.
	longestTaken = 250 * time.Millisecond

	// spare is the part of the slots' time that is left to other work and to
	// the crowd of a busy minute, one in so many.
	spare = 4

	// Memory costs an attacker more than passes do, so it grows first; up to
	// the second recommendation of RFC 9106 4, and to what all slots hold.
	mostAutoMemory = 64 * 1024  // KiB of a hash
	mostAutoSlots  = 512 * 1024 // KiB of all slots

	trials = 2 // of a cost

	// patience is the time after which no stronger cost is tried any more: what
	// is chosen then is weaker than need be, and the next start tries again.
	patience = 700 * time.Millisecond
)

// Calibrate measures the strongest cost within the budget on this machine. It
// takes half a second, and less than one unless a pass over 19 MiB takes longer
// than 20 ms. What else runs on the machine makes the result weaker. A least cost
// or a number of slots that New would refuse is an error.
func Calibrate(b Budget) (Calibration, error) {
	b.Slots = orDefault(b.Slots, cores)
	if b.Least == (Cost{}) {
		b.Least = floor()
	}
	if err := b.Least.checkSlots(b.Slots); err != nil {
		return Calibration{}, err
	}
	arenas := make([]*argon2.Arena, b.Slots)
	for i := range arenas {
		arenas[i] = argon2.NewArena()
	}
	start := time.Now()
	c := calibrate(b, &meter{hash: func(c Cost) time.Duration { return together(arenas, c) }})
	c.Spent = time.Since(start)
	return c, nil
}

// calibrate looks for the strongest step of which the meter says that it is
// within the budget. The time of Argon2 is linear in its work until memory no
// longer fits the caches, so that a guess from the least cost is measured, and
// corrected downwards.
func calibrate(b Budget, m *meter) Calibration {
	limit := longestTaken
	if b.PerSecond > 0 {
		limit = min(limit, time.Second*time.Duration(b.Slots)*(spare-1)/spare/time.Duration(b.PerSecond))
	}
	all := steps(b)
	if taken, ok := b.keeps(limit, all[len(all)-1], m); ok {
		return Calibration{Cost: b.Previous, Taken: taken, PerSecond: float64(b.Slots) / taken.Seconds(), Kept: true}
	}
	best, taken := 0, m.measure(all[0])
	guess := within(all, limit, all[0], taken)
	for trial := 0; trial < trials && guess > best && m.spent < patience; trial++ {
		spent := m.measure(all[guess])
		if spent <= limit {
			best, taken = guess, spent
			break
		}
		lower := min(within(all, limit, all[guess], spent), guess-1)
		if lower == 0 && guess > 1 {
			lower = 1 // less memory may be quicker than that measurement says
		}
		guess = lower
	}
	return Calibration{Cost: all[best], Taken: taken, PerSecond: float64(b.Slots) / taken.Seconds(), Kept: taken <= limit}
}

// keeps reports whether the previous cost still serves: at most half as much
// again as the budget, and at least half of it. A cost that changed with every
// disturbance of a measurement would have all passwords hashed anew, and until
// then the time of an answer would tell who has an account.
func (b Budget) keeps(limit time.Duration, most Cost, m *meter) (time.Duration, bool) {
	p := b.Previous
	if p.check() != nil || p.Memory < b.Least.Memory || p.Passes < b.Least.Passes {
		return 0, false
	}
	taken := m.measure(p)
	if taken > limit*3/2 {
		taken = min(taken, m.measure(p)) // once more: lowering a cost for a passing load would be wrong
	}
	return taken, taken <= limit*3/2 && (taken >= limit/2 || p.work() >= most.work())
}

// steps returns what a calibration may choose, from the least up. They are two
// fifths apart, so that the same machine gets the same cost most times.
func steps(b Budget) []Cost {
	const mebi = 1024
	most := max(min(mostAutoMemory, mostAutoSlots/uint32(b.Slots)&^(mebi-1)), b.Least.Memory)
	c := b.Least
	all := []Cost{c}
	for c.Memory < most {
		c.Memory = min(c.Memory*7/5&^(mebi-1), most)
		all = append(all, c)
	}
	for c.Passes < ceilingPasses {
		c.Passes = min(max(c.Passes+1, c.Passes*7/5), ceilingPasses)
		all = append(all, c)
	}
	return all
}

// within returns the last of the steps that should take no more than limit
// where measured takes so long, else the first.
func within(all []Cost, limit time.Duration, measured Cost, taken time.Duration) int {
	most := measured.work() * float64(limit) / float64(taken)
	found := 0
	for i, c := range all {
		if c.work() <= most {
			found = i
		}
	}
	return found
}

// meter measures hashes, all slots at work, and adds up what that takes.
type meter struct {
	hash  func(Cost) time.Duration
	spent time.Duration
}

func (m *meter) run(c Cost) time.Duration {
	taken := m.hash(c)
	m.spent += taken
	return taken
}

// measure returns the time of one hash. What disturbs only slows, so the
// fastest of a few rounds counts. The first hash brings the memory and does not
// count. Argon2 is linear in its passes, of which no more are run than needed.
func (m *meter) measure(c Cost) time.Duration {
	const rounds, enough = 4, 100 * time.Millisecond
	pass := m.run(Cost{Memory: c.Memory, Passes: 1})
	few := Cost{Memory: c.Memory, Passes: min(c.Passes, uint32(max(1, enough/max(pass, 1))))}
	start := m.spent
	best := m.run(few)
	for i := 1; i < rounds && m.spent-start < enough; i++ {
		best = min(best, m.run(few))
	}
	return best * time.Duration(c.Passes) / time.Duration(few.Passes)
}

// together returns the mean time of a hash in each arena at once.
func together(arenas []*argon2.Arena, c Cost) time.Duration {
	spent := make([]time.Duration, len(arenas))
	var all sync.WaitGroup
	for i, arena := range arenas {
		all.Go(func() {
			start := time.Now()
			_, _ = derive(arena, "calibration", make([]byte, saltSize), c) // costs are within the limits
			spent[i] = time.Since(start)
		})
	}
	all.Wait()
	var sum time.Duration
	for _, d := range spent {
		sum += d
	}
	return sum / time.Duration(len(spent))
}

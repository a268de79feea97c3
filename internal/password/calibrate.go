package password

import (
	"errors"
	"sync"
	"time"

	"portico/internal/password/argon2"
)

// Budget is the time that hashes of an installation may take.
type Budget struct {
	Least     Cost // the floor when zero
	Slots     int  // as of Config
	PerSecond int  // sign-ins that the machine must handle
	Previous  Cost // result of an earlier calibration, if there was one
}

// Calibration is the strongest cost that fits the budget.
type Calibration struct {
	Cost      Cost
	Taken     time.Duration // by one hash while all slots work
	PerSecond float64       // sign-ins that the slots can do
	Kept      bool          // whether the result is within the budget: the least cost may exceed it
	Spent     time.Duration // on measuring
}

const (
	// longestTaken is a time that people do not notice as a wait.
	longestTaken = 250 * time.Millisecond

	// spare is the part of the slots' time that is left to other work and to
	// busy minutes: one in so many.
	spare = 4

	// Memory costs an attacker more than passes do, so memory grows first: up
	// to the second recommendation of RFC 9106 4, and to the limit for all
	// slots together.
	mostAutoMemory = 64 * 1024  // KiB of a hash
	mostAutoSlots  = 512 * 1024 // KiB of all slots

	trials = 2 // of a cost

	// patience is the time after which no stronger cost is tried. The result is
	// then weaker than necessary, and the next start tries again.
	patience = 700 * time.Millisecond
)

// Calibrate measures the strongest cost within the budget on this machine. It
// takes half a second, and stays below one second unless a pass over 19 MiB
// takes longer than 20 ms. Other load on the machine makes the result weaker.
// It returns an error for a least cost or a number of slots that New would
// refuse.
func Calibrate(b Budget) (Calibration, error) {
	if b.Least == (Cost{}) {
		b.Least = floor()
	}
	b.Slots = orDefault(b.Slots, min(cores, b.Least.MostSlots()))
	if err := errors.Join(b.Least.check(), b.Least.checkSlots(b.Slots)); err != nil {
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

// calibrate searches the strongest step that the meter finds within the budget.
// The time of Argon2 is linear in its work while the memory fits the caches. So
// calibrate guesses from the least cost, measures the guess, and corrects it
// downwards.
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
			lower = 1 // less memory may be faster than that measurement says
		}
		guess = lower
	}
	return Calibration{Cost: all[best], Taken: taken, PerSecond: float64(b.Slots) / taken.Seconds(), Kept: taken <= limit}
}

// keeps reports whether the previous cost still serves: its time is between
// half of the budget and one and a half times the budget. If the cost changed
// with every disturbance, all passwords would be hashed again, and meanwhile
// the response time would tell which accounts exist.
func (b Budget) keeps(limit time.Duration, most Cost, m *meter) (time.Duration, bool) {
	p := b.Previous
	if p.check() != nil || p.Memory < b.Least.Memory || p.Passes < b.Least.Passes {
		return 0, false
	}
	taken := m.measure(p)
	if taken > limit*3/2 {
		taken = min(taken, m.measure(p)) // measure again: lowering a cost for a passing load would be wrong
	}
	return taken, taken <= limit*3/2 && (taken >= limit/2 || p.work() >= most.work())
}

// steps returns the costs that a calibration may choose, in ascending order.
// They are two fifths apart, so that the same machine mostly gets the same
// cost.
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

// within returns the last step that should take no more than limit, given the
// time of a measured cost. It returns the first step when none fits.
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

// meter measures hashes with all slots at work and adds up the time that this
// takes.
type meter struct {
	hash  func(Cost) time.Duration
	spent time.Duration
}

func (m *meter) run(c Cost) time.Duration {
	taken := m.hash(c)
	m.spent += taken
	return taken
}

// measure returns the time of one hash. Disturbances only slow it down, so the
// fastest of a few rounds counts. The first hash allocates the memory and does
// not count. Argon2 is linear in its passes, so measure runs as few as
// possible.
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

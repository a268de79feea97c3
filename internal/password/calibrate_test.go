package password

import (
	"testing"
	"time"
)

// machine returns a measurement that takes the time each for one MiB and pass.
// Beyond the memory of its cache it is slower by a factor.
func machine(each time.Duration, cache uint32, slower int) func(Cost) time.Duration {
	return func(c Cost) time.Duration {
		taken := each * time.Duration(c.Memory) * time.Duration(c.Passes) / 1024
		if c.Memory > cache {
			taken *= time.Duration(slower)
		}
		return taken
	}
}

func TestCalibrate_Chooses(t *testing.T) {
	t.Parallel()
	const us, flat = time.Microsecond, ceilingMemory
	for _, test := range []struct {
		name    string
		budget  Budget
		measure func(Cost) time.Duration
		want    Cost
		kept    bool
	}{
		{"a quick machine", Budget{Slots: 2, PerSecond: 6}, machine(200*us, flat, 1), Cost{64 << 10, 16}, true}, // 250 ms
		{"many sign-ins", Budget{Slots: 2, PerSecond: 40}, machine(200*us, flat, 1), Cost{64 << 10, 2}, true},   // 37.5 ms
		{"more than it bears", Budget{Slots: 2, PerSecond: 400}, machine(200*us, flat, 1), floor(), false},      // 3.75 ms
		{"a slow machine", Budget{Slots: 1, PerSecond: 1}, machine(9000*us, flat, 1), floor(), false},           // 342 ms
		{"a small cache", Budget{Slots: 2, PerSecond: 20}, machine(500*us, 32<<10, 3), Cost{26 << 10, 2}, true}, // 75 ms
		{"no rate", Budget{Slots: 2}, machine(1000*us, flat, 1), Cost{64 << 10, 3}, true},
		{"many cores", Budget{Slots: 16}, machine(1000*us, flat, 1), Cost{32 << 10, 7}, true},
		{"more cores than memory", Budget{Slots: 64}, machine(1000*us, flat, 1), Cost{floorMemory, 12}, true},
		{"from a higher floor", Budget{Slots: 2, Least: Cost{128 << 10, 3}}, machine(100*us, flat, 1), Cost{128 << 10, 16}, true},
		{"as before", Budget{Slots: 2, Previous: Cost{64 << 10, 3}}, machine(1900*us, flat, 1), Cost{64 << 10, 3}, true},     // 365 ms
		{"much stronger", Budget{Slots: 2, Previous: Cost{36 << 10, 2}}, machine(1000*us, flat, 1), Cost{64 << 10, 3}, true}, // 72 ms
		{"not much stronger", Budget{Slots: 2, Previous: Cost{64 << 10, 2}}, machine(1000*us, flat, 1), Cost{64 << 10, 2}, true},
		{"weaker", Budget{Slots: 2, Previous: Cost{64 << 10, 7}}, machine(1000*us, flat, 1), Cost{64 << 10, 3}, true}, // 448 ms
		{"not more than the least", Budget{Slots: 2, Previous: Cost{64 << 10, 2}}, machine(9000*us, flat, 1), floor(), false},
		{"a higher floor than before", Budget{Slots: 2, Least: Cost{64 << 10, 4}, Previous: Cost{64 << 10, 3}}, machine(1000*us, flat, 1), Cost{64 << 10, 4}, false},
		{"a damaged row", Budget{Slots: 2, Previous: Cost{1 << 30, 1 << 30}}, machine(1000*us, flat, 1), Cost{64 << 10, 3}, true},
		{"the ceiling, as before", Budget{Slots: 2, Previous: Cost{64 << 10, ceilingPasses}}, machine(us, flat, 1), Cost{64 << 10, ceilingPasses}, true},
		{"the ceiling", Budget{Slots: 2}, machine(us, flat, 1), Cost{64 << 10, ceilingPasses}, true},
	} {
		if test.budget.Least == (Cost{}) {
			test.budget.Least = floor()
		}
		got := calibrate(test.budget, &meter{hash: test.measure})
		if got.Cost != test.want || got.Kept != test.kept || got.Taken != test.measure(got.Cost) {
			t.Errorf("%s: %+v, want %+v, kept %v", test.name, got, test.want, test.kept)
		}
		if err := got.Cost.check(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestParseCost(t *testing.T) {
	t.Parallel()
	for _, c := range []Cost{floor(), {65536, 3}, {ceilingMemory, ceilingPasses}} {
		if got, ok := ParseCost(c.String()); got != c || !ok {
			t.Errorf("ParseCost(%s) = %v, %v", c, got, ok)
		}
	}
	for _, s := range []string{"", "m=19456", "m=8,t=1", "m=19456,t=2 ", "m=019456,t=2", "m=19456,t=2,p=1", "m=4294967296,t=2", "t=2,m=19456"} {
		if got, ok := ParseCost(s); ok {
			t.Errorf("ParseCost(%q) = %v", s, got)
		}
	}
}

// A few percent of noise do not change the cost, except at the border of a
// step.
func TestCalibrate_Steps(t *testing.T) {
	t.Parallel()
	all := steps(Budget{Least: floor(), Slots: 2})
	for i := 1; i < len(all); i++ {
		if ratio := all[i].work() / all[i-1].work(); ratio <= 1.05 || ratio > 1.52 {
			t.Errorf("from %v to %v is a step of %.2f", all[i-1], all[i], ratio)
		}
	}
	if last := all[len(all)-1]; last != (Cost{mostAutoMemory, ceilingPasses}) {
		t.Errorf("the last step is %v", last)
	}
}

func TestCalibrate_ThisMachine(t *testing.T) {
	t.Parallel()
	start := time.Now()
	got, err := Calibrate(Budget{Slots: 1, PerSecond: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v in %v", got, time.Since(start))
	if got.Cost.check() != nil || got.Taken <= 0 || got.PerSecond <= 0 || got.Kept && got.Taken > longestTaken {
		t.Errorf("Calibrate = %+v", got)
	}
}

func TestCalibrate_Refuses(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]Budget{
		"memory of all slots": {Least: Cost{ceilingMemory, 2}, Slots: 1024},
		"negative slots":      {Slots: -1},
		"a cost of nothing":   {Least: Cost{8, 1}},
	} {
		if got, err := Calibrate(b); err == nil {
			t.Errorf("%s: Calibrate = %+v", name, got)
		}
	}
}

// A temporary load does not weaken the cost that was chosen before.
func TestCalibrate_PassingLoad(t *testing.T) {
	t.Parallel()
	quiet, hashes := machine(time.Millisecond, ceilingMemory, 1), 0
	disturbed := func(c Cost) time.Duration {
		if hashes++; hashes <= 2 { // the first measurement
			return 3 * quiet(c)
		}
		return quiet(c)
	}
	previous := Cost{64 << 10, 3}
	if got := calibrate(Budget{Slots: 2, Least: floor(), Previous: previous}, &meter{hash: disturbed}); got.Cost != previous {
		t.Errorf("the cost is %v after a disturbance, want %v", got.Cost, previous)
	}
	if hashes <= 2 {
		t.Error("the cost was not measured again")
	}
}

// Measuring ends within a second on every machine: a fast one, one with small
// caches, and with any previous cost. On an overloaded machine it stops looking
// for a higher cost.
func TestCalibrate_EndsSoon(t *testing.T) {
	t.Parallel()
	var longest time.Duration
	for each := 20 * time.Microsecond; each <= time.Millisecond; each = each * 5 / 4 { // the lowest cost takes 1 to 40 ms
		for _, slower := range []int{1, 2, 3} {
			for _, previous := range []Cost{{}, floor(), {64 << 10, 3}, {64 << 10, 16}, {mostAutoMemory, ceilingPasses}} {
				for _, rate := range []int{0, 10, 100} {
					m := &meter{hash: machine(each, 32<<10, slower)}
					calibrate(Budget{Slots: 2, Least: floor(), Previous: previous, PerSecond: rate}, m)
					longest = max(longest, m.spent)
					if m.spent >= time.Second {
						t.Errorf("%v a MiB, %d times that past the cache, %v before, %d a second: measured for %v", each, slower, previous, rate, m.spent)
					}
				}
			}
		}
	}
	t.Logf("the longest takes %v", longest)

	overloaded := &meter{hash: machine(10*time.Millisecond, ceilingMemory, 1)} // 380 ms for the lowest cost
	if got := calibrate(Budget{Slots: 2, Least: floor()}, overloaded); got.Cost != floor() || overloaded.spent > time.Second {
		t.Errorf("overloaded, %v is chosen after %v", got.Cost, overloaded.spent)
	}
}

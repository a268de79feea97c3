package cli

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	niceness = 5           // a third of the share of other threads
	turn     = 100_000_000 // nanoseconds, the longest that Linux allows
)

// standBack lets a server on this machine go first. With niceness alone, each of its threads that wakes may wait for
// the end of a turn of ours, which Linux cuts off for threads with shorter ones. Without pressure from others, the
// command is as fast as before. What the system refuses stays as it was.
func standBack() {
	for done := map[string]bool{}; ; {
		threads, _ := os.ReadDir("/proc/self/task") // it is empty only without /proc
		before := len(done)
		for _, t := range threads {
			if id, err := strconv.Atoi(t.Name()); err == nil && !done[t.Name()] {
				done[t.Name()] = true
				standThreadBack(id)
			}
		}
		if len(done) == before {
			return // later threads take after those that start them
		}
	}
}

func standThreadBack(id int) {
	a, err := unix.SchedGetAttr(id, 0)
	if err == nil && a.Policy == unix.SCHED_NORMAL {
		_ = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: max(a.Nice, niceness), Runtime: turn}, 0)
	}
}

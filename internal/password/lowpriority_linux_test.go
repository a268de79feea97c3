package password

import (
	"runtime"
	"syscall"
	"testing"
)

// The system call getpriority returns 20 minus the niceness, so that no value
// is negative.
func rank(t *testing.T) int {
	t.Helper()
	prio, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - prio
}

func TestAtLowPriority_OnlyTheWorkStandsBack(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := rank(t)
	during := 0
	if err := atLowPriority(func() error { during = rank(t); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := max(before, niceness); during != want {
		t.Errorf("niceness %d during the work, want %d", during, want)
	}
	if after := rank(t); after != before {
		t.Errorf("niceness %d of the caller, want %d as before", after, before)
	}
}

package systemd

import "golang.org/x/sys/unix"

// monotonic returns CLOCK_MONOTONIC in microseconds.
func monotonic() (int64, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano() / 1000, err == nil
}

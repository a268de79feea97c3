//go:build !linux

package systemd

// monotonic reports false: systemd runs on Linux only.
func monotonic() (int64, bool) { return 0, false }

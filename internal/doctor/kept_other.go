//go:build !linux

package doctor

func clockKept() (kept, known bool) { return false, false }

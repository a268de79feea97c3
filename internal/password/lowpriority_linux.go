package password

import "syscall"

// niceness of a thread that computes hashes: it gets a third of the share of
// other threads when they compete for a core, and a whole core when they do
// not.
const niceness = 5

// standBack lowers the priority of the calling thread, and never raises it. Only
// on Linux does a thread have its own priority. If the system refuses, hashing competes with
// requests.
func standBack() {
	if prio, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil && 20-prio < niceness {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
	}
}

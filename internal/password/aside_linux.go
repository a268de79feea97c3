package password

import "syscall"

// niceness of a thread that computes hashes: a third of the weight of others
// where they compete for a core, all of it where they do not.
const niceness = 5

// standBack lowers the priority of the calling thread: on Linux, and only
// there, a thread has one of its own. When it is refused the hash competes.
func standBack() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) }

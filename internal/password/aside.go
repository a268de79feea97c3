package password

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// cores is what the process was given to compute with, before MakeRoom.
var cores = runtime.GOMAXPROCS(0)

// aside runs the work on a thread that stands back behind those of requests,
// and returns when it has ended. Slots that keep every core busy would
// otherwise let each page and each session check wait for its turn.
func aside(work func() error) (err error) {
	done := make(chan struct{})
	var panicked any
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		// Never unlocked, so that the thread ends with the goroutine: without
		// privilege its priority could not be raised again.
		runtime.LockOSThread()
		standBack()
		err = work()
	}()
	<-done
	if panicked != nil {
		panic(panicked) // in the goroutine of the request, which answers for it
	}
	return err
}

// MakeRoom lets as many goroutines run beside the hashing slots as the machine
// has cores. Without it the slots would hold every processor of the scheduler
// and the priorities of their threads would decide nothing. It changes the
// whole process, and is for the command that serves.
func (s *Service) MakeRoom() {
	runtime.GOMAXPROCS(cores + s.Stats().Slots)
}

package password

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// cores is the number of cores that the process may use, before MakeRoom.
var cores = runtime.GOMAXPROCS(0)

// atLowPriority runs the work on a thread of low priority and returns when it has
// ended. Otherwise slots that keep every core busy would delay each page and
// each session check.
func atLowPriority(work func() error) (err error) {
	done := make(chan struct{})
	var panicked any
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		// Never unlock the thread, so that it ends with the goroutine: without
		// privileges its priority cannot be raised again.
		runtime.LockOSThread()
		standBack()
		err = work()
	}()
	<-done
	if panicked != nil {
		panic(panicked) // in the goroutine of the request, which handles it
	}
	return err
}

// MakeRoom lets as many goroutines run in addition to the hashing slots as the machine
// has cores. Otherwise the slots would hold every processor of the Go
// scheduler, and the priorities of their threads would have no effect. MakeRoom
// changes the whole process and is for the command that serves.
func (s *Service) MakeRoom() {
	runtime.GOMAXPROCS(cores + s.Stats().Slots)
}

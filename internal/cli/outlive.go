package cli

import (
	"os/signal"
	"syscall"
)

// outliveReaders keeps a long-running command alive when the reader of its output
// has gone: `head` at the end of a pipe, or a log service that is restarted. By
// default a write to standard output or standard error then ends a Go program.
// Commands that only print keep this default.
func outliveReaders() { signal.Ignore(syscall.SIGPIPE) }

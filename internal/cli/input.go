package cli

import (
	"context"
	"errors"
	"io"
)

var errInterrupted = errors.New("interrupted")

// input is standard input. A read ends with the context: the process catches the signals that would end it, and nobody
// may type anything more.
type input struct {
	context.Context
	io.Reader
}

func (in input) Read(p []byte) (int, error) {
	return awaited(in, func() (int, error) { return in.Reader.Read(p) })
}

// awaited returns what a read returns, or errInterrupted. Then the read goes on until the process ends.
func awaited[T any](ctx context.Context, read func() (T, error)) (got T, err error) {
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := read()
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
		return got, errInterrupted
	}
}

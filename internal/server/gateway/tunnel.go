package gateway

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// tunnelBuffer is what one direction of a WebSocket is copied through. io.Copy
// would take 32 KiB for each, which thousands of silent connections keep.
const tunnelBuffer = 4 << 10

// tunnel is the app's side of a WebSocket. Its methods are what io.Copy calls in
// place of a large buffer.
type tunnel struct {
	io.ReadWriteCloser
	down, up half // to the client, to the app
}

// WriteTo copies from the app to the client.
func (t *tunnel) WriteTo(w io.Writer) (int64, error) { return t.down.copy(w, t.ReadWriteCloser) }

// ReadFrom copies from the client to the app.
func (t *tunnel) ReadFrom(r io.Reader) (int64, error) { return t.up.copy(t.ReadWriteCloser, r) }

// leave tells both ends that this was all, each as soon as the frame on its way
// there is over. It does not wait for that.
func (t *tunnel) leave(code uint16, reason string) {
	t.down.leave(closeFrame(code, reason, false))
	t.up.leave(closeFrame(code, reason, true))
}

// half is one direction.
type half struct {
	last atomic.Pointer[[]byte] // the frame to end with, nil until it is to end

	mu     sync.Mutex
	w      io.Writer // nil until it is copied
	frames frames
	ended  bool // nothing may follow
}

func (h *half) leave(last []byte) {
	h.last.Store(&last)
	go h.finish() // waits, when the receiver does not read, until the connection is cut
}

func (h *half) copy(w io.Writer, r io.Reader) (n int64, err error) {
	h.mu.Lock()
	h.w = w
	h.mu.Unlock()
	for buffer := make([]byte, tunnelBuffer); ; {
		h.finish()
		got, err := r.Read(buffer)
		n += int64(got)
		if failed := h.pass(buffer[:got]); failed != nil {
			return n, failed
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
	}
}

// pass hands on what was read, once it is to end no more than the frame that is
// under way.
func (h *half) pass(b []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Load() == nil {
		h.frames.scan(b)
	} else {
		b = b[:h.frames.rest(b)]
	}
	if h.ended || len(b) == 0 {
		return nil
	}
	_, err := h.w.Write(b)
	return err
}

// finish writes the last frame if it is time.
func (h *half) finish() {
	last := h.last.Load()
	if last == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.w != nil && !h.ended && h.frames.between() {
		h.ended = true
		_, _ = h.w.Write(*last) // whoever has gone needs no word
	}
}

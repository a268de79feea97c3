package gateway

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// tunnelBuffer is the size of the copy buffer of each direction of a WebSocket,
// in bytes. io.Copy would allocate 32 KiB, for each of thousands of idle
// connections.
const tunnelBuffer = 2 << 10

// tunnel is a WebSocket between a client and an app.
type tunnel struct {
	down, up half      // to the client, to the app
	app      io.Closer // the app's side
}

// run copies in both directions until the client has finished or either
// connection fails, and closes both. If only the app has finished, run closes
// the sending side to the client. sent reads the client's bytes.
func (t *tunnel) run(client net.Conn, sent io.Reader, app io.ReadWriteCloser) {
	defer client.Close()
	defer app.Close()
	go func() {
		ended := t.down.copy(client, app)
		if half, can := client.(interface{ CloseWrite() error }); !can || ended != nil || half.CloseWrite() != nil {
			_ = client.Close() // which ends the other direction as well
		}
	}()
	_ = t.up.copy(app, sent) // the connection is closed in any case
}

// leave sends a Close frame to both ends, each after the current frame. It does
// not wait for that.
func (t *tunnel) leave(code uint16, reason string) {
	t.down.leave(closeFrame(code, reason, false))
	t.up.leave(closeFrame(code, reason, true))
}

// half is one direction.
type half struct {
	last atomic.Pointer[[]byte] // the Close frame; nil until the direction should end

	mu     sync.Mutex
	w      io.Writer // nil until copy starts
	frames frames
	ended  bool          // the Close frame was sent
	writes atomic.Uint32 // as in passing
}

func (h *half) leave(last []byte) {
	h.last.Store(&last)
	go h.finish() // blocks until the connection ends if the receiver does not read
}

// copy returns nil at the end of r.
func (h *half) copy(w io.Writer, r io.Reader) error {
	h.mu.Lock()
	h.w = w
	h.mu.Unlock()
	for buffer := make([]byte, tunnelBuffer); ; {
		h.finish()
		got, err := r.Read(buffer)
		if failed := h.pass(buffer[:got]); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// pass writes b. Once the direction should end, it writes only the rest of the
// current frame.
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
	h.writes.Add(1)
	defer h.writes.Add(1)
	_, err := h.w.Write(b)
	return err
}

// finish writes the Close frame if the direction should end and no frame is
// incomplete.
func (h *half) finish() {
	last := h.last.Load()
	if last == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.w != nil && !h.ended && h.frames.between() {
		h.ended = true
		_, _ = h.w.Write(*last) // ignore the error: the receiver may have gone
	}
}

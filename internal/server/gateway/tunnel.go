package gateway

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// tunnelBuffer is what one direction of a WebSocket is copied through. io.Copy
// would take 32 KiB for each, which thousands of silent connections keep.
const tunnelBuffer = 2 << 10

// tunnel is a WebSocket between a client and an app.
type tunnel struct {
	down, up half // to the client, to the app
}

// run copies both ways until the client has ended or either connection fails,
// and closes both. When only the app has ended, the client hears so. Sent is
// what the client sends.
func (t *tunnel) run(client net.Conn, sent io.Reader, app io.ReadWriteCloser) {
	defer client.Close()
	defer app.Close()
	go func() {
		ended := t.down.copy(client, app)
		if half, can := client.(interface{ CloseWrite() error }); !can || ended != nil || half.CloseWrite() != nil {
			_ = client.Close() // the other direction ends with it
		}
	}()
	_ = t.up.copy(app, sent) // either end may go as it likes
}

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

// copy returns nil when r has ended.
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

package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"portico/internal/clock"
)

// Uploads limits how request bodies reach an app.
type Uploads struct {
	Pace   int           // minimum bytes per second; 0 for any
	Wait   time.Duration // how far a client may fall behind the pace
	Buffer int64         // bytes of a body to read before calling the app
}

// mostBuffered is the limit of buffered request bodies per app, in bytes.
const mostBuffered = 64 << 20

// body is the body of a request. The minimum pace stops a client from occupying
// a worker of the app by sending a byte now and then.
type body struct {
	io.ReadCloser
	passage *passage
	early   bytes.Buffer  // read before the app was called
	length  int64         // number of bytes to buffer, at most
	kept    int64         // number of buffered bytes
	pace    int           // minimum bytes per second; 0 for any
	left    time.Duration // how long to wait for the client from now
	reads   atomic.Uint32 // reads begun and ended: odd while Portico waits for the client
	broken  atomic.Bool   // the body violates its framing
	late    atomic.Bool   // the body arrived too slowly
}

// newBody returns the body of a request, or nil if there is none. A body of
// unknown length with a session may take any time, because it may be a stream.
func newBody(p *passage, r *http.Request) *body {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	up := p.visit.app.Uploads
	b := &body{ReadCloser: r.Body, passage: p, length: up.Buffer, pace: up.Pace, left: up.Wait}
	if r.ContentLength > 0 {
		b.length = min(b.length, r.ContentLength)
	}
	if p.visit.token != "" && r.ContentLength < 0 {
		b.pace = 0
	}
	return b
}

// fill reads up to Uploads.Buffer bytes of the body before the app is called. It counts each piece before it waits for
// the piece: many slow bodies would pass the limit together.
func (b *body) fill() error {
	a := b.passage.visit.app
	var piece []byte
	for left := b.length; left > 0; left = b.length - b.kept {
		next := min(left, bufferSize)
		if a.buffered.Add(next) > mostBuffered {
			a.buffered.Add(-next)
			return nil
		}
		if piece == nil {
			piece = make([]byte, next)
		}
		n, err := b.receive(piece[:next])
		b.early.Write(piece[:n])
		b.kept += int64(n)
		a.buffered.Add(int64(n) - next)
		switch {
		case errors.Is(err, io.EOF):
			return nil // Read returns EOF again
		case err != nil:
			return err
		}
	}
	return nil
}

// release returns the buffered bytes to the app's limit.
func (b *body) release() { b.passage.visit.app.buffered.Add(-b.kept) }

func (b *body) Read(p []byte) (int, error) {
	if b.early.Len() > 0 {
		b.reads.Add(2)
		return b.early.Read(p)
	}
	return b.receive(p)
}

// receive reads from the client and enforces the pace. Only the time spent
// waiting for the client counts.
func (b *body) receive(p []byte) (int, error) {
	if b.pace > 0 {
		began := clock.Here()
		timer := time.AfterFunc(b.left, b.expire)
		defer timer.Stop()
		n, err := b.read(p)
		earned := time.Duration(n) * time.Second / time.Duration(b.pace)
		b.left = min(b.passage.visit.app.Uploads.Wait, b.left-began.Age()+earned)
		return n, err
	}
	return b.read(p)
}

func (b *body) read(p []byte) (int, error) {
	b.reads.Add(1)
	n, err := b.ReadCloser.Read(p)
	b.reads.Add(1)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) { // the transport caused that error
		b.broken.Store(true)
	}
	return n, err
}

// expire stops waiting for the client. The response can still be written.
func (b *body) expire() {
	b.late.Store(true)
	b.passage.gateway.open.stopReading(&b.passage.passing)
}

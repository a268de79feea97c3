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

// Uploads says how request bodies get to an app.
type Uploads struct {
	Pace   int           // least bytes a second; 0: any
	Wait   time.Duration // for a client that is slower
	Buffer int64         // bytes of a body that are read before the app is asked
}

// mostBuffered is how many bytes of request bodies are kept for one app.
const mostBuffered = 64 << 20

// body is what a client sends. Without a least pace one client could hold a worker
// of the app for as long as it likes, for a byte now and then.
type body struct {
	io.ReadCloser
	passage *passage
	early   bytes.Buffer  // what was read before the app was asked
	kept    int64         // how much that was
	pace    int           // 0: any
	left    time.Duration // for which the client may still be waited for
	broken  atomic.Bool   // it is not what its framing promised
	late    atomic.Bool   // it came too slowly
}

// newBody returns the body of a request, nil for none. One without an end in sight
// of a person who is signed in may take any time: it is a stream.
func newBody(p *passage, r *http.Request) *body {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	up := p.visit.app.Uploads
	b := &body{ReadCloser: r.Body, passage: p, pace: up.Pace, left: up.Wait}
	if p.visit.token != "" && r.ContentLength < 0 {
		b.pace = 0
	}
	return b
}

// fill reads the beginning of the body, or all of it, before the app is asked.
func (b *body) fill() error {
	a := b.passage.visit.app
	for piece := make([]byte, min(a.Uploads.Buffer, bufferSize)); int64(b.early.Len()) < a.Uploads.Buffer; {
		n, err := b.receive(piece[:min(int64(len(piece)), a.Uploads.Buffer-int64(b.early.Len()))])
		b.early.Write(piece[:n])
		b.kept += int64(n)
		switch kept := a.buffered.Add(int64(n)); {
		case errors.Is(err, io.EOF):
			return nil // Read says so again
		case err != nil:
			return err
		case kept > mostBuffered:
			return nil
		}
	}
	return nil
}

// release gives the room of what was kept back.
func (b *body) release() { b.passage.visit.app.buffered.Add(-b.kept) }

func (b *body) Read(p []byte) (int, error) {
	if b.early.Len() > 0 {
		return b.early.Read(p)
	}
	return b.receive(p)
}

// receive reads from the client and holds it to its pace. Only the time that is
// waited for the client counts, not that which the app takes.
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
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) { // that is the transport's doing
		b.broken.Store(true)
	}
	return n, err
}

// expire ends the wait for the client. Its answer can still be written.
func (b *body) expire() {
	b.late.Store(true)
	b.passage.gateway.open.stopReading(&b.passage.passing)
}

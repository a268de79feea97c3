package gateway

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"
)

// Frames of all kinds: short, empty, masked, and with both longer lengths.
func someFrames() [][]byte {
	body := bytes.Repeat([]byte{0x88, 0x7f, 0xff}, 30_000)
	return [][]byte{
		append([]byte{0x81, 5}, "hello"...),
		{0x89, 0},
		append([]byte{0x01, 0x83, 1, 2, 3, 4}, "abc"...),
		append([]byte{0x80, 126, 0x01, 0x00}, body[:256]...),
		append([]byte{0x82, 0xff, 0, 0, 0, 0, 0, 1, 0x11, 0x70, 9, 9, 9, 9}, body[:70_000]...),
		{0x8a, 0x80, 1, 2, 3, 4},
	}
}

// The boundaries are found however the bytes are split.
func TestFrames(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 3, 7, 4096, 1 << 20} {
		var f frames
		var ends []int
		at := 0
		for chunk := range slices.Chunk(bytes.Join(someFrames(), nil), size) {
			for len(chunk) > 0 {
				n := f.next(chunk)
				at += n
				chunk = chunk[n:]
				if f.between() {
					ends = append(ends, at)
				}
			}
		}
		var want []int
		sum := 0
		for _, one := range someFrames() {
			sum += len(one)
			want = append(want, sum)
		}
		if !slices.Equal(ends, want) {
			t.Errorf("in pieces of %d: frames end at %v, want %v", size, ends, want)
		}
	}
}

// The Close frame follows the current frame, and nothing follows the Close
// frame.
func TestHalf_EndsBetweenFrames(t *testing.T) {
	t.Parallel()
	all, last := bytes.Join(someFrames(), nil), closeFrame(closeGoingAway, "stopping", false)
	ends := []int{0}
	for _, one := range someFrames() {
		ends = append(ends, ends[len(ends)-1]+len(one))
	}
	for _, at := range []int{0, 1, 4, 7, 8, 9, 12, 20, 300, 5000, len(all) - 1, len(all)} {
		var h half
		var out bytes.Buffer
		in, app := io.Pipe()
		copied := make(chan error, 1)
		go func() {
			err := h.copy(&out, in)
			copied <- err
		}()
		_, _ = app.Write(all[:at])
		for passed := -1; passed < at; { // to the client
			h.mu.Lock()
			passed = out.Len()
			h.mu.Unlock()
			runtime.Gosched()
		}
		h.last.Store(&last)
		_, _ = app.Write(all[at:])
		_ = app.Close()
		if err := <-copied; err != nil {
			t.Fatal(err)
		}
		h.finish()
		got, ok := bytes.CutSuffix(out.Bytes(), last)
		if !ok || !bytes.HasPrefix(all, got) || !slices.Contains(ends, len(got)) || len(got) < at {
			t.Errorf("ended at %d: %d bytes and then the last frame: %v", at, len(got), ok)
		}
	}
}

package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// counting counts the bytes that were read.
type counting struct {
	io.Reader
	read atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// meter shows how far a long command is: a bar in a terminal, lines in a log, and nothing in a
// pipe, whose reader expects the problems alone.
type meter struct {
	out    io.Writer // nil shows nothing
	bar    bool
	every  time.Duration
	what   string
	bytes  *counting
	size   int64 // 0: not known
	began  time.Time
	said   time.Time
	filled bool // the bar is on the screen
}

func (s *session) meter(what string, bytes *counting, size int64) *meter {
	m := &meter{what: what, bytes: bytes, size: size, began: time.Now()}
	m.said = m.began
	f, ok := s.Stderr.(*os.File)
	if !ok {
		return m
	}
	info, err := f.Stat()
	switch {
	case err != nil, info.Mode()&fs.ModeNamedPipe != 0:
	case term.IsTerminal(int(f.Fd())):
		m.out, m.bar, m.every = f, true, 200*time.Millisecond
	default:
		m.out, m.every = f, 10*time.Second
	}
	return m
}

// show says how far it is, unless it was said lately.
func (m *meter) show(done int64) {
	if m.out == nil || time.Since(m.said) < m.every {
		return
	}
	m.said = time.Now()
	line := m.line(done, m.said.Sub(m.began))
	if m.bar {
		fmt.Fprintf(m.out, "\r\x1b[K%s", line)
		m.filled = true
		return
	}
	fmt.Fprintln(m.out, line)
}

// line returns the count, the rate, and the time that is left.
func (m *meter) line(done int64, took time.Duration) string {
	line := fmt.Sprintf("%s %d, %.0f a second", m.what, done, float64(done)/took.Seconds())
	read := m.bytes.read.Load()
	if m.size == 0 || read == 0 {
		return line
	}
	part := min(float64(read)/float64(m.size), 1)
	left := time.Duration(float64(took) * (1 - part) / part).Round(time.Second)
	line = fmt.Sprintf("%3.0f%% %s, %v left", part*100, line, left)
	if m.bar {
		const width = 24
		n := int(part * width)
		line = "[" + strings.Repeat("#", n) + strings.Repeat(" ", width-n) + "] " + line
	}
	return line
}

// clear removes the bar, so that a line can be printed.
func (m *meter) clear() {
	if m.filled {
		fmt.Fprint(m.out, "\r\x1b[K")
		m.filled = false
	}
}

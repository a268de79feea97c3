package upstream

import (
	"bufio"
	"errors"
	"strings"
)

// Header writes the header of a request. What is wrong with a line is told by Do.
type Header struct {
	w   *bufio.Writer
	err error
}

var errLine = errors.New("a header of the request holds the end of a line")

// Add writes a header with one value.
func (h *Header) Add(name, value string) {
	// net/http has refused a request with such a line long before. This is the
	// last place where one can be found.
	if !isLine(value) || !isLine(name) {
		h.err = errLine
		return
	}
	_, _ = h.w.WriteString(name) // what goes wrong here, Flush says again
	_, _ = h.w.WriteString(": ")
	_, _ = h.w.WriteString(value)
	_, _ = h.w.WriteString("\r\n")
}

// Lines are headers that were written before.
type Lines string

// Line returns one header. It is empty when the value holds the end of a line.
func Line(name, value string) Lines {
	if !isLine(value) || !isLine(name) {
		return ""
	}
	return Lines(name + ": " + value + "\r\n")
}

// AddLines writes headers that were written before.
func (h *Header) AddLines(l Lines) { _, _ = h.w.WriteString(string(l)) }

// begin writes the first line and the host.
func (h *Header) begin(r *Request) {
	if !isWord(r.Method) || !isWord(r.Target) || !isWord(r.Host) {
		h.err = errLine
		return
	}
	_, _ = h.w.WriteString(r.Method)
	_ = h.w.WriteByte(' ')
	_, _ = h.w.WriteString(r.Target)
	_, _ = h.w.WriteString(" HTTP/1.1\r\nHost: ")
	_, _ = h.w.WriteString(r.Host)
	_, _ = h.w.WriteString("\r\n")
}

func (h *Header) end() error {
	if h.err != nil {
		return h.err
	}
	_, _ = h.w.WriteString("\r\n")
	return h.w.Flush()
}

// isLine reports whether a text has no end of a line in it.
func isLine(s string) bool {
	return strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, 0) < 0
}

// isWord reports whether a text can stand in the first line of a request.
func isWord(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != ""
}

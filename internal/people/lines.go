package people

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// ErrUTF16 means that a file has the wrong encoding.
var ErrUTF16 = errors.New("the file is in UTF-16: save it as UTF-8")

// text returns a reader of a text file in UTF-8, without a byte order mark, whose lines all end in \n.
func text(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if wide(head) {
		return nil, ErrUTF16
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // they were read
	}
	return bufio.NewReaderSize(&lineEnds{in: in}, 64<<10), nil
}

// wide reports whether a text is in UTF-16.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) || len(head) > 1 && (head[0] == 0) != (head[1] == 0)
}

// lineEnds turns \r\n and \r into \n.
type lineEnds struct {
	in       *bufio.Reader
	returned bool // the last byte was \r
}

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		after := l.returned
		l.returned = c == '\r'
		switch {
		case c == '\r':
			kept = append(kept, '\n')
		case c == '\n' && after:
		default:
			kept = append(kept, c)
		}
	}
	return len(kept), err
}

// lines reads lines of at most MostBytes.
type lines struct {
	in   *bufio.Reader
	buf  []byte
	line int  // of the last line
	open bool // whether a quote of the last line has no second one, also if the line is a Problem
}

// next returns the next line that is not blank, until the call after it. A line that is too long is skipped, in
// parts, and is a Problem.
func (l *lines) next() ([]byte, error) {
	for {
		l.buf = l.buf[:0]
		l.line++
		err := l.whole()
		if p := (*Problem)(nil); errors.As(err, &p) {
			return nil, err
		}
		if len(l.buf) == 0 && errors.Is(err, io.EOF) || err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(l.buf)) == 0 {
			continue
		}
		if !utf8.Valid(l.buf) {
			return l.buf, &Problem{Reason: "is not UTF-8"}
		}
		return l.buf, nil
	}
}

// whole reads one line into the buffer.
func (l *lines) whole() error {
	long := false
	l.open = false
	for {
		part, err := l.in.ReadSlice('\n')
		l.open = l.open != (bytes.Count(part, []byte(`"`))%2 == 1)
		if long = long || len(l.buf)+len(part) > MostBytes; !long {
			l.buf = append(l.buf, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.buf = bytes.TrimSuffix(l.buf, []byte("\n"))
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return &Problem{Reason: fmt.Sprintf("is longer than %d bytes", MostBytes)}
		}
		return err
	}
}

// jsonLines reads the own format.
type jsonLines struct {
	lines
	issuer string
}

// openJSONLines returns a Reader of the own format.
func openJSONLines(r io.Reader, o Options) (Reader, error) {
	in, err := text(r)
	if err != nil {
		return nil, err
	}
	return &jsonLines{lines{in: in}, o.Issuer}, nil
}

// Next implements Reader.
func (j *jsonLines) Next() (p Person, at Place, err error) {
	line, err := j.next()
	at = Place{Line: j.line, Raw: line}
	if err != nil {
		return p, at, err
	}
	at.Ignored, err = decode(line, &p, nil)
	if p.Subject != nil {
		p.Subject.Issuer = cmp.Or(p.Subject.Issuer, j.issuer)
	}
	if err == nil && p.Format > 1 {
		err = &Problem{Field: "format", Value: fmt.Sprint(p.Format), Reason: "is newer than this version of Portico"}
	}
	return p, at, err
}

package people

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// stream yields the entries of a JSON file one by one: the objects of the lists with the last key of a path, in as many
// objects as the path has keys or in fewer; without a path, those of a list that is the whole file. What is deeper is another
// thing with the name, such as the roles of a client that is called "users".
type stream struct {
	path    []string
	in      *json.Decoder
	from    *bounded
	depth   int
	objects int // of the depth
	inside  bool
	ended   bool
}

func newStream(in io.Reader, path ...string) *stream {
	s := &stream{path: path, from: &bounded{in: in, line: 1}}
	s.in = json.NewDecoder(s.from)
	s.from.taken = s.in.InputOffset
	return s
}

// next returns the next entry and its line.
func (s *stream) next() ([]byte, int, error) {
	if s.ended {
		return nil, 0, io.EOF
	}
	entry, err := s.entry()
	at := s.in.InputOffset() - int64(len(entry))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends in the middle of the list: it may be cut off")
		at = s.from.read
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errEntry):
		err = errors.New("is not JSON from here on")
	}
	s.ended = err != nil
	return entry, s.from.at(at), err
}

func (s *stream) entry() (entry json.RawMessage, err error) {
	for !s.inside || !s.in.More() {
		if s.inside {
			if _, err := s.in.Token(); err != nil {
				return nil, cut(err)
			}
		}
		if err := s.enter(); err != nil {
			return nil, err
		}
	}
	return entry, cut(s.in.Decode(&entry))
}

// enter goes on to the next list of entries.
func (s *stream) enter() error {
	if len(s.path) == 0 {
		t, err := s.in.Token()
		if s.inside = t == json.Delim('['); !s.inside && err == nil {
			err = fmt.Errorf("%w: it is no list", errEntry)
		}
		return err
	}
	for found := false; ; {
		t, err := s.in.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['):
			if found {
				s.inside = true
				return nil
			}
			s.depth++
		case json.Delim('{'):
			s.depth, s.objects = s.depth+1, s.objects+1
		case json.Delim(']'):
			s.depth--
		case json.Delim('}'):
			s.depth, s.objects = s.depth-1, s.objects-1
		}
		if s.depth > mostDepth {
			return fmt.Errorf("%w: is nested deeper than %d levels", errEntry, mostDepth)
		}
		found = s.objects <= len(s.path) && t == s.path[len(s.path)-1]
	}
}

// cut says that a file which ends inside of a list is cut off.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// errEntry means that reading cannot go on behind an entry.
var errEntry = errors.New("the file cannot be read further")

// bounded counts lines, and refuses an entry that would take too much memory.
type bounded struct {
	in    io.Reader
	taken func() int64 // offset behind the last entry
	read  int64
	line  int
	ends  []int64 // offsets of the line ends that were read and not yet passed
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.taken != nil && b.read-b.taken() > 2*MostBytes {
		return 0, fmt.Errorf("%w: an entry is longer than %d bytes", errEntry, MostBytes)
	}
	n, err := b.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			b.ends = append(b.ends, b.read+int64(i))
		}
	}
	b.read += int64(n)
	return n, err
}

// at returns the line of an offset. Offsets grow.
func (b *bounded) at(offset int64) int {
	for len(b.ends) > 0 && b.ends[0] < offset {
		b.ends, b.line = b.ends[1:], b.line+1
	}
	return b.line
}

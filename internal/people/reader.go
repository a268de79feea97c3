package people

import (
	"fmt"
	"io"
)

// The bounds of what a reader holds of one entry.
const (
	MostBytes   = 1 << 20 // of an entry: a line of JSON, a record of CSV
	MostColumns = 1000    // or fields of an object
	MostValues  = 200     // in all its lists
	mostDepth   = 32
	mostIgnored = 100 // names of fields, for each entry
)

// Reader reads people one by one. Next returns io.EOF after the last one. A *Problem is about
// this entry alone.
type Reader interface {
	Next() (Person, Place, error)
}

// Place says where an entry is, and what was not taken from it.
type Place struct {
	Line    int      // of its beginning, from 1
	Entry   string   // in place of a line, in a file that is read whole: such as "user mara"
	Ignored []string // fields that the reader does not know, such as "totp.color"

	// Raw is the entry in one line. Such lines, below Head, are a file that the same reader reads. A line that is too long has none,
	// nor has an entry of a file that is read whole: there the Person is written instead.
	Raw, Head []byte
}

// String names the place.
func (at Place) String() string {
	if at.Entry != "" {
		return at.Entry
	}
	return fmt.Sprintf("line %d", at.Line)
}

// Problem is why an entry cannot be taken.
type Problem struct {
	Field  string // such as "totp[0].digits"; "" for the whole entry
	Value  string // shortened; "" for a secret
	Reason string
}

func (p *Problem) Error() string {
	text := p.Reason
	if p.Value != "" {
		text = fmt.Sprintf("%q: %s", p.Value, text)
	}
	if p.Field != "" {
		text = p.Field + ": " + text
	}
	return text
}

// Short returns a value for a Problem, of at most 60 bytes.
func Short(value string) string {
	const most = 60
	if len(value) <= most {
		return value
	}
	return value[:most] + "..."
}

// Options are what an export does not say about itself.
type Options struct {
	Issuer     string            // of the subjects, where the export does not name it
	Parameters map[string]string // of the source, by its own names, such as those of Firebase's scrypt
}

// Source is a kind of file.
type Source struct {
	Name string // for --from
	// Recognize reports whether a file that begins so is of this kind.
	Recognize func(head []byte) bool
	Open      func(r io.Reader, o Options) (Reader, error)
	Whole     bool // the file is read whole, and takes several times its size in memory
	// NamesIssuer says that an entry can name the issuer of its subject. Others need that of the Options.
	NamesIssuer bool
}

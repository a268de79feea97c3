package breach

import (
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/FastFilter/xorfilter"
	"golang.org/x/text/unicode/norm"
)

//go:embed filter.bin
var embedded string

// Filter is the list. It is immutable and safe for concurrent use.
type Filter struct {
	fuse *xorfilter.BinaryFuse[uint16]
}

// Load returns the list inside the binary. It copies about one megabyte in a
// fraction of a millisecond. It fails only when the binary was built with a
// broken filter file.
func Load() (*Filter, error) { return parse(embedded) }

func parse(data string) (*Filter, error) {
	fuse, err := xorfilter.LoadBinaryFuse[uint16](strings.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the list of breached passwords: %w", err)
	}
	// Contains reads three places, the last one two segments after the first.
	// In a shorter table a lookup would panic.
	if length := fuse.SegmentCountLength + 2*fuse.SegmentLength; length == 0 || uint32(len(fuse.Fingerprints)) != length {
		return nil, errors.New("read the list of breached passwords: the filter file is broken: run go generate ./internal/breach")
	}
	return &Filter{fuse: fuse}, nil
}

// Contains reports whether the password is on the list in any letter case.
// Unicode forms that look the same are the same (NFC).
func (f *Filter) Contains(password string) bool { return f.fuse.Contains(Key(password)) }

// Key is the number that stands for a password in the filter: FNV-1a of its
// lower-case NFC form. The filter mixes the bits further. The hash protects
// nothing and need not.
func Key(password string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(norm.NFC.String(password))))
	return h.Sum64()
}

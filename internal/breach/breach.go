package breach

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"strings"
	"sync"

	"github.com/FastFilter/xorfilter"
	"golang.org/x/text/unicode/norm"
)

//go:embed filter.bin
var embedded string

// Filter is the list. It is immutable and safe for concurrent use.
type Filter struct {
	fuse func() *xorfilter.BinaryFuse[uint16]
}

// Load returns the list inside the binary. The first call of Contains copies about one
// megabyte in a fraction of a millisecond. Load fails only when the binary was built with
// a broken filter file.
func Load() (*Filter, error) { return open(embedded) }

// The filter file is a header of six numbers and the table, as xorfilter writes it.
const (
	segmentLengthAt      = 8
	segmentCountLengthAt = 20
	tableLengthAt        = 24
	tableAt              = 28
)

// open checks that the table has the length that its header promises. Contains reads
// three places, the last one two segments after the first. In a shorter table a lookup
// would panic.
func open(data string) (*Filter, error) {
	broken := errors.New("read the list of breached passwords: the filter file is broken: run go generate ./internal/breach")
	if len(data) <= tableAt {
		return nil, broken
	}
	at := func(place int) int { return int(binary.LittleEndian.Uint32([]byte(data[place : place+4]))) }
	length := at(segmentCountLengthAt) + 2*at(segmentLengthAt)
	if length != at(tableLengthAt) || 2*length != len(data)-tableAt {
		return nil, broken
	}
	return &Filter{sync.OnceValue(func() *xorfilter.BinaryFuse[uint16] {
		fuse, err := xorfilter.LoadBinaryFuse[uint16](strings.NewReader(data))
		if err != nil {
			panic(err) // the table has its length
		}
		return fuse
	})}, nil
}

// Contains reports whether the password is on the list in any letter case.
// Unicode forms that look the same are the same (NFC).
func (f *Filter) Contains(password string) bool { return f.fuse().Contains(Key(password)) }

// Key is the number that stands for a password in the filter: FNV-1a of its
// lower-case NFC form. The filter mixes the bits further. The hash protects
// nothing and need not.
func Key(password string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(norm.NFC.String(password))))
	return h.Sum64()
}

package brand

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

var (
	errNotWOFF2 = errors.New("is not a WOFF2 font: convert it, for example with woff2_compress")
	errBroken   = errors.New("is a damaged font: convert it again")
)

// maxUnpacked limits what a compressed font may become, in bytes.
const maxUnpacked = 16 << 20

// tables are the tables of a font by tag.
type tables struct {
	data        map[string][]byte
	transformed map[string]bool
}

// knownTags are the tags that WOFF2 writes as a number (W3C WOFF2, 4.1).
var knownTags = strings.Split("cmap|head|hhea|hmtx|maxp|name|OS/2|post|cvt |fpgm|glyf|loca|prep|CFF |VORG|EBDT|EBLC|gasp|hdmx|kern|LTSH|PCLT|VDMX|vhea|vmtx|BASE|GDEF|GPOS|GSUB|EBSC|JSTF|MATH|CBDT|CBLC|COLR|CPAL|SVG |sbix|acnt|avar|bdat|bloc|bsln|cvar|fdsc|feat|fmtx|fvar|gvar|hsty|just|lcar|mort|morx|opbd|prop|trak|Zapf|Silf|Glat|Gloc|Feat|Sill", "|")

// readWOFF2 unpacks a WOFF2 file with one font (W3C WOFF2, 4 and 5).
func readWOFF2(data []byte) (tables, error) {
	const header = 48
	if len(data) < header || string(data[:4]) != "wOF2" || string(data[4:8]) == "ttcf" {
		return tables{}, errNotWOFF2
	}
	r := bytes.NewReader(data[header:])
	type entry struct {
		tag         string
		length      int
		transformed bool
	}
	var list []entry
	total := 0
	for range binary.BigEndian.Uint16(data[12:]) {
		e := entry{}
		flags, err := r.ReadByte()
		if err != nil {
			return tables{}, errBroken
		}
		if n := int(flags & 0x3f); n < len(knownTags) {
			e.tag = knownTags[n]
		} else {
			tag := make([]byte, 4)
			if _, err := io.ReadFull(r, tag); err != nil {
				return tables{}, errBroken
			}
			e.tag = string(tag)
		}
		version := flags >> 6
		outline := e.tag == "glyf" || e.tag == "loca"
		e.transformed = outline != (version != 0) // version 0 transforms these two, and 3 does not
		if e.length, err = readBase128(r); err == nil && e.transformed {
			e.length, err = readBase128(r)
		}
		if total += e.length; err != nil || total > maxUnpacked {
			return tables{}, errBroken
		}
		list = append(list, e)
	}
	all, err := io.ReadAll(io.LimitReader(brotli.NewReader(io.LimitReader(r, int64(binary.BigEndian.Uint32(data[20:])))), maxUnpacked))
	if err != nil || len(all) < total {
		return tables{}, errBroken
	}
	t := tables{data: map[string][]byte{}, transformed: map[string]bool{}}
	for _, e := range list {
		t.data[e.tag], all = all[:e.length], all[e.length:]
		t.transformed[e.tag] = e.transformed
	}
	return t, nil
}

// readBase128 reads a UIntBase128 (W3C WOFF2, 4.1).
func readBase128(r io.ByteReader) (int, error) {
	n := 0
	for i := range 5 {
		b, err := r.ReadByte()
		if err != nil || i == 0 && b == 0x80 || n > maxUnpacked {
			return 0, errBroken
		}
		n = n<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errBroken
}

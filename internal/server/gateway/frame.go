package gateway

import "encoding/binary"

// Why Portico ends a WebSocket: status codes of RFC 6455 7.4. Codes from 4000
// are private; these end in the corresponding HTTP status.
const (
	closeGoingAway = 1001 // Portico stops; connect again
	closeSignedOut = 4401
	closeForbidden = 4403
)

// closeFrame returns the Close frame of one direction (RFC 6455 5.5.1). A frame
// to a server must be masked. The mask is zero: masks protect caches from text
// that scripts choose, and this text is fixed.
func closeFrame(code uint16, reason string, masked bool) []byte {
	length := byte(2 + len(reason)) // at most 125, because the reasons are short codes
	frame := []byte{0x88, length}
	if masked {
		frame = []byte{0x88, 0x80 | length, 0, 0, 0, 0}
	}
	return append(binary.BigEndian.AppendUint16(frame, code), reason...)
}

// frames finds the boundaries of frames in a byte stream (RFC 6455 5.2). It
// does not interpret their content.
type frames struct {
	header [14]byte // the header of the current frame
	have   int      // bytes of the header read so far
	left   uint64   // bytes of the payload not read yet
}

// between reports whether the stream is between two frames.
func (f *frames) between() bool { return f.have == 0 && f.left == 0 }

// scan processes all of b.
func (f *frames) scan(b []byte) {
	for len(b) > 0 {
		b = b[f.next(b):]
	}
}

// rest processes the part of b that belongs to the current frame, and returns
// its length.
func (f *frames) rest(b []byte) int {
	if f.between() {
		return 0
	}
	return f.next(b)
}

// next processes b up to the end of a frame.
func (f *frames) next(b []byte) (n int) {
	for n < len(b) && f.left == 0 {
		f.header[f.have] = b[n]
		f.have++
		n++
		if f.have >= 2 && f.have == f.headerLength() {
			f.left = f.payload()
			f.have = 0
			if f.left == 0 {
				return n
			}
		}
	}
	payload := min(uint64(len(b)-n), f.left)
	f.left -= payload
	return n + int(payload)
}

func (f *frames) headerLength() int {
	n := 2
	switch f.header[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if f.header[1]&0x80 != 0 {
		n += 4
	}
	return n
}

func (f *frames) payload() uint64 {
	switch short := f.header[1] & 0x7f; short {
	case 126:
		return uint64(binary.BigEndian.Uint16(f.header[2:]))
	case 127:
		return binary.BigEndian.Uint64(f.header[2:])
	default:
		return uint64(short)
	}
}

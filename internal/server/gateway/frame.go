package gateway

import "encoding/binary"

// Why a WebSocket is ended: status codes of RFC 6455 7.4. Those of 4000 and more
// are ours to give a meaning; these have that of the HTTP status in their end.
const (
	closeGoingAway = 1001 // Portico stops: connect again
	closeSignedOut = 4401
	closeForbidden = 4403
)

// closeFrame returns the frame that ends one direction (RFC 6455 5.5.1). What
// goes to a server is masked; by zeros, which change nothing: masks keep scripts
// from choosing what caches on the way see, and this text is ours.
func closeFrame(code uint16, reason string, masked bool) []byte {
	length := byte(2 + len(reason)) // at most 125: the reasons are codes
	frame := []byte{0x88, length}
	if masked {
		frame = []byte{0x88, 0x80 | length, 0, 0, 0, 0}
	}
	return append(binary.BigEndian.AppendUint16(frame, code), reason...)
}

// frames finds out where the frames in a stream of bytes begin and end (RFC 6455
// 5.2). It understands nothing else of them.
type frames struct {
	header [14]byte // of the frame under way
	have   int      // bytes of it that have come
	left   uint64   // bytes of its payload that are still to come
}

// between reports whether one frame is over and the next one has not begun.
func (f *frames) between() bool { return f.have == 0 && f.left == 0 }

// scan takes note of all of b.
func (f *frames) scan(b []byte) {
	for len(b) > 0 {
		b = b[f.next(b):]
	}
}

// rest takes note of what in b belongs to the frame under way, and returns how
// many bytes that is.
func (f *frames) rest(b []byte) int {
	if f.between() {
		return 0
	}
	return f.next(b)
}

// next takes note of b up to the end of one frame.
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

// Package ids makes the identifiers of stored things: unguessable, without
// meaning, safe in URLs and file names. An identifier is not a secret;
// internal/secret makes secrets.
package ids

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"time"
)

const size = 16 // bytes: 128 bits

// Length of an identifier in characters.
const Length = 26

var encoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns 128 random bits as 26 lower-case characters (Crockford's
// alphabet, without i, l, o and u).
func New() string {
	var b [size]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails: it ends the process instead
	return encoding.EncodeToString(b[:])
}

// NewAt returns the time in milliseconds and 80 random bits. Such identifiers
// sort by time, so that an index of very many grows at its end (the idea of RFC
// 9562 5.7). Use it for rows that are only added: it reveals when that was.
func NewAt(t time.Time) string {
	var b [size]byte
	_, _ = rand.Read(b[6:])
	ms := uint64(t.UnixMilli())
	binary.BigEndian.PutUint16(b[:2], uint16(ms>>32))
	binary.BigEndian.PutUint32(b[2:6], uint32(ms))
	return encoding.EncodeToString(b[:])
}

// Valid reports whether s has the form of an identifier. Handlers use it to
// refuse garbage before it reaches the store.
func Valid(s string) bool {
	if len(s) != Length {
		return false
	}
	b, err := encoding.DecodeString(s)
	return err == nil && encoding.EncodeToString(b) == s // the decoder ignores line ends
}

package flow

import (
	"encoding/binary"
	"errors"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Sent says when a browser was sent to the sign-in page, and when the user of its session had
// last signed in. That time is zero without a session.
type Sent struct {
	At         time.Time
	SignedInAt time.Time
}

// Anew reports whether a sign-in at a time came after the browser was sent. Another node may
// have recorded the sign-in, so its time may be the earlier one.
func (s Sent) Anew(at time.Time) bool {
	return !at.Equal(s.SignedInAt) && !at.Before(s.At.Add(-2*clock.Uncorrected))
}

// Mark returns a value that only this installation can make, for one text and this
// moment. An authorization request carries it through the sign-in page. signedInAt is the
// time of the last sign-in in the browser, or zero.
func (f *Flows) Mark(text string, signedInAt time.Time) string {
	data := binary.BigEndian.AppendUint64(nil, uint64(f.clock.Now().UnixMicro()))
	data = binary.BigEndian.AppendUint64(data, uint64(signedInAt.UnixMicro()))
	return secret.Encode(f.marks.Seal(data, text))
}

// markLife is how long a mark counts.
const markLife = time.Hour

var errMark = errors.New("the mark is of another text, or too old")

// Marked returns what Mark put into a value for the text, or an error.
func (f *Flows) Marked(text, mark string) (Sent, error) {
	sealed, ok := secret.Decode(mark)
	if !ok {
		return Sent{}, errMark
	}
	data, err := f.marks.Open(sealed, text)
	if err != nil || len(data) != 16 {
		return Sent{}, errMark
	}
	sent := Sent{At: unixMicro(data[:8]), SignedInAt: unixMicro(data[8:])}
	if f.clock.Now().Sub(sent.At) > markLife {
		return Sent{}, errMark
	}
	return sent, nil
}

func unixMicro(data []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(data)))
}

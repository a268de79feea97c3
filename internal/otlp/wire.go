package otlp

import "encoding/binary"

// message is a protobuf message that is being written: the few kinds of fields
// that OTLP has. A field of value zero is left out, as proto3 wants it.
type message []byte

// Wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m *message) tag(field, wire uint64) { *m = binary.AppendUvarint(*m, field<<3|wire) }

func (m *message) number(field, v uint64) {
	if v != 0 {
		m.tag(field, wireVarint)
		*m = binary.AppendUvarint(*m, v)
	}
}

func (m *message) fixed64(field, v uint64) {
	if v != 0 {
		m.tag(field, wireFixed64)
		*m = binary.LittleEndian.AppendUint64(*m, v)
	}
}

func (m *message) fixed32(field uint64, v uint32) {
	if v != 0 {
		m.tag(field, wireFixed32)
		*m = binary.LittleEndian.AppendUint32(*m, v)
	}
}

func (m *message) text(field uint64, s string) {
	if s != "" {
		m.bytes(field, []byte(s))
	}
}

// bytes writes the field even when it is empty, as a part of another message is.
func (m *message) bytes(field uint64, b []byte) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

// part writes a message within the message.
func (m *message) part(field uint64, fill func(*message)) {
	var inner message
	fill(&inner)
	m.bytes(field, inner)
}

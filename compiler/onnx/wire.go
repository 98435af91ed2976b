package onnx

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message: its number and its payload by wire type.
type field struct {
	num    protowire.Number
	kind   protowire.Type
	bytes  []byte // of a length-delimited field
	scalar uint64 // of any other
}

// message is a stretch of the file being decoded, with the path to it.
type message struct {
	d     *decoder
	body  []byte
	path  string
	depth int
}

// decoder holds what all messages of a file share.
type decoder struct {
	file   []byte
	limits Limits
}

// offset is the place of b, a part of the file, for messages.
func (m message) offset(b []byte) int {
	return cap(m.d.file) - cap(b)
}

func (m message) fail(format string, args ...any) error {
	return errorAt(m.path, "%s (near byte %d)", fmt.Sprintf(format, args...), m.offset(m.body))
}

// child opens the payload of a field as a message.
func (m message) child(f field, name string) (message, error) {
	c := message{m.d, f.bytes, m.path + "." + name, m.depth + 1}
	if m.path == "" {
		c.path = name
	}
	if f.kind != protowire.BytesType {
		return c, m.fail("field %s has wire type %d, want a message", name, f.kind)
	}
	if c.depth > m.d.limits.Depth {
		return c, c.fail("messages nest deeper than %d", m.d.limits.Depth)
	}
	return c, nil
}

// fields visits every field in order. Groups, an encoding that nobody writes
// any more, are skipped whole.
func (m message) fields(visit func(f field) error) error {
	b := m.body
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errorAt(m.path, "byte %d is not a protobuf field: %v", m.offset(b), protowire.ParseError(n))
		}
		f := field{num: num, kind: kind}
		rest := b[n:]
		switch kind {
		case protowire.VarintType:
			f.scalar, n = protowire.ConsumeVarint(rest)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(rest)
			f.scalar = uint64(v)
		case protowire.Fixed64Type:
			f.scalar, n = protowire.ConsumeFixed64(rest)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(rest)
		default:
			n = protowire.ConsumeFieldValue(num, kind, rest)
			f.kind = -1
		}
		if n < 0 {
			return errorAt(m.path, "field %d at byte %d is cut short or malformed: %v", num, m.offset(b), protowire.ParseError(n))
		}
		b = rest[n:]
		if f.kind < 0 {
			continue
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// ints appends an integer field, packed or not.
func (m message) ints(f field, to *[]int64) error {
	if f.kind == protowire.VarintType {
		*to = append(*to, int64(f.scalar))
		return nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return m.fail("a list of integers is malformed")
		}
		*to = append(*to, int64(v))
		b = b[n:]
	}
	return nil
}

// floats appends a float field, packed or not.
func (m message) floats(f field, to *[]float32) error {
	if f.kind == protowire.Fixed32Type {
		*to = append(*to, math.Float32frombits(uint32(f.scalar)))
		return nil
	}
	if len(f.bytes)%4 != 0 {
		return m.fail("a list of floats is malformed")
	}
	for b := f.bytes; len(b) > 0; b = b[4:] {
		v, _ := protowire.ConsumeFixed32(b)
		*to = append(*to, math.Float32frombits(v))
	}
	return nil
}

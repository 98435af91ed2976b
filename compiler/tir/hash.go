package tir

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sort"

	"hone/compiler/dtype"
)

// HashVersion is the first byte of the canonical form. It changes when the form
// does, and with it every hash.
const HashVersion = 1

// Hash is the identity of f as a workload: SHA-256 over a canonical byte form
// in which variables and buffers are numbers in order of first appearance,
// names (of variables, buffers and blocks) are gone and attributes are sorted.
// The global symbol does not count. Structurally equal functions that differ at
// most in their symbol hash alike, on every platform.
func Hash(f *PrimFunc) [32]byte {
	h := newHasher()
	h.function(f, AttrGlobalSymbol)
	return sha256.Sum256(h.buf)
}

// Structure is what functions that differ in extents, and in other whole numbers,
// have in common: Hash with every integer left out but truth values. A schedule of one may be
// repaired to fit the others.
func Structure(f *PrimFunc) [32]byte {
	h := newHasher()
	h.loose = true
	h.function(f, AttrGlobalSymbol)
	return sha256.Sum256(h.buf)
}

// HashNamed is Hash with the global symbol.
func HashNamed(f *PrimFunc) [32]byte {
	h := newHasher()
	h.function(f, "")
	return sha256.Sum256(h.buf)
}

// Hash covers the functions of m with their names, and its attributes.
func (m *Module) Hash() [32]byte {
	h := newHasher()
	h.annotations(m.Attrs, "")
	if len(m.Infos) > 0 {
		h.annotations(m.Infos, "")
	}
	h.num(uint64(len(m.Funcs)))
	for _, f := range m.Funcs {
		h.text(f.Name)
		sum := HashNamed(f)
		h.buf = append(h.buf, sum[:]...)
	}
	return sha256.Sum256(h.buf)
}

// hasher appends the canonical form to buf: a tag byte per node, then its
// fields; integers are varints, lists carry their length.
type hasher struct {
	buf   []byte
	ids   map[any]uint64
	loose bool // integers do not count
}

func newHasher() *hasher {
	return &hasher{buf: append(make([]byte, 0, 2048), HashVersion), ids: make(map[any]uint64, 32)}
}

func (h *hasher) tag(b byte)   { h.buf = append(h.buf, b) }
func (h *hasher) num(n uint64) { h.buf = binary.AppendUvarint(h.buf, n) }
func (h *hasher) text(s string) {
	h.num(uint64(len(s)))
	h.buf = append(h.buf, s...)
}

func (h *hasher) dtype(t dtype.DType) {
	h.buf = append(h.buf, byte(t.Code), t.Bits)
	h.num(uint64(t.Lanes))
}

func (h *hasher) float(v float64) {
	if math.IsNaN(v) {
		v = math.NaN()
	}
	h.buf = binary.LittleEndian.AppendUint64(h.buf, math.Float64bits(v))
}

// variable appends the number of v, and its type when it is met first.
func (h *hasher) variable(v *Var) {
	if id, ok := h.ids[v]; ok {
		h.tag('v')
		h.num(id)
		return
	}
	h.ids[v] = uint64(len(h.ids))
	h.tag('V')
	h.dtype(v.Type)
	if v.Ptr != nil {
		h.tag('*')
		h.dtype(v.Ptr.Elem)
		h.text(v.Ptr.Scope)
	}
}

// buffer appends the number of b, and what it is when it is met first.
func (h *hasher) buffer(b *Buffer) {
	if id, ok := h.ids[b]; ok {
		h.tag('b')
		h.num(id)
		return
	}
	h.tag('B')
	h.dtype(b.Type)
	h.text(scopeOf(b))
	h.exprs(b.Shape)
	h.exprs(b.Strides)
	h.exprs(offsetOf(b))
	h.num(uint64(alignOf(b)))
	h.num(uint64(max(b.OffsetFactor, 1)))
	if b.Scalar {
		h.tag('1')
	}
	h.ids[b] = uint64(len(h.ids))
}

func (h *hasher) function(f *PrimFunc, without string) {
	h.annotations(f.Attrs, without)
	h.num(uint64(len(f.Params)))
	for _, p := range f.Params {
		switch p := p.(type) {
		case *Buffer:
			h.buffer(p)
		case *Var:
			h.variable(p)
		}
	}
	h.dtype(f.Ret)
	h.stmt(f.Body)
}

func (h *hasher) annotations(a Annotations, without string) {
	n := 0
	for _, x := range a {
		if x.Key != without {
			n++
		}
	}
	h.num(uint64(n))
	for _, x := range a {
		if x.Key != without {
			h.text(x.Key)
			h.value(x.Value)
		}
	}
}

func (h *hasher) value(v any) {
	switch v := PlainValue(v).(type) {
	case nil:
		h.tag('0')
	case bool:
		h.tag('?')
		if v {
			h.tag(1)
		} else {
			h.tag(0)
		}
	case int64:
		h.tag('i')
		h.buf = binary.AppendVarint(h.buf, v)
	case float64:
		h.tag('f')
		h.float(v)
	case string:
		h.tag('s')
		h.text(v)
	case []any:
		h.tag('[')
		h.num(uint64(len(v)))
		for _, x := range v {
			h.value(x)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		h.tag('{')
		h.num(uint64(len(keys)))
		for _, k := range keys {
			h.text(k)
			h.value(v[k])
		}
	case *IndexMap:
		h.tag('m')
		h.num(uint64(len(v.Initial)))
		for _, x := range v.Initial {
			h.variable(x)
		}
		h.exprs(v.Final)
	case GlobalInfo:
		h.tag('g')
		h.text(v.Kind)
		h.value(v.Args)
	case Target:
		h.tag('t')
		h.value(v.Config)
	case Expr:
		h.tag('e')
		h.expr(v)
	default:
		panic("BUG: annotation value of an unknown type")
	}
}

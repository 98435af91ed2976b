package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

const magic = "\x93NUMPY"

// maxHeader bounds the header; NumPy's own are a hundred bytes.
const maxHeader = 64 << 10

// maxBytes bounds an array, against headers that promise the impossible.
const maxBytes = 1 << 38

// descrs maps element types to NumPy's descriptions. bfloat16 has none and is
// written as the uint16 of its bits.
var descrs = map[dtype.DType]string{
	dtype.BoolType: "|b1", dtype.Int8: "|i1", dtype.Int16: "<i2", dtype.Int32: "<i4", dtype.Int64: "<i8",
	dtype.UInt8: "|u1", dtype.UInt16: "<u2", dtype.UInt32: "<u4", dtype.UInt64: "<u8",
	dtype.Float16: "<f2", dtype.Float32: "<f4", dtype.Float64: "<f8", dtype.BFloat16: "<u2",
}

var kinds = map[byte]dtype.Code{'b': dtype.Bool, 'i': dtype.Int, 'u': dtype.UInt, 'f': dtype.Float}

// Write writes a tensor in format version 1.0.
func Write(w io.Writer, t *dtype.Tensor) error {
	descr, ok := descrs[t.Type]
	if !ok {
		return fmt.Errorf("npy: %s has no NumPy type", t.Type)
	}
	if err := t.CheckBytes(); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = strconv.FormatInt(d, 10)
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	// Magic, version, length and header together are a multiple of 64 bytes.
	pad := 63 - (len(magic)+4+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write([]byte{1, 0})
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(t.Data)
	return err
}

// Read reads one array. Big-endian and Fortran-ordered arrays are converted.
func Read(r io.Reader) (*dtype.Tensor, error) {
	header, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	h, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	t := &dtype.Tensor{Type: h.elem, Shape: h.shape}
	size, err := byteSize(h)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	// Grow with what arrives: a header alone must not allocate gigabytes.
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, size))
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if n != size {
		return nil, fmt.Errorf("npy: %s%v needs %d bytes, %d are there", h.elem, h.shape, size, n)
	}
	// An archive checks its sums where a member ends. What follows may be endless.
	switch _, err := io.ReadFull(r, make([]byte, 1)); err {
	case io.EOF:
	case nil:
		return nil, fmt.Errorf("npy: more follows the %d bytes of %s%v", size, h.elem, h.shape)
	default:
		return nil, fmt.Errorf("npy: %w", err)
	}
	t.Data = b.Bytes()
	if h.big {
		swap(t.Data, h.elem.Bytes())
	}
	if h.fortran && len(h.shape) > 1 {
		t = fromFortran(t)
	}
	return t, nil
}

func readHeader(r io.Reader) (string, error) {
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil || string(fixed[:6]) != magic {
		return "", fmt.Errorf("not a NumPy array file")
	}
	var n int
	switch fixed[6] {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return "", err
		}
		n = int(binary.LittleEndian.Uint16(b[:]))
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return "", err
		}
		n = int(binary.LittleEndian.Uint32(b[:]))
	default:
		return "", fmt.Errorf("unknown format version %d.%d", fixed[6], fixed[7])
	}
	if n > maxHeader {
		return "", fmt.Errorf("a header of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", fmt.Errorf("the header is cut short")
	}
	return string(b), nil
}

type header struct {
	elem    dtype.DType
	big     bool
	fortran bool
	shape   []int64
}

var (
	descrRE   = regexp.MustCompile(`'descr':\s*'([<>|=]?)([a-zA-Z])(\d+)'`)
	fortranRE = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shapeRE   = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

func parseHeader(s string) (header, error) {
	var h header
	d, f, sh := descrRE.FindStringSubmatch(s), fortranRE.FindStringSubmatch(s), shapeRE.FindStringSubmatch(s)
	if d == nil || f == nil || sh == nil {
		return h, fmt.Errorf("unreadable header %.80q", s)
	}
	bytes, err := strconv.Atoi(d[3])
	code, ok := kinds[d[2][0]]
	if h.elem = (dtype.DType{Code: code, Bits: uint8(bytes * 8), Lanes: 1}); err != nil || !ok || bytes > 8 || descrs[h.elem] == "" {
		return h, fmt.Errorf("element type %q is not supported", d[1]+d[2]+d[3])
	}
	h.big = d[1] == ">" && bytes > 1
	h.fortran = f[1] == "True"
	h.shape = []int64{}
	for _, part := range strings.Split(sh[1], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(part, "L"), 10, 64)
		if err != nil || n < 0 {
			return h, fmt.Errorf("%q is not a dimension", part)
		}
		h.shape = append(h.shape, n)
	}
	return h, nil
}

func byteSize(h header) (int64, error) {
	n := int64(h.elem.Bytes())
	for _, d := range h.shape {
		if d > 0 && n > maxBytes/d {
			return 0, fmt.Errorf("the shape %v is too large", h.shape)
		}
		n *= d
	}
	return n, nil
}

// swap reverses the bytes of every element.
func swap(b []byte, width int) {
	for i := 0; i+width <= len(b); i += width {
		for j, k := i, i+width-1; j < k; j, k = j+1, k-1 {
			b[j], b[k] = b[k], b[j]
		}
	}
}

// fromFortran turns column-major elements into row-major ones.
func fromFortran(t *dtype.Tensor) *dtype.Tensor {
	out := dtype.NewTensor(t.Type, t.Shape...)
	width := int64(t.Type.Bytes())
	idx := make([]int64, len(t.Shape))
	for i := range int64(out.Len()) {
		src, stride := int64(0), int64(1)
		for d, n := range t.Shape {
			src += idx[d] * stride
			stride *= n
		}
		copy(out.Data[i*width:(i+1)*width], t.Data[src*width:(src+1)*width])
		for d := len(idx) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < t.Shape[d] {
				break
			}
			idx[d] = 0
		}
	}
	return out
}

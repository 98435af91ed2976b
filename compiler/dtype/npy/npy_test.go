package npy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hone/compiler/dtype"
)

func numbered(t dtype.DType, shape ...int64) *dtype.Tensor {
	x := dtype.NewTensor(t, shape...)
	for i := range x.Len() {
		x.SetInt(i, int64(i%2))
		if !t.IsBool() {
			x.SetInt(i, int64(i))
		}
	}
	return x
}

func equal(a, b *dtype.Tensor) bool {
	return a.Type == b.Type && slices.Equal(a.Shape, b.Shape) && bytes.Equal(a.Data, b.Data)
}

func TestRoundTrip(t *testing.T) {
	for d := range descrs {
		if d == dtype.BFloat16 {
			continue // written as uint16
		}
		for _, shape := range [][]int64{{}, {3}, {2, 3}, {0, 4}, {2, 1, 3}} {
			x := numbered(d, shape...)
			var b bytes.Buffer
			if err := Write(&b, x); err != nil {
				t.Fatal(err)
			}
			if i := bytes.IndexByte(b.Bytes(), '\n'); (i+1)%64 != 0 {
				t.Errorf("data of %s%v begin at byte %d", d, shape, i+1)
			}
			y, err := Read(&b)
			if err != nil || !equal(x, y) {
				t.Errorf("%s%v came back as %v, %v", d, shape, y, err)
			}
		}
	}
}

// The bytes that NumPy 1.26 writes for np.array([[1, 2, 3], [4, 5, 6]]) of
// different types and orders.
func TestReadsWhatNumPyWrites(t *testing.T) {
	head := func(version, descr, fortran string) []byte {
		h := "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (2, 3), }"
		h += strings.Repeat(" ", 117-len(h)) + "\n"
		if version == "1" {
			return append([]byte("\x93NUMPY\x01\x00v\x00"), h...)
		}
		return append([]byte("\x93NUMPY\x02\x00v\x00\x00\x00"), h...)
	}
	want := dtype.NewTensor(dtype.Int16, 2, 3)
	for i := range 6 {
		want.SetInt(i, int64(i+1))
	}
	for _, c := range []struct{ version, descr, fortran, data string }{
		{"1", "<i2", "False", "010002000300040005000600"},
		{"2", ">i2", "False", "000100020003000400050006"},
		{"1", "<i2", "True", "010004000200050003000600"},
	} {
		data, _ := hex.DecodeString(c.data)
		got, err := Read(bytes.NewReader(append(head(c.version, c.descr, c.fortran), data...)))
		if err != nil || !equal(got, want) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

func TestMalformedFilesAreErrors(t *testing.T) {
	var good bytes.Buffer
	if err := Write(&good, numbered(dtype.Float32, 2, 3)); err != nil {
		t.Fatal(err)
	}
	g := good.String()
	for _, c := range []struct{ text, want string }{
		{"", "not a NumPy array file"},
		{"PK\x03\x04 and more", "not a NumPy array file"},
		{g[:40], "header is cut short"},
		{g[:140], "needs 24 bytes, 12 are there"},
		{strings.Replace(g, "<f4", "<c8", 1), "not supported"},
		{strings.Replace(g, "<f4", "|O4", 1), "not supported"},
		{strings.Replace(g, "(2, 3)", "(-2,3)", 1), "not a dimension"},
		{strings.Replace(g, "(2, 3), } ", "(99999999999,9) } ", 1), "too large"},
		{strings.Replace(g, "shape", "shipe", 1), "unreadable header"},
		{"\x93NUMPY\x09\x00" + g[8:], "unknown format version"},
	} {
		if _, err := Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// endless counts what is read of zeros that never end.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.n += int64(len(p))
	if e.n > 1<<20 {
		return 0, errors.New("far too much is read")
	}
	clear(p)
	return len(p), nil
}

// TestReadsNoMoreThanTheShapeSays: a small archive can unpack to any size.
func TestReadsNoMoreThanTheShapeSays(t *testing.T) {
	var good bytes.Buffer
	if err := Write(&good, numbered(dtype.Float32, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(io.MultiReader(&good, &endless{})); err == nil || err.Error() != "npy: more follows the 24 bytes of float32[2 3]" {
		t.Errorf("got %v", err)
	}
}

func TestZip(t *testing.T) {
	arrays := map[string]*dtype.Tensor{"x": numbered(dtype.Float32, 2, 3), "mask/1": numbered(dtype.BoolType, 4)}
	var b bytes.Buffer
	if err := WriteZip(&b, arrays); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAny(path)
	if err != nil || len(got) != 2 || !equal(got["x"], arrays["x"]) || !equal(got["mask/1"], arrays["mask/1"]) {
		t.Errorf("got %v, %v", got, err)
	}
	single := filepath.Join(t.TempDir(), "b.npy")
	if err := WriteFile(single, arrays["x"]); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAny(single); err != nil || !equal(got["b"], arrays["x"]) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ReadAny("c.txt"); err == nil {
		t.Error("a .txt file was accepted")
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, numbered(dtype.Float32, 2, 3)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := Read(bytes.NewReader(data)); err == nil && x.CheckBytes() != nil {
			t.Errorf("read %s%v with %d bytes", x.Type, x.Shape, len(x.Data))
		}
	})
}

package pack

import (
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func newMap(n int, f func(i []tir.Expr) []tir.Expr) *tir.IndexMap {
	m := &tir.IndexMap{}
	var args []tir.Expr
	for k := range n {
		v := tir.NewVar(string(rune('i'+k)), dtype.Int32)
		m.Initial = append(m.Initial, v)
		args = append(args, v)
	}
	m.Final = f(args)
	return m
}

func iota(t dtype.DType, shape ...int64) *dtype.Tensor {
	x := dtype.NewTensor(t, shape...)
	for i := range x.Len() {
		x.SetInt(i, int64(i+1))
	}
	return x
}

func div(e tir.Expr, k int64) tir.Expr { return tir.FloorDiv(e, tir.Int(k)) }
func mod(e tir.Expr, k int64) tir.Expr { return tir.FloorMod(e, tir.Int(k)) }

// TestTensor compares packing with the definition, element by element, and
// takes the result back.
func TestTensor(t *testing.T) {
	for _, c := range []struct {
		name     string
		shape    []int64
		physical []int64
		m        *tir.IndexMap
		ref      func(i []int64) []int64
	}{
		{"transpose", []int64{3, 5}, []int64{5, 3}, newMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{i[1], i[0]} }),
			func(i []int64) []int64 { return []int64{i[1], i[0]} }},
		{"tiles", []int64{8, 12}, []int64{3, 2, 4, 4}, newMap(2, func(i []tir.Expr) []tir.Expr {
			return []tir.Expr{div(i[1], 4), div(i[0], 4), mod(i[0], 4), mod(i[1], 4)}
		}), func(i []int64) []int64 { return []int64{i[1] / 4, i[0] / 4, i[0] % 4, i[1] % 4} }},
		{"padded", []int64{7, 5}, []int64{2, 5, 4}, newMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{div(i[0], 4), i[1], mod(i[0], 4)} }),
			func(i []int64) []int64 { return []int64{i[0] / 4, i[1], i[0] % 4} }},
		{"mixed", []int64{4, 6}, []int64{3, 8}, newMap(2, func(i []tir.Expr) []tir.Expr {
			flat := tir.Add(tir.Mul(i[0], tir.Int(6)), i[1])
			return []tir.Expr{div(flat, 8), mod(flat, 8)}
		}), func(i []int64) []int64 { f := i[0]*6 + i[1]; return []int64{f / 8, f % 8} }},
		{"reversed", []int64{6}, []int64{6}, newMap(1, func(i []tir.Expr) []tir.Expr { return []tir.Expr{tir.Sub(tir.Int(5), i[0])} }),
			func(i []int64) []int64 { return []int64{5 - i[0]} }},
		{"skewed", []int64{4, 4}, []int64{4, 4}, newMap(2, func(i []tir.Expr) []tir.Expr {
			return []tir.Expr{i[0], mod(tir.Add(i[0], i[1]), 4)}
		}), func(i []int64) []int64 { return []int64{i[0], (i[0] + i[1]) % 4} }},
		{"scalar", nil, nil, newMap(0, func([]tir.Expr) []tir.Expr { return nil }), func([]int64) []int64 { return nil }},
	} {
		for _, typ := range []dtype.DType{dtype.Float32, dtype.Int8, dtype.Float16} {
			x := iota(typ, c.shape...)
			y, err := Tensor(x, c.m, c.physical, 100)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			want := dtype.NewTensor(typ, c.physical...)
			for i := range want.Len() {
				want.SetInt(i, 100)
			}
			idx := make([]int64, len(c.shape))
			for n := range x.Len() {
				for k, r := len(idx)-1, int64(n); k >= 0; k-- {
					idx[k] = r % c.shape[k]
					r /= c.shape[k]
				}
				flat := int64(0)
				for k, i := range c.ref(idx) {
					flat = flat*c.physical[k] + i
				}
				want.SetInt(int(flat), x.Int(n))
			}
			if string(y.Data) != string(want.Data) {
				t.Errorf("%s %s: got %v, want %v", c.name, typ, y.Int64s(), want.Int64s())
			}
			if back, err := Inverse(y, c.m, c.shape); err != nil || string(back.Data) != string(x.Data) {
				t.Errorf("%s %s: came back as %v (%v)", c.name, typ, back.Int64s(), err)
			}
		}
		if got, err := Shape(c.m, c.shape); err != nil || len(got) != len(c.physical) {
			t.Errorf("%s: shape %v, %v", c.name, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	x := iota(dtype.Float32, 4, 4)
	free := tir.NewVar("z", dtype.Int32)
	for _, c := range []struct {
		name     string
		physical []int64
		m        *tir.IndexMap
		want     string
	}{
		{"rank", []int64{16}, newMap(1, func(i []tir.Expr) []tir.Expr { return i }), "1 to 1 indices cannot lay shape [4 4] out"},
		{"outside", []int64{4, 3}, newMap(2, func(i []tir.Expr) []tir.Expr { return i }), "sends [0 3] to 3 in dimension 1 of size 3"},
		{"negative", []int64{4, 4}, newMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{i[0], tir.Sub(i[1], tir.Int(1))} }), "sends [0 0] to -1"},
		{"free", []int64{4, 4}, newMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{i[0], tir.Add(i[1], free)} }), "free variable z"},
		{"huge", []int64{1 << 40, 1 << 40}, newMap(2, func(i []tir.Expr) []tir.Expr { return i }), "too large"},
		{"division", []int64{4, 4}, newMap(2, func(i []tir.Expr) []tir.Expr {
			return []tir.Expr{i[0], tir.NewBinary(tir.OpFloorDiv, i[1], i[0])}
		}), "divides by"},
	} {
		_, err := Tensor(x, c.m, c.physical, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	short := &dtype.Tensor{Type: dtype.Float32, Shape: []int64{4, 4}, Data: make([]byte, 3)}
	if _, err := Tensor(short, newMap(2, func(i []tir.Expr) []tir.Expr { return i }), []int64{4, 4}, 0); err == nil {
		t.Error("a tensor without its bytes was packed")
	}
}

// BenchmarkTensor packs a 1024×1024 weight into 16×64 tiles.
func BenchmarkTensor(b *testing.B) {
	m := newMap(2, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{div(i[1], 64), div(i[0], 16), mod(i[0], 16), mod(i[1], 64)}
	})
	x := dtype.NewTensor(dtype.Float32, 1024, 1024)
	b.SetBytes(int64(len(x.Data)))
	for b.Loop() {
		if _, err := Tensor(x, m, []int64{16, 64, 16, 64}, 0); err != nil {
			b.Fatal(err)
		}
	}
}

package tir

import (
	"testing"

	"hone/compiler/dtype"
)

// spoil returns a matmul after a change that Verify must refuse.
func spoil(change func(f *PrimFunc)) *PrimFunc {
	f := matmul(8)
	change(f)
	return f
}

func TestVerifyRefuses(t *testing.T) {
	i := NewVar("i", dtype.Int32)
	stray := NewStaticBuffer("stray", dtype.Float32, 8)
	store := func(f *PrimFunc) *Store { return firstBlock(f).Block.Body.(*Store) }
	cases := map[string]func(f *PrimFunc){
		`main: block "matmul": buffer stray is not defined here`: func(f *PrimFunc) { store(f).Buffer = stray },
		`main: block "matmul": variable i is not defined here`:   func(f *PrimFunc) { store(f).Indices = []Expr{i, i} },
		`main: block "matmul": C[v_i0]: 1 indices for a buffer of 2 dimensions`: func(f *PrimFunc) {
			s := store(f)
			s.Indices = s.Indices[:1]
		},
		`main: block "matmul": C[v_i0, v_i1] = T.float64(1.0): the store takes float32, the value is float64`: func(f *PrimFunc) {
			store(f).Value = Const(1, dtype.Float64)
		},
		`main: block "matmul": C[v_i0, "1"]: index "1" is str, not a number`: func(f *PrimFunc) {
			store(f).Indices[1] = &StringImm{"1"}
		},
		`main: block "root": block "matmul" has 3 iterators and 2 bindings`: func(f *PrimFunc) {
			r := firstBlock(f)
			r.Values = r.Values[:2]
		},
		`main: block "matmul": variable v_i0 is defined twice`: func(f *PrimFunc) {
			b := firstBlock(f).Block
			b.Iters[1] = b.Iters[0]
		},
		`main: block "root": variable i0 is defined twice`: func(f *PrimFunc) {
			l := firstLoop(f)
			l.Body.(*For).Var = l.Var
		},
		`main: block "matmul": loop variable i0 is used inside a block with iterators`: func(f *PrimFunc) {
			store(f).Indices[0] = firstLoop(f).Var
		},
		`main: block "matmul": read of A[0] has 1 dimensions, the buffer 2`: func(f *PrimFunc) {
			firstBlock(f).Block.Reads = []Region{{f.Buffers()[0], []Range{{Int(0), Int(1)}}}}
		},
		`main: block "root": loop i0 is int32, its min int32 and extent int64`: func(f *PrimFunc) {
			firstLoop(f).Extent = IntOf(8, dtype.Int64)
		},
		`main: block "root": the predicate of block matmul: 1 is int32, not a bool`: func(f *PrimFunc) {
			firstBlock(f).Predicate = Int(1)
		},
		`main: block "root": buffer C is defined twice`: func(f *PrimFunc) {
			r := rootOf(f)
			r.Allocs = append(r.Allocs, r.Allocs[0])
		},
		`main: the body of a schedulable function with blocks must be a root block without iterators, not loop i0`: func(f *PrimFunc) {
			f.Body = firstLoop(f)
		},
		`main: block "matmul": T.Add(v_i0, T.int64(1)): operands are int32 and int64`: func(f *PrimFunc) {
			s := store(f)
			s.Indices[0] = NewBinary(OpAdd, s.Indices[0], IntOf(1, dtype.Int64))
		},
		`main: block "matmul": a sequence of 1 statements; NewSeq makes none`: func(f *PrimFunc) {
			b := firstBlock(f).Block
			b.Body = &Seq{[]Stmt{b.Body}}
		},
		`main: block "matmul": match buffer M is float16, its source A is float32`: func(f *PrimFunc) {
			a := f.Buffers()[0]
			src := Region{a, []Range{{Int(0), Int(1)}, {Int(0), Int(4)}}}
			firstBlock(f).Block.Matches = []MatchRegion{{NewStaticBuffer("M", dtype.Float16, 4), src}}
		},
		`main: block "root": loop i0 is bound to a thread without tag`: func(f *PrimFunc) { firstLoop(f).Kind = ThreadBinding },
		`main: no body`: func(f *PrimFunc) { f.Body = nil },
	}
	for want, change := range cases {
		if err := Verify(spoil(change)); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestVerifyAccepts(t *testing.T) {
	if err := Verify(matmul(8)); err != nil {
		t.Error(err)
	}
	if err := VerifyModule(NewModule(matmul(8))); err != nil {
		t.Error(err)
	}
	// Lowered code may use a variable again after its scope.
	i, a := NewVar("i", dtype.Int32), NewStaticBuffer("A", dtype.Float32, 8)
	l := &For{Var: i, Min: Int(0), Extent: Int(8), Body: &Store{a, F32(0), []Expr{i}}}
	f := &PrimFunc{Name: "f", Ret: dtype.VoidType, Params: []Param{a}, Body: NewSeq(l, l)}
	if err := Verify(f); err != nil {
		t.Error(err)
	}
	f.Attrs = f.Attrs.With(AttrSTIR, true)
	if err := Verify(f); err == nil || err.Error() != "f: variable i is defined twice" {
		t.Errorf("got %v", err)
	}
}

func BenchmarkVerify(b *testing.B) {
	f := matmul(64)
	for b.Loop() {
		if err := Verify(f); err != nil {
			b.Fatal(err)
		}
	}
}

// TestVerifyComputable: what is well formed and nothing can compute is told by
// every part that would have to.
func TestVerifyComputable(t *testing.T) {
	over := NewStaticBuffer("over", dtype.Float32, 3037000500, 3037000500)
	cases := map[string]func(f *PrimFunc){
		"main: buffer A: dimension 1 is -8": func(f *PrimFunc) { f.Buffers()[0].Shape[1] = Int(-8) },
		"main: buffer over of shape (3037000500, 3037000500) has more than 2^63 bytes": func(f *PrimFunc) {
			b := f.Body.(*BlockRealize).Block
			b.Allocs = append(b.Allocs, over)
		},
		"main: index T.float32(1.0) of buffer C is float32": func(f *PrimFunc) { firstBlock(f).Block.Body.(*Store).Indices[1] = F32(1) },
		"main: loop i0 has step -1":                         func(f *PrimFunc) { firstLoop(f).Step = Int(-1) },
		"main: T.Ramp(0, 1, T.vscale() * 4) is int32xvscalex4, a vector of unknown length": func(f *PrimFunc) {
			firstBlock(f).Block.Body = &Evaluate{&Ramp{Int(0), Int(1), dtype.Scalable(4)}}
		},
	}
	for want, change := range cases {
		f := spoil(change)
		if err := Verify(f); err != nil {
			t.Errorf("%s: not well formed: %v", want, err)
		}
		if err := VerifyComputable(f); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if err := VerifyComputable(matmul(8)); err != nil {
		t.Error(err)
	}
	empty := NewStaticBuffer("E", dtype.Float32, 0, 9223372036854775807)
	if err := VerifyComputable(&PrimFunc{Name: "f", Params: []Param{empty}, Body: &Evaluate{Int(0)}}); err != nil {
		t.Error(err)
	}
}

package tir

import (
	"encoding/hex"
	"strings"
	"testing"

	"hone/compiler/dtype"
)

func TestEqualIgnoresNamesOnly(t *testing.T) {
	f, g := matmul(8), matmul(8)
	if d := Diff(f, g); d != "" {
		t.Fatalf("two builds differ: %s", d)
	}
	renamed := matmul(8)
	WalkStmt(renamed.Body, func(s Stmt) bool {
		switch s := s.(type) {
		case *For:
			s.Var.Name = "x"
		case *BlockRealize:
			s.Block.Name = "y"
			for _, b := range s.Block.Allocs {
				b.Name = "z"
			}
		}
		return true
	})
	if d := Diff(f, renamed); d != "" {
		t.Errorf("renaming makes a difference: %s", d)
	}
	if Hash(f) != Hash(renamed) {
		t.Error("renaming changes the hash")
	}
	other := matmul(8)
	other.Attrs = other.Attrs.With(AttrGlobalSymbol, "other")
	if Equal(f, other) || Hash(f) != Hash(other) || HashNamed(f) == HashNamed(other) {
		t.Error("the global symbol must count in Equal and HashNamed, not in Hash")
	}
}

// mutations change one thing each that structural equality must see.
var mutations = map[string]func(f *PrimFunc){
	"extent": func(f *PrimFunc) { firstLoop(f).Extent = Int(9) },
	"kind":   func(f *PrimFunc) { firstLoop(f).Kind = Parallel },
	"type of extent": func(f *PrimFunc) {
		firstLoop(f).Extent = IntOf(8, dtype.Int64)
	},
	"loop annotation": func(f *PrimFunc) { firstLoop(f).Ann = Annotations{}.With("a", 1) },
	"step":            func(f *PrimFunc) { firstLoop(f).Step = Int(1) },
	"block annotation": func(f *PrimFunc) {
		firstBlock(f).Block.Ann = Annotations{}.With("a", []any{1, "x"})
	},
	"predicate":   func(f *PrimFunc) { firstBlock(f).Predicate = False },
	"iter kind":   func(f *PrimFunc) { firstBlock(f).Block.Iters[0].Kind = Opaque },
	"no init":     func(f *PrimFunc) { firstBlock(f).Block.Init = nil },
	"binding":     func(f *PrimFunc) { firstBlock(f).Values[0] = Int(0) },
	"order":       func(f *PrimFunc) { v := firstBlock(f).Values; v[0], v[1] = v[1], v[0] },
	"alloc scope": func(f *PrimFunc) { rootOf(f).Allocs[0].Scope = "local" },
	"alloc align": func(f *PrimFunc) { rootOf(f).Allocs[0].Align = 128 },
	"reads": func(f *PrimFunc) {
		firstBlock(f).Block.Reads = []Region{{f.Buffers()[0], []Range{{Int(0), Int(8)}, {Int(0), Int(8)}}}}
	},
	"param dtype": func(f *PrimFunc) { f.Buffers()[0].Type = dtype.Float64 },
	"attribute":   func(f *PrimFunc) { f.Attrs = f.Attrs.With("x", true) },
	"other buffer": func(f *PrimFunc) {
		a, b := f.Buffers()[0], f.Buffers()[1]
		f.Body = ReplaceBuffers(f.Body, func(x *Buffer) *Buffer {
			if x == b {
				return a
			}
			return x
		})
	},
	"operator": func(f *PrimFunc) {
		w := StmtRewriter{Expr: func(e Expr) Expr {
			return RewriteExpr(e, func(e Expr) Expr {
				if b, ok := e.(*Binary); ok && b.Op == OpMul {
					return NewBinary(OpAdd, b.A, b.B)
				}
				return e
			})
		}}
		f.Body = w.Rewrite(f.Body)
	},
}

func rootOf(f *PrimFunc) *Block { return f.Body.(*BlockRealize).Block }

func firstLoop(f *PrimFunc) *For { return rootOf(f).Body.(*Seq).Stmts[0].(*For) }

func firstBlock(f *PrimFunc) *BlockRealize {
	s := Stmt(firstLoop(f))
	for {
		l, ok := s.(*For)
		if !ok {
			return s.(*BlockRealize)
		}
		s = l.Body
	}
}

func TestEqualAndHashSeeEveryChange(t *testing.T) {
	base := matmul(8)
	for name, change := range mutations {
		f := matmul(8)
		change(f)
		if Diff(base, f) == "" || Diff(f, base) == "" {
			t.Errorf("%s: the change makes no difference", name)
		}
		if Hash(base) == Hash(f) {
			t.Errorf("%s: the change leaves the hash alone", name)
		}
		if d := Diff(f, f); d != "" {
			t.Errorf("%s: a function differs from itself: %s", name, d)
		}
	}
}

func TestDiffSaysWhere(t *testing.T) {
	a, b := matmul(8), matmul(8)
	firstBlock(b).Predicate = False
	got := Diff(a, b)
	want := `in block "root", loop i0, loop i1, loop k0, block "matmul": T.bool(True) (bool) and T.bool(False) (bool)`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := Diff(matmul(8), matmul(16)); !strings.Contains(got, "parameter 0, buffer A: 8 (int32) and 16 (int32)") {
		t.Errorf("got %s", got)
	}
}

func TestHashIsStable(t *testing.T) {
	// A change of this value is a change of every stored workload's identity:
	// raise HashVersion.
	const want = "0768540e97db26b0"
	if got := hashText(matmul(64)); got != want {
		t.Errorf("hash of the matmul workload is %s, want %s", got, want)
	}
}

// TestStructure: extents and other integers do not count, what is computed does.
func TestStructure(t *testing.T) {
	if Structure(matmul(8)) != Structure(matmul(4096)) {
		t.Error("two matrix products have different structures")
	}
	other := matmul(8)
	firstBlock(other).Predicate = False
	halved := matmul(8)
	WalkStmt(halved.Body, func(s Stmt) bool {
		if st, ok := s.(*Store); ok {
			st.Value = Mul(st.Value, F32(0.5))
		}
		return true
	})
	for what, f := range map[string]*PrimFunc{"predicate": other, "factor": halved} {
		if Structure(f) == Structure(matmul(8)) {
			t.Errorf("another %s makes no difference", what)
		}
	}
	if Structure(matmul(8)) == Hash(matmul(8)) {
		t.Error("the structure is the hash")
	}
}

func BenchmarkHash(b *testing.B) {
	f := matmul(64)
	for b.Loop() {
		Hash(f)
	}
}

func hashText(f *PrimFunc) string {
	h := Hash(f)
	return hex.EncodeToString(h[:8])
}

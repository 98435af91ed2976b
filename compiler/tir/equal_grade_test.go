package tir_test

import (
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

const gradeFunc = `@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), I: T.Buffer((64,), "int32"), C: T.Buffer((64, 64), "float32"), n: T.int32):
    for i, j in T.grid(8, 70):
        with T.sblock("C"):
            vi = T.axis.spatial(64, BIND)
            vj = T.axis.spatial(64, j)
            T.where(PRED)
            T.reads(A[0:64, 0:64], I[0:64])
            T.writes(C[vi, vj])
            C[vi, vj] = VALUE
`

func gradeCase(t *testing.T, text string) *tir.PrimFunc {
	t.Helper()
	parts := strings.Split(text, ";")
	r := strings.NewReplacer("BIND", parts[0], "PRED", parts[1], "VALUE", parts[2])
	f, err := tvmscript.ParseFunc(r.Replace(gradeFunc))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func TestGrade(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want tir.Likeness
		diff string
	}{
		{"i;j < 64;A[vi, vj]", "i;j < 64;A[vi, vj]", tir.Identical, ""},
		{"i * 2 + 1;j < 64;A[vi, vj]", "1 + 2 * i;j < 64;A[vi, vj]", tir.EqualUpToIndices, "i * 2 + 1"},
		{"i * 8;j < 64;A[vi, vj]", "i * 9;j < 64;A[vi, vj]", tir.Different, "i * 8 (int32) and i * 9 (int32)"},
		{"i;j < 64;A[vi, vj]", "i;j <= 63;A[vi, vj]", tir.EqualUpToIndices, ""},
		{"i;j < 64;A[vi, vj]", "i;j < 65;A[vi, vj]", tir.Different, "j < 64 (bool) and j < 65 (bool)"},
		{"i;j < 64 and i < 7;A[vi, vj]", "i;i < 7 and j < 64;A[vi, vj]", tir.EqualUpToIndices, ""},
		{"i;j < 71;A[vi, vj]", "i;T.bool(True);A[vi, vj]", tir.EqualUpToIndices, ""},
		{"i;True;A[vi, vj]", "i;True;A[vi, vj % 64]", tir.EqualUpToIndices, ""},
		{"i;True;A[vi, vj]", "i;True;A[vi, vj % 63]", tir.Different, `block "C", the store to C: vj (int32) and vj % 63 (int32)`},
		{"i;True;A[vi, vj]", "i;True;A[vj, vi]", tir.Different, "vi (int32) and vj (int32)"},
		{"i;True;A[vi * 4 // 4, vj]", "i;True;A[vi, vj]", tir.EqualUpToIndices, ""},
		// A value is no place: its order counts, conditions in it are sampled.
		{"i;True;A[vi, vj] + T.float32(1)", "i;True;T.float32(1) + A[vi, vj]", tir.Different, ""},
		{"i;True;T.if_then_else(vi < 4, A[vi, vj], T.float32(0))", "i;True;T.if_then_else(vi <= 3, A[vi, vj], T.float32(0))", tir.EqualUpToIndices, ""},
		{"i;True;T.if_then_else(vi < 4, A[vi, vj], T.float32(0))", "i;True;T.if_then_else(vi <= 4, A[vi, vj], T.float32(0))", tir.Different, ""},
		{"i;True;T.cast(I[vi] + I[vj], 'float32')", "i;True;T.cast(I[vj] + I[vi], 'float32')", tir.Different, ""},
		// What is loaded for a place takes part in its arithmetic.
		{"i;True;A[I[vi] + vj, 0]", "i;True;A[vj + I[vi * 2 // 2], 0]", tir.EqualUpToIndices, ""},
		{"i;True;A[I[vi], 0]", "i;True;A[I[vi + 1], 0]", tir.Different, ""},
		// Variables without a domain.
		{"i;True;A[vi + n - n, vj]", "i;True;A[vi, vj]", tir.EqualUpToIndices, ""},
		{"i;True;A[vi + n, vj]", "i;True;A[vi + 1, vj]", tir.Different, ""},
		{"i;True;A[T.min(vi, vj // n), 0]", "i;True;A[T.min(vj // n, vi), 0]", tir.EqualUpToIndices, ""},
		{"i;True;A[T.Let(x + 1, where={x: vi}), 0]", "i;True;A[vi + 1, 0]", tir.EqualUpToIndices, ""},
		// Types are no arithmetic.
		{"i;True;A[vi, T.int64(3)]", "i;True;A[vi, 3]", tir.Different, "T.int64(3) (int64) and 3 (int32)"},
	} {
		a, b := gradeCase(t, c.a), gradeCase(t, c.b)
		got, diff := tir.Grade(a, b)
		if got != c.want || !strings.Contains(diff, c.diff) || (diff == "") != (got == tir.Identical) {
			t.Errorf("%s | %s: %s, %s; want %s, %s", c.a, c.b, got, diff, c.want, c.diff)
		}
		if back, _ := tir.Grade(b, a); back != got {
			t.Errorf("%s | %s: %s, the other way round %s", c.a, c.b, got, back)
		}
	}
}

// Shapes of local buffers count as extents.
func TestGradeOfShapes(t *testing.T) {
	const text = `@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n", 4), "float32")):
    n = T.int32()
    B = T.sblock_alloc_buffer((SHAPE,))
    for i in range(n):
        with T.sblock("B"):
            vi = T.axis.spatial(n, i)
            B[vi * 4] = A[vi, 0]
`
	parse := func(shape string) *tir.PrimFunc {
		f, err := tvmscript.ParseFunc(strings.Replace(text, "SHAPE", shape, 1))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for shape, want := range map[string]tir.Likeness{"n * 4": tir.Identical, "n + n * 3": tir.EqualUpToIndices, "n * 5": tir.Different, "n": tir.Different} {
		if got, diff := tir.Grade(parse("n * 4"), parse(shape)); got != want {
			t.Errorf("%s: %s, want %s (%s)", shape, got, want, diff)
		}
	}
}

// A sample too small would miss the one element in which the two differ.
func TestGradeIsExhaustiveOnSmallDomains(t *testing.T) {
	a := gradeCase(t, "i;i * 70 + j < 559;A[vi, vj]")
	b := gradeCase(t, "i;i * 70 + j < 560;A[vi, vj]")
	if got, _ := tir.Grade(a, b); got != tir.Different {
		t.Errorf("two conditions that differ at one place are %s", got)
	}
}

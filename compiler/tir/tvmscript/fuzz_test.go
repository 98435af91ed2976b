package tvmscript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/tir"
)

// seeds are the scripts in testdata.
func seeds(t testing.TB) []string {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "\n\n") {
			_, in, ok := strings.Cut(part, "read\n")
			if !ok {
				continue
			}
			in, _, _ = strings.Cut(in, "\n----")
			out = append(out, in)
		}
	}
	return out
}

// FuzzParse feeds arbitrary text: it must give a located error or a module that
// prints, reads back equal and hashes alike; it must never panic.
func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := Parse("fuzz", src)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Line < 1 || e.Col < 1 {
				t.Fatalf("not a located error: %#v", err)
			}
			return
		}
		for _, fn := range m.Funcs {
			if tir.Verify(fn) != nil {
				return // check_well_formed=False: the printed text would be refused
			}
		}
		roundTrip(t, "fuzz", m, m.Script())
	})
}

func TestHostileText(t *testing.T) {
	deep := strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	long := "i" + strings.Repeat(" + i", 100000)
	nots := strings.Repeat("not ", 10000) + "p"
	nest := "@T.prim_func\ndef f(i: T.int32):\n"
	for d := 1; d < 400; d++ {
		nest += strings.Repeat(" ", d) + "if i < 3:\n"
	}
	elifs := "@T.prim_func\ndef f(i: T.int32):\n if i < 1: pass\n" + strings.Repeat(" elif i < 2: pass\n", 5000)
	for name, src := range map[string]string{
		"deep brackets": exprFrame + deep, "long sum": exprFrame + "T.evaluate(" + long + ")", "many nots": exprFrame + nots,
		"deep ifs": nest, "many elifs": elifs, "dots": exprFrame + "A" + strings.Repeat(".data", 100000),
		"dots of a name": exprFrame + "B = T\n    C = B" + strings.Repeat(".a", 200000),
		"doubled lists":  "L = [1, 2, 3, 4]\n" + doubled(40) + "@T.prim_func\ndef f():\n T.evaluate(0)",
		"spread lists":   exprFrame + "T.evaluate(len([" + strings.Repeat("*range(4000), ", 2000) + "]))",
		"nested lists":   exprFrame + "T.evaluate(len([[[0 for a in range(4000)] for b in range(4000)] for c in range(4000)]))",
		"zero bytes":     "\x00\x00", "bad utf-8": "@T.prim_func\ndef \xff(\xfe", "huge number": exprFrame + "T.evaluate(" + strings.Repeat("9", 10000) + ")",
		"huge shape":  "@T.prim_func\ndef f(A: T.Buffer((9223372036854775807, 9223372036854775807))):\n A[0, 0] = 1",
		"huge slice":  exprFrame + "T.evaluate(T.exp(A[0, 0:1000000]))",
		"huge vector": exprFrame + "T.evaluate(T.Broadcast(1, 1000000))",
		"power":       exprFrame + "T.evaluate(2 ** 63)",
		"min by -1":   exprFrame + "T.evaluate((-9223372036854775807 - 1) // -1)",
		"min mod -1":  exprFrame + "T.evaluate(T.int64(-9223372036854775808) % T.int64(-1))",
		"long step":   exprFrame + "T.evaluate((1, 2, 3)[1::9223372036854775807])",
		"two infos":   exprFrame + "x = T.meta_var(I.vdevice(\"llvm\"))\n    x = T.meta_var(I.vdevice(\"llvm\"))",
		"no newline":  "@T.prim_func\ndef f(): T.evaluate(0)",
	} {
		m, err := Parse("", src)
		if err == nil && name != "huge shape" && name != "no newline" && !strings.HasPrefix(name, "min ") {
			t.Errorf("%s: read without error: %v", name, m)
		}
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Errorf("%s: %v is not located", name, err)
			}
		}
	}
}

// doubled is n lines that each double a list, in Python L0 = L + L and so on.
func doubled(n int) string {
	var b strings.Builder
	from := "L"
	for i := range n {
		to := fmt.Sprintf("L%d", i)
		fmt.Fprintf(&b, "%s = %s + %s\n", to, from, from)
		from = to
	}
	return b.String()
}

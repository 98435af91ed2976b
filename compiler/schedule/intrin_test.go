package schedule_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/internal/peer"
)

// Every intrinsic reads, and its functions print and read again as they are.
func TestIntrins(t *testing.T) {
	names := schedule.IntrinNames()
	if len(names) < 40 {
		t.Errorf("%d intrinsics", len(names))
	}
	for _, name := range names {
		in, err := schedule.LookupIntrin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*tir.PrimFunc{in.Desc, in.Impl} {
			again, err := tvmscript.ParseFunc(tir.Script(f))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if why := tir.Diff(f, again); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
	if _, err := schedule.LookupIntrin("dot_16x4"); err == nil || !strings.Contains(err.Error(), `no tensor intrinsic "dot_16x4"`) {
		t.Errorf("unknown name: %v", err)
	}
}

// TestIntrinsAgainstTVM: Apache TVM registers the same functions under these
// names.
func TestIntrinsAgainstTVM(t *testing.T) {
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	names := slices.DeleteFunc(schedule.IntrinNames(), func(n string) bool { return n == "dot_8x4_vnni" }) // TVM has none
	cmd := exec.Command(peer.Python(t, "tvm"), "-c", `
import json, sys
import tvm.s_tir.tensor_intrin
from tvm.s_tir import TensorIntrin
get = TensorIntrin.get
json.dump([[f.script() for f in (get(n).desc, get(n).impl)] for n in json.load(sys.stdin)], sys.stdout)`)
	in, _ := json.Marshal(names)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var texts [][2]string
	if err := json.Unmarshal(out, &texts); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		ours, _ := schedule.LookupIntrin(name)
		for k, f := range []*tir.PrimFunc{ours.Desc, ours.Impl} {
			theirs, err := tvmscript.ParseFunc(texts[i][k])
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, texts[i][k])
				continue
			}
			theirs.Attrs = theirs.Attrs.With(tir.AttrGlobalSymbol, f.Name)
			if why := tir.Diff(f, theirs); why != "" {
				t.Errorf("%s: %s\n%s\n%s", name, why, tir.Script(f), texts[i][k])
			}
		}
	}
}

// What an intrinsic does with instructions is what it describes.
func TestIntrinsCompute(t *testing.T) {
	ran := 0
	for _, name := range schedule.IntrinNames() {
		if !strings.HasPrefix(name, "d") {
			continue // the interpreter has no fragments
		}
		in, err := schedule.LookupIntrin(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := compute(in.Desc)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := compute(oneRow(in.Impl))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range want {
			for j := range want[i].Len() {
				if x, y := want[i].Float(j), got[i].Float(j); x != y {
					t.Fatalf("%s: argument %d is %v at %d, want %v", name, i, y, j, x)
				}
			}
		}
		ran++
	}
	if ran != 11 {
		t.Errorf("%d dot products", ran)
	}
}

// oneRow puts the rows of matrices, which implementations load at once, side by
// side, as they are in memory.
func oneRow(f *tir.PrimFunc) *tir.PrimFunc {
	flat := map[*tir.Buffer]*tir.Buffer{}
	g := *f
	g.Params = nil
	for _, b := range f.Buffers() {
		shape, _ := b.StaticShape()
		c := *b
		if len(shape) == 2 {
			c.Shape = []tir.Expr{tir.Int(1), tir.Int(shape[0] * shape[1])}
		}
		flat[b] = &c
		g.Params = append(g.Params, &c)
	}
	g.Body = tir.ReplaceBuffers(f.Body, func(b *tir.Buffer) *tir.Buffer {
		if c := flat[b]; c != nil {
			return c
		}
		return b
	})
	return &g
}

package tir_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/internal/peer"
)

// edit replaces text.
type edit struct {
	name string
	re   *regexp.Regexp
	to   string
}

// edits change one thing of a function.
var edits = []edit{
	{"nothing", regexp.MustCompile(`\A`), ""},
	{"name of a block", regexp.MustCompile(`(T\.sblock\(")(\w+)`), "${1}${2}_x"},
	{"name of a function", regexp.MustCompile(`def (\w+)\(`), "def ${1}_x("},
	{"name of a parameter", regexp.MustCompile(`\bA\b`), "P"},
	{"names of loops", regexp.MustCompile(`\bi\b`), "first"},
	{"names of iterators", regexp.MustCompile(`\bvi\b`), "vfirst"},
	{"a constant", regexp.MustCompile(`\b(\d)\b`), "${1}1"},
	{"a sign", regexp.MustCompile(` \+ `), " - "},
	{"an operator", regexp.MustCompile(` \* `), " + "},
	{"operands", regexp.MustCompile(`(\w+\[[^\]\[]*\]) ([+*]) (\w+\[[^\]\[]*\])`), "$3 $2 $1"},
	{"indices", regexp.MustCompile(`\[(\w+), (\w+)\]`), "[$2, $1]"},
	{"another buffer", regexp.MustCompile(`= A\[`), "= B["},
	{"element type", regexp.MustCompile(`"float32"`), `"float16"`},
	{"element type of an index", regexp.MustCompile(`"int32"`), `"int64"`},
	{"type of a constant", regexp.MustCompile(`T\.float32\(`), "T.float64("},
	{"iterator kind", regexp.MustCompile(`axis\.spatial`), "axis.reduce"},
	{"iterator kinds", regexp.MustCompile(`remap\("SS`), `remap("SR`},
	{"iterator domain", regexp.MustCompile(`axis\.spatial\((\d+), `), "axis.spatial((0, $1), "},
	{"wider iterator", regexp.MustCompile(`axis\.spatial\((\d+), `), "axis.spatial(T.int64($1), "},
	{"loop kind", regexp.MustCompile(`in range\(`), "in T.parallel("},
	{"loop kind spelt", regexp.MustCompile(`in range\(`), "in T.serial("},
	{"loop from", regexp.MustCompile(`in range\((\d+)\)`), "in range(1, $1)"},
	{"loop from zero", regexp.MustCompile(`in range\((\d+)\)`), "in range(0, $1)"},
	{"loop annotation", regexp.MustCompile(`in range\((\d+)\)`), `in T.serial($1, annotations={"a": 1})`},
	{"loop step", regexp.MustCompile(`in range\((\d+)\)`), `in T.serial($1, step=1)`},
	{"thread", regexp.MustCompile(`in range\((\d+)\)`), `in T.thread_binding($1, "threadIdx.x")`},
	{"grid", regexp.MustCompile(`in T\.grid\((\d+), `), `in T.grid(T.int64($1), `},
	{"reads", regexp.MustCompile(`T\.reads\([^)\n]+\)`), "T.reads()"},
	{"writes", regexp.MustCompile(`T\.writes\([^)\n]+\)`), "T.writes()"},
	{"condition", regexp.MustCompile(`\bif ([^:\n]+):\n`), "if ($1) and 0 < 1:\n"},
	{"predicate", regexp.MustCompile(`T\.where\(`), "T.where(1 == 1 and "},
	{"block annotation", regexp.MustCompile(`(?m)^( +)(with T\.sblock\("\w+"\):)$`), "$1$2\n$1    T.sblock_attr({\"k\": [1, \"x\"]})"},
	{"storage scope", regexp.MustCompile(`(sblock_alloc_buffer\(.*)\)`), `$1, scope="shared")`},
	{"alignment", regexp.MustCompile(`(sblock_alloc_buffer\(.*)\)`), `$1, align=128)`},
	{"default alignment", regexp.MustCompile(`(sblock_alloc_buffer\(.*)\)`), `$1, align=64, offset_factor=1)`},
	{"offset factor", regexp.MustCompile(`(sblock_alloc_buffer\(.*)\)`), `$1, offset_factor=4)`},
	{"alloc shape", regexp.MustCompile(`sblock_alloc_buffer\(\((\d+),`), `sblock_alloc_buffer((1$1,`},
	{"strides", regexp.MustCompile(`T\.Buffer\(\((\d+), (\d+)\), "float32"\)`), `T.Buffer(($1, $2), "float32", strides=[$2, 1])`},
	{"default fields", regexp.MustCompile(`T\.Buffer\(\((\d+), (\d+)\), "float32"\)`), `T.Buffer(($1, $2), "float32", scope="global", elem_offset=0, align=64)`},
	{"attribute", regexp.MustCompile(`(def \w+\(.*\):\n)`), "$1    T.func_attr({\"k\": 1})\n"},
	{"private", regexp.MustCompile(`s_tir=True`), "s_tir=True, private=True"},
	{"dialect", regexp.MustCompile(`\(s_tir=True\)`), ""},
	{"initialiser", regexp.MustCompile(`with T\.init\(\):\n.*\n`), "pass\n"},
	{"intrinsic", regexp.MustCompile(`T\.max\(`), "T.min("},
	{"select", regexp.MustCompile(`T\.if_then_else\(`), "T.Select("},
	{"comparison", regexp.MustCompile(` < `), " <= "},
	{"turned comparison", regexp.MustCompile(`\((\w+) < (\w+)\)`), "($2 > $1)"},
	{"cast", regexp.MustCompile(`= (\w+\[[^\]\[]*\])\n`), "= T.Cast(\"float32\", $1)\n"},
	{"twice", regexp.MustCompile(`(?m)^( +\w+\[[^\n]* = [^\n]*)$`), "$1\n$1"},
	{"for nothing", regexp.MustCompile(`(?m)^( +)(\w+\[[^\n]* = [^\n]*)$`), "$1$2\n${1}T.evaluate(0)"},
	{"let", regexp.MustCompile(`(?m)^( +)(\w+\[[^\n]*) = ([^\n]*)$`), "${1}let: T.let = $3\n${1}$2 = let"},
}

// functionsPerEdit is how many functions each edit is tried on: reading is what
// costs TVM time.
const functionsPerEdit = 8

type equalCase struct {
	name string
	a, b string
}

// equalCases edits functions of the other tests.
func equalCases(t *testing.T) []equalCase {
	var out []equalCase
	tried := map[string]int{}
	for _, dir := range []string{"analysis/testdata/*", "../schedule/testdata/func"} {
		paths, _ := filepath.Glob(filepath.Join(dir, "*.py"))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src := string(data)
			if i := strings.Index(src, "@"); i >= 0 {
				src, _, _ = strings.Cut(src[i:], "# ----")
			}
			for _, e := range edits {
				if c, ok := e.apply(filepath.Base(path), src); ok && tried[e.name] < functionsPerEdit {
					out = append(out, c)
					tried[e.name]++
				}
			}
		}
	}
	return out
}

// apply makes the edit at the first place where it fits; a name changes
// everywhere.
func (e edit) apply(file, src string) (equalCase, bool) {
	p := e.re.FindStringSubmatchIndex(src)
	if p == nil {
		return equalCase{}, false
	}
	b := src[:p[0]] + string(e.re.ExpandString(nil, e.to, src, p)) + src[p[1]:]
	if strings.HasPrefix(e.name, "name") {
		b = e.re.ReplaceAllString(src, e.to)
	}
	return equalCase{file + ", " + e.name, src, b}, true
}

// TestEqualAgainstTVM compares structural equality and hashes of pairs of
// functions that differ in one thing at most with what Apache TVM says of them.
func TestEqualAgainstTVM(t *testing.T) {
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	python := peer.Python(t, "tvm")
	cases := equalCases(t)
	var ask [][2]string
	for _, c := range cases {
		ask = append(ask, [2]string{c.a, c.b})
	}
	in, _ := json.Marshal(ask)
	cmd := exec.Command(python, filepath.Join("testdata", "tvm_equal.py"))
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var theirs []tvmEqual
	if err := json.Unmarshal(out, &theirs); err != nil || len(theirs) != len(cases) {
		t.Fatalf("%d answers to %d cases: %v", len(theirs), len(cases), err)
	}
	equal, different := 0, 0
	for i, c := range cases {
		switch ok := c.check(t, theirs[i]); {
		case !ok:
		case theirs[i].Equal:
			equal++
		default:
			different++
		}
	}
	t.Logf("%d pairs: %d equal, %d different, the others not read", len(cases), equal, different)
	if equal < 50 || different < 200 {
		t.Errorf("only %d equal and %d different pairs were compared", equal, different)
	}
}

type tvmEqual struct {
	OK, Equal bool
	SameHash  bool `json:"same_hash"`
	Why       string
}

// check compares the answers to one pair, if both read it.
func (c equalCase) check(t *testing.T, theirs tvmEqual) bool {
	t.Helper()
	a, errA := tvmscript.Parse(c.name, c.a)
	b, errB := tvmscript.Parse(c.name, c.b)
	ok := errA == nil && errB == nil
	if ok != theirs.OK {
		t.Errorf("%s: read here: %t (%v, %v); by TVM: %t (%s)\n%s", c.name, ok, errA, errB, theirs.OK, theirs.Why, c.b)
		return false
	}
	if !ok {
		return false
	}
	diff := tir.DiffModules(a, b)
	if (diff == "") != theirs.Equal {
		t.Errorf("%s: hone says %q, TVM equal %t\n%s", c.name, diff, theirs.Equal, c.b)
	}
	if (diff == "") != (a.Hash() == b.Hash()) || theirs.Equal && !theirs.SameHash {
		t.Errorf("%s: %q, but the hashes are the same: %t, of TVM: %t", c.name, diff, a.Hash() == b.Hash(), theirs.SameHash)
	}
	if like, _ := tir.GradeModules(a, b); (like == tir.Identical) != (diff == "") {
		t.Errorf("%s: the grade is %s", c.name, like)
	}
	return true
}

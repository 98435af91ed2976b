package tvmscript

import (
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/internal/golden"
)

// TestScripts runs the conversations of testdata/script. Whatever is read must
// print, read back equal and hash alike.
func TestScripts(t *testing.T) {
	golden.Run(t, "testdata/script/*.txt", func(t *testing.T, c *golden.Case) string {
		switch c.Cmd {
		case "read":
			return readCase(t, c)
		case "expr":
			return exprCase(t, c.Input)
		}
		t.Fatalf("%s: unknown command %s", c.Pos, c.Cmd)
		return ""
	})
}

// readCase reads a script and prints it: "same" when that is the input, the text
// when it is not, the error when there is one.
func readCase(t *testing.T, c *golden.Case) string {
	m, err := Parse("", c.Input)
	if err != nil {
		return err.Error()
	}
	out := printed(m, c.Input)
	roundTrip(t, c.Pos, m, out)
	if body(out) == body(c.Input) {
		return "same"
	}
	return body(out)
}

func printed(m *tir.Module, source string) string {
	if strings.Contains(source, "class ") {
		return m.Script()
	}
	return tir.Script(m.Funcs[0])
}

// body strips the header comments.
func body(script string) string {
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(script), "\n") {
		if !strings.HasPrefix(l, "# from ") && (l != "" || len(out) > 0) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// roundTrip checks that text reads back as m.
func roundTrip(t *testing.T, where string, m *tir.Module, text string) {
	t.Helper()
	back, err := Parse("", text)
	if err != nil {
		t.Errorf("%s: the printed text does not read: %v\n%s", where, err, text)
		return
	}
	if d := tir.DiffModules(m, back); d != "" {
		t.Errorf("%s: reading the printed text gives another module: %s\n%s", where, d, text)
	}
	if m.Hash() != back.Hash() {
		t.Errorf("%s: the hash changes through printing and reading", where)
	}
	if again := printed(back, text); again != text {
		t.Errorf("%s: printing is not stable:\n%s\nthen\n%s", where, text, again)
	}
}

const exprFrame = `@T.prim_func(s_tir=True, check_well_formed=False)
def f(A: T.Buffer((16, 16), "float32"), H: T.Buffer((16,), "float16"), D: T.Buffer((16,), "float64"), Q: T.Buffer((16,), "int8"), i: T.int32, j: T.int32, n: T.int64, p: T.bool, u: T.uint8):
    `

// exprCase evaluates one expression a line.
func exprCase(t *testing.T, input string) string {
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		text := exprFrame + "T.evaluate(" + line + ")\n"
		out.WriteString(line + ": ")
		m, err := Parse("", text)
		if err != nil {
			out.WriteString("error: " + err.(*Error).Msg + "\n")
			continue
		}
		s := tir.Script(m.Funcs[0])
		roundTrip(t, line, m, s)
		got := strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
		if inner, ok := strings.CutPrefix(got, "T.evaluate("); ok {
			got = strings.TrimSuffix(inner, ")")
		}
		if got == line {
			got = "same"
		}
		out.WriteString(got + "\n")
	}
	return out.String()
}

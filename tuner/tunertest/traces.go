package tunertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/golden"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/space"
)

// Function is the workload that a script's first argument names.
func Function(t testing.TB, c *golden.Case) *tir.PrimFunc {
	t.Helper()
	for name, f := range Workloads {
		if _, ok := c.Arg(name); ok {
			return f()
		}
	}
	t.Fatalf("%s: no workload is named", c.Pos)
	return nil
}

// CaseTarget is the target of the arguments isa and cores, AVX2 with four cores
// unless they say otherwise.
func CaseTarget(t testing.TB, c *golden.Case) target.Target {
	t.Helper()
	return Target(t, argOr(c, "isa", "avx2"), argOr(c, "cores", "4"))
}

func argOr(c *golden.Case, key, value string) string {
	if v, ok := c.Arg(key); ok {
		return v
	}
	return value
}

// IntArg is a numeric argument, 0 when it is missing.
func IntArg(t testing.TB, c *golden.Case, key string) int {
	t.Helper()
	n, err := strconv.Atoi(argOr(c, key, "0"))
	if err != nil {
		t.Fatalf("%s: %v", c.Pos, err)
	}
	return n
}

// Drawn is a schedule of a preset's space up to postprocessing: sketch number
// sketch with decisions drawn from seed.
func Drawn(t testing.TB, c *golden.Case, p preset.Preset) *schedule.Schedule {
	t.Helper()
	f, tgt := Function(t, c), CaseTarget(t, c)
	spaces, _, err := space.Generate(f, p, &tgt)
	if err != nil {
		t.Fatalf("%s: %v", c.Pos, err)
	}
	s := schedule.NewFunc(f, rng.New(uint64(IntArg(t, c, "seed"))))
	i := IntArg(t, c, "sketch")
	if i >= len(spaces) {
		t.Fatalf("%s: there are %d sketches", c.Pos, len(spaces))
	}
	if err := spaces[i].Sketch.Replay(s, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", c.Pos, err)
	}
	return s
}

// Lines writes the instructions of a trace one a line, each followed by its
// decision.
func Lines(t testing.TB, tr trace.Trace) string {
	t.Helper()
	text, err := tr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var parts [2][]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, inst := range parts[0] {
		b.Write(bytes.TrimSpace(inst))
		if d := tr.Decisions[i]; d != nil {
			fmt.Fprintf(&b, " = %v", d)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Body is the text of a function without the lines that every script begins
// with.
func Body(f *tir.PrimFunc) string {
	_, body, _ := strings.Cut(tir.Script(f), "\n\n")
	return body
}

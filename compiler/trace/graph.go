package trace

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// An index map travels as a graph of nodes, each a type key and its fields;
// fields that are no number, type or bool refer to other nodes by index. A
// variable that occurs twice is one node.

var binaryKeys = [...]string{"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max", "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or"}

// graphWriter collects nodes, children first.
type graphWriter struct {
	nodes []string
	vars  map[*tir.Var]int
	value map[string]int   // nodes shared by value
	names map[int32]string // of results
	err   error
}

// MarshalIndexMap is the text of an index map in a trace.
func MarshalIndexMap(m *tir.IndexMap) (string, error) { return marshalMap(m, nil) }

// marshalMap writes an index map; names gives the names of results that it may
// mention.
func marshalMap(m *tir.IndexMap, names map[int32]string) (string, error) {
	w := &graphWriter{vars: map[*tir.Var]int{}, value: map[string]int{}, names: names}
	root := w.indexMap(m)
	if w.err != nil {
		return "", w.err
	}
	return fmt.Sprintf(`{"root_index":%d,"nodes":[%s],"metadata":{"tvm_version":"0.27.0"}}`, root, strings.Join(w.nodes, ",")), nil
}

func (w *graphWriter) node(typ, data string) int {
	w.nodes = append(w.nodes, fmt.Sprintf(`{"type":%q,"data":%s}`, typ, data))
	return len(w.nodes) - 1
}

func (w *graphWriter) shared(typ, data string) int {
	key := typ + data
	if i, ok := w.value[key]; ok {
		return i
	}
	w.value[key] = w.node(typ, data)
	return w.value[key]
}

func (w *graphWriter) none() int {
	if i, ok := w.value["None"]; ok {
		return i
	}
	w.nodes = append(w.nodes, `{"type":"None"}`)
	w.value["None"] = len(w.nodes) - 1
	return len(w.nodes) - 1
}

func (w *graphWriter) text(s string) int {
	b, _ := json.Marshal(s)
	return w.shared("ffi.String", string(b))
}

func (w *graphWriter) primType(t dtype.DType) int {
	return w.shared("ir.PrimType", fmt.Sprintf(`{"span":%d,"dtype":%q}`, w.none(), t.String()))
}

func (w *graphWriter) list(es []tir.Expr) int {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = strconv.Itoa(w.expr(e))
	}
	return w.node("ffi.Array", "["+strings.Join(parts, ",")+"]")
}

func (w *graphWriter) indexMap(m *tir.IndexMap) int {
	initial := make([]tir.Expr, len(m.Initial))
	for i, v := range m.Initial {
		initial[i] = v
	}
	a, b := w.list(initial), w.list(m.Final)
	inverse := w.none()
	if m.Inverse != nil {
		inverse = w.indexMap(m.Inverse)
	}
	return w.node("tirx.IndexMap", fmt.Sprintf(`{"initial_indices":%d,"final_indices":%d,"inverse_index_map":%d}`, a, b, inverse))
}

func (w *graphWriter) expr(e tir.Expr) int {
	head := func() string { return fmt.Sprintf(`{"span":%d,"ty":%d,`, w.none(), w.primType(e.DType())) }
	switch x := e.(type) {
	case *tir.Var:
		if i, ok := w.vars[x]; ok {
			return i
		}
		name := x.Name
		if n, free := schedule.FreeID(x); free {
			name = w.names[n]
		}
		h, t := head(), w.text(name)
		w.vars[x] = w.node("ir.Var", fmt.Sprintf(`%s"name":%d}`, h, t))
		return w.vars[x]
	case *tir.IntImm:
		return w.node("ir.IntImm", fmt.Sprintf(`%s"value":%d}`, head(), x.Value))
	case *tir.FloatImm:
		return w.node("ir.FloatImm", fmt.Sprintf(`%s"value":%s}`, head(), graphFloat(x.Value)))
	case *tir.Binary:
		a, b := w.expr(x.A), w.expr(x.B)
		return w.node("tirx."+binaryKeys[x.Op], fmt.Sprintf(`%s"a":%d,"b":%d}`, head(), a, b))
	case *tir.Not:
		a := w.expr(x.A)
		return w.node("tirx.Not", fmt.Sprintf(`%s"a":%d}`, head(), a))
	case *tir.Cast:
		a := w.expr(x.Value)
		return w.node("tirx.Cast", fmt.Sprintf(`%s"value":%d}`, head(), a))
	case *tir.Select:
		c, a, b := w.expr(x.Cond), w.expr(x.Then), w.expr(x.Else)
		return w.node("tirx.Select", fmt.Sprintf(`%s"condition":%d,"true_value":%d,"false_value":%d}`, head(), c, a, b))
	case *tir.Call:
		args := w.list(x.Args)
		op := w.shared("ir.Op", strconv.Quote("tirx."+x.Op))
		types := w.node("ffi.Array", "[]")
		return w.node("ir.Call", fmt.Sprintf(`%s"op":%d,"args":%d,"attrs":%d,"ty_args":%d}`, head(), op, args, w.none(), types))
	}
	w.err = fmt.Errorf("an index map holds a %T, which has no text form", e)
	return 0
}

// graphFloat has one decimal when whole, else 17 significant digits.
func graphFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1): // these three words are no JSON, and what TVM writes and reads
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	if v == float64(int64(v)) && v < 1e15 && v > -1e15 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 17, 64)
}

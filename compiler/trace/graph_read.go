package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// maxGraphNodes bounds the index maps that are read; maxGraphDepth their
// nesting.
const (
	maxGraphNodes = 1 << 14
	maxGraphDepth = 256
)

type graphNode struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// graphReader resolves nodes in any order.
type graphReader struct {
	nodes []graphNode
	vars  map[int]*tir.Var
	free  map[string]int32 // results by name
	depth int
}

// ParseIndexMap reads what MarshalIndexMap, or MetaSchedule, wrote.
func ParseIndexMap(text string) (*tir.IndexMap, error) { return parseMap(text, nil) }

// parseMap reads an index map; free gives the numbers of results that free
// variables may be named after.
func parseMap(text string, free map[string]int32) (*tir.IndexMap, error) {
	var g struct {
		Root  int         `json:"root_index"`
		Nodes []graphNode `json:"nodes"`
	}
	if err := json.Unmarshal(quoteWords([]byte(text)), &g); err != nil {
		return nil, fmt.Errorf("index map: %w", err)
	}
	if len(g.Nodes) > maxGraphNodes {
		return nil, fmt.Errorf("index map: %d nodes, at most %d are read", len(g.Nodes), maxGraphNodes)
	}
	r := &graphReader{nodes: g.Nodes, vars: map[int]*tir.Var{}, free: free}
	m, err := r.indexMap(g.Root)
	if err != nil {
		return nil, fmt.Errorf("index map: %w", err)
	}
	return m, nil
}

func (r *graphReader) fields(i int, want string) (map[string]json.RawMessage, error) {
	if i < 0 || i >= len(r.nodes) {
		return nil, fmt.Errorf("node %d does not exist", i)
	}
	n := r.nodes[i]
	if want != "" && typeKey(n.Type) != want {
		return nil, fmt.Errorf("node %d is a %s, want %s", i, n.Type, want)
	}
	var f map[string]json.RawMessage
	if err := json.Unmarshal(n.Data, &f); err != nil {
		return nil, fmt.Errorf("node %d (%s): %w", i, n.Type, err)
	}
	return f, nil
}

func intField(f map[string]json.RawMessage, name string) (int, error) {
	var i int
	if err := json.Unmarshal(f[name], &i); err != nil {
		return 0, fmt.Errorf("field %s: %w", name, err)
	}
	return i, nil
}

func (r *graphReader) indexMap(root int) (*tir.IndexMap, error) {
	f, err := r.fields(root, "tirx.IndexMap")
	if err != nil {
		return nil, err
	}
	initial, err := r.list(f, "initial_indices")
	if err != nil {
		return nil, err
	}
	m := &tir.IndexMap{}
	for _, e := range initial {
		v, ok := e.(*tir.Var)
		if !ok || slices.Contains(m.Initial, v) {
			return nil, errors.New("its initial indices are not distinct variables")
		}
		m.Initial = append(m.Initial, v)
	}
	if m.Final, err = r.list(f, "final_indices"); err != nil {
		return nil, err
	}
	if inv, err := intField(f, "inverse_index_map"); err == nil && inv >= 0 && inv < len(r.nodes) && r.nodes[inv].Type != "None" {
		r.depth++
		if r.depth > maxGraphDepth {
			return nil, errors.New("it is nested too deeply")
		}
		if m.Inverse, err = r.indexMap(inv); err != nil {
			return nil, err
		}
	}
	return m, r.bindFree(m)
}

// bindFree turns variables that are not initial indices into results of
// sampling by name.
func (r *graphReader) bindFree(m *tir.IndexMap) error {
	var err error
	known := map[int32]*tir.Var{}
	for i, e := range m.Final {
		m.Final[i] = tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr {
			if slices.Contains(m.Initial, v) {
				return nil
			}
			if _, done := schedule.FreeID(v); done {
				return nil
			}
			n, ok := r.free[v.Name]
			if !ok {
				err = fmt.Errorf("variable %q is neither an index nor a result", v.Name)
				return nil
			}
			if known[n] == nil {
				known[n] = schedule.FreeVar(n, v.Type)
			}
			return known[n]
		})
	}
	return err
}

func (r *graphReader) list(f map[string]json.RawMessage, name string) ([]tir.Expr, error) {
	i, err := intField(f, name)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(r.nodes) {
		return nil, fmt.Errorf("node %d does not exist", i)
	}
	var ids []int
	if err := json.Unmarshal(r.nodes[i].Data, &ids); err != nil {
		return nil, fmt.Errorf("field %s: %w", name, err)
	}
	out := make([]tir.Expr, len(ids))
	for j, id := range ids {
		if out[j], err = r.expr(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *graphReader) child(f map[string]json.RawMessage, name string) (tir.Expr, error) {
	i, err := intField(f, name)
	if err != nil {
		return nil, err
	}
	return r.expr(i)
}

func (r *graphReader) dtype(f map[string]json.RawMessage) (dtype.DType, error) {
	i, err := intField(f, "ty")
	if err != nil {
		return dtype.DType{}, err
	}
	t, err := r.fields(i, "ir.PrimType")
	if err != nil {
		return dtype.DType{}, err
	}
	var s string
	if err := json.Unmarshal(t["dtype"], &s); err != nil {
		return dtype.DType{}, fmt.Errorf("field dtype: %w", err)
	}
	return dtype.Parse(s)
}

func (r *graphReader) expr(i int) (tir.Expr, error) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxGraphDepth {
		return nil, errors.New("it is nested too deeply")
	}
	f, err := r.fields(i, "")
	if err != nil {
		return nil, err
	}
	key := strings.TrimPrefix(typeKey(r.nodes[i].Type), "tirx.")
	if op := slices.Index(binaryKeys[:], key); op >= 0 {
		return r.binary(tir.BinOp(op), f)
	}
	switch key {
	case "ir.Var":
		return r.variable(i, f)
	case "ir.IntImm", "ir.FloatImm":
		return r.number(key, f)
	case "Not":
		a, err := r.child(f, "a")
		if err != nil {
			return nil, err
		}
		return &tir.Not{A: a}, nil
	case "Cast":
		a, err := r.child(f, "value")
		if err != nil {
			return nil, err
		}
		t, err := r.dtype(f)
		return &tir.Cast{Type: t, Value: a}, err
	case "Select":
		return r.sel(f)
	case "ir.Call":
		return r.call(f)
	}
	return nil, fmt.Errorf("node %d: %s is no expression that index maps use", i, r.nodes[i].Type)
}

func (r *graphReader) binary(op tir.BinOp, f map[string]json.RawMessage) (tir.Expr, error) {
	a, err := r.child(f, "a")
	if err != nil {
		return nil, err
	}
	b, err := r.child(f, "b")
	if err != nil {
		return nil, err
	}
	if a.DType() != b.DType() {
		return nil, fmt.Errorf("%s of %s and %s", op, a.DType(), b.DType())
	}
	return tir.NewBinary(op, a, b), nil
}

func (r *graphReader) variable(i int, f map[string]json.RawMessage) (tir.Expr, error) {
	if v, ok := r.vars[i]; ok {
		return v, nil
	}
	t, err := r.dtype(f)
	if err != nil {
		return nil, err
	}
	n, err := intField(f, "name")
	if err != nil || n < 0 || n >= len(r.nodes) {
		return nil, fmt.Errorf("variable %d has no name", i)
	}
	var name string
	if err := json.Unmarshal(r.nodes[n].Data, &name); err != nil {
		return nil, fmt.Errorf("variable %d: %w", i, err)
	}
	r.vars[i] = tir.NewVar(name, t)
	if _, free := schedule.FreeID(r.vars[i]); free {
		return nil, fmt.Errorf("variable %d has the reserved name %q", i, name)
	}
	return r.vars[i], nil
}

func (r *graphReader) number(key string, f map[string]json.RawMessage) (tir.Expr, error) {
	t, err := r.dtype(f)
	if err != nil {
		return nil, err
	}
	if key == "ir.IntImm" {
		var v int64
		if err := json.Unmarshal(r.apart(f["value"], "int"), &v); err != nil {
			return nil, fmt.Errorf("field value: %w", err)
		}
		return tir.IntOf(v, t), nil
	}
	v, err := graphNumber(r.apart(f["value"], "float"))
	if err != nil {
		return nil, fmt.Errorf("field value: %w", err)
	}
	return tir.Const(v, t), nil
}

// graphWords are what TVM writes for floats that JSON has no number for.
var graphWords = []string{"NaN", "Infinity", "-Infinity"}

// quoteWords makes texts of the words outside of texts that are no JSON.
func quoteWords(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	var out []byte
	inText := false
next:
	for i := 0; i < len(text); i++ {
		for _, w := range graphWords {
			if !inText && bytes.HasPrefix(text[i:], []byte(w)) {
				out = append(append(append(out, '"'), w...), '"')
				i += len(w) - 1
				continue next
			}
		}
		out = append(out, text[i])
		switch {
		case text[i] == '"':
			inText = !inText
		case text[i] == '\\' && inText && i+1 < len(text):
			i++
			out = append(out, text[i])
		}
	}
	return out
}

// graphNumber reads a float, or one of the words.
func graphNumber(data json.RawMessage) (v float64, err error) {
	var word string
	if json.Unmarshal(data, &word) == nil && slices.Contains(graphWords, word) {
		return strconv.ParseFloat(word, 64)
	}
	return v, json.Unmarshal(data, &v)
}

// apart is the value of an immediate. Some releases keep it in a node of its own,
// of the type named; others have no such nodes.
func (r *graphReader) apart(value json.RawMessage, typ string) json.RawMessage {
	var i int
	if json.Unmarshal(value, &i) == nil && i >= 0 && i < len(r.nodes) && r.nodes[i].Type == typ {
		return r.nodes[i].Data
	}
	return value
}

func (r *graphReader) sel(f map[string]json.RawMessage) (tir.Expr, error) {
	var parts [3]tir.Expr
	for i, name := range [...]string{"condition", "true_value", "false_value"} {
		e, err := r.child(f, name)
		if err != nil {
			return nil, err
		}
		parts[i] = e
	}
	return &tir.Select{Cond: parts[0], Then: parts[1], Else: parts[2]}, nil
}

func (r *graphReader) call(f map[string]json.RawMessage) (tir.Expr, error) {
	i, err := intField(f, "op")
	if err != nil || i < 0 || i >= len(r.nodes) {
		return nil, errors.New("a call has no operator")
	}
	var name string
	if err := json.Unmarshal(r.nodes[i].Data, &name); err != nil {
		return nil, fmt.Errorf("operator: %w", err)
	}
	args, err := r.list(f, "args")
	if err != nil {
		return nil, err
	}
	t, err := r.dtype(f)
	return &tir.Call{Op: strings.TrimPrefix(typeKey(name), "tirx."), Args: args, Type: t}, err
}

package tvmscript

import (
	"fmt"
	"maps"
	"slices"

	"hone/compiler/tir/arith"
)

// Object is what a script acts on: the statements call its methods.
type Object interface {
	// Call performs a method. What it returns is a value for the script: nil, an
	// int64, a tir.Expr, a value of the object's own, or a []any of these. An
	// error that Args located stops the script as it is, any other as a
	// *CallError.
	Call(method string, args Args) (any, error)
}

// Args are the evaluated arguments of a call. Values are int64, float64, bool,
// string and nil for Python's constants, tir.Expr, []any for lists and tuples,
// map[string]any for dicts, *Lambda, *tir.IndexMap, and what Object.Call
// returned.
type Args struct {
	Positional []Arg
	Named      map[string]Arg
	src        *source
	at         pos
}

// Arg is one argument.
type Arg struct {
	Value any
	src   *source
	at    pos
}

// Errorf is a fault of the call.
func (a Args) Errorf(format string, args ...any) error { return a.src.fault(a.at, format, args...) }

// Arg is a value that the call did not give itself, in the place of the call.
func (a Args) Arg(v any) Arg { return Arg{v, a.src, a.at} }

// Errorf is a fault of the argument.
func (a Arg) Errorf(format string, args ...any) error { return a.src.fault(a.at, format, args...) }

// With is another value in the place of the argument.
func (a Arg) With(v any) Arg { return Arg{v, a.src, a.at} }

// CallError is a call that the object did not accept.
type CallError struct {
	File   string
	Line   int
	Source string // the line of text
	Err    error
}

// Error implements error: position and cause, then the line.
func (e *CallError) Error() string {
	head := fmt.Sprintf("%d: %v\n  %s", e.Line, e.Err, e.Source)
	if e.File != "" {
		head = e.File + ":" + head
	}
	return head
}

// Unwrap gives the cause.
func (e *CallError) Unwrap() error { return e.Err }

// Exec runs a script: straight-line Python in which names are assigned and
// methods of obj, known as name, are called. Faults of the text are *Error.
func Exec(file, src, name string, obj Object) (err error) {
	defer rescue(&err)
	s, r := &source{file, src}, newScratch() // for obj may keep a lambda
	stmts := s.reader(r).file()
	b := &builder{source: s, scratch: r, arith: arith.NewAnalyzer(), fn: &funcState{}, frames: []*frame{{}}, scopes: []*scope{{}}}
	b.bind(name, obj)
	for _, st := range stmts {
		b.execute(st)
	}
	return nil
}

func (b *builder) execute(s pyStmt) {
	switch s := s.(type) {
	case *assignStmt:
		b.unpack(s.target, b.eval(s.value), s.value.at())
	case *exprStmt:
		b.eval(s.x)
	case *assertStmt:
		if v, ok := b.eval(s.cond).(bool); !ok || !v {
			b.fail(s.cond.at(), "this does not hold")
		}
	case *passStmt:
	default:
		b.fail(s.at(), "a script holds assignments and calls only")
	}
}

// unpack assigns a value to a name or, element by element, to a list of targets.
func (b *builder) unpack(target node, v any, at pos) {
	switch t := target.(type) {
	case *nameNode:
		b.bind(t.id, v)
		return
	case *listNode:
		list, ok := v.([]any)
		if !ok {
			b.fail(at, "only a tuple or list can be assigned to several names")
		}
		star := slices.IndexFunc(t.items, func(n node) bool { _, ok := n.(*starNode); return ok })
		more := len(list) - len(t.items) // values that have no target of their own
		if star < 0 && more != 0 || more < -1 {
			b.fail(at, "%d values for %d names", len(list), len(t.items))
		}
		for i, x := range t.items {
			switch st, starred := x.(*starNode); {
			case starred && i == star:
				b.unpack(st.x, list[i:i+more+1:i+more+1], at)
			case star >= 0 && i > star:
				b.unpack(x, list[i+more], at)
			default:
				b.unpack(x, list[i], at)
			}
		}
		return
	}
	b.fail(target.at(), "only names can be assigned to")
}

// invoke calls a method of a script's object.
func (b *builder) invoke(o Object, method string, n *callNode) any {
	c := &call{at: n.p, name: method}
	b.arguments(c, n)
	args := Args{src: b.source, at: n.p, Named: make(map[string]Arg, len(c.kw))}
	for _, a := range c.args {
		args.Positional = append(args.Positional, Arg{a.val, b.source, a.at})
	}
	for _, k := range slices.Sorted(maps.Keys(c.kw)) {
		args.Named[k] = Arg{c.kw[k].val, b.source, c.kw[k].at}
	}
	v, err := o.Call(method, args)
	if err == nil {
		return v
	}
	if _, located := err.(*Error); !located {
		at := b.fault(n.p, "")
		err = &CallError{at.File, at.Line, at.Source, err}
	}
	//lint:ignore panic control flow inside the package, see bail
	panic(bail{err})
}

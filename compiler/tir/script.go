package tir

import (
	"sort"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

const (
	headerIR      = "# from tvm.script import ir as I\n"
	headerTIR     = "# from tvm.script import tirx as T\n"
	headerLayout  = "# from tvm.tirx.layout import Axis\n"
	headerTypeVar = "# from typing import TypeVar\n"
)

// Script prints f as TVMScript in the current spelling, header comments
// included and without a final newline. tir/tvmscript reads it back to a
// structurally equal function.
func Script(f *PrimFunc) string {
	p := newScript()
	decls := p.typeVars(f)
	if len(decls) > 0 {
		p.buf.WriteString(headerTypeVar)
	}
	if bindsText(f) {
		p.buf.WriteString(headerIR)
	}
	p.buf.WriteString(headerTIR + headerLayout + "\n")
	p.declareTypeVars(decls)
	p.function(f)
	return p.text()
}

// Script prints the module as TVMScript: functions sorted by name, main last.
func (m *Module) Script() string {
	p := newScript()
	var decls []*Var
	for _, f := range m.Funcs {
		decls = append(decls, p.typeVars(f)...)
	}
	if len(decls) > 0 {
		p.buf.WriteString(headerTypeVar)
	}
	p.buf.WriteString(headerIR + headerTIR + headerLayout + "\n")
	p.declareTypeVars(decls)
	p.buf.WriteString("@I.ir_module\nclass Module:\n")
	p.inModule = true
	p.indent++
	if len(m.Infos) > 0 {
		p.line("I.module_global_infos(" + p.value(attrMap(m.Infos, nil)) + ")")
	}
	if len(m.Attrs) > 0 {
		p.line("I.module_attrs(" + p.value(attrMap(m.Attrs, nil)) + ")")
	}
	for i, f := range mainLast(m.Funcs) {
		if i > 0 {
			p.buf.WriteByte('\n')
		}
		p.push()
		p.function(f)
		p.pop()
	}
	return p.text()
}

// ExprString prints one expression; its free variables and buffers appear under
// their own names.
func ExprString(e Expr) string { return newScript().expr(e) }

// StmtString prints one statement and what is inside it, for messages.
func StmtString(s Stmt) string {
	p := newScript()
	p.stmt(s)
	return p.text()
}

// RegionString prints a region as T.reads shows it.
func RegionString(r Region) string { return newScript().region(r) }

// ValueString prints an annotation value as T.sblock_attr shows it.
func ValueString(v any) string { return newScript().value(v) }

// script is a printer: text so far, indentation, and the names in scope.
type script struct {
	scriptNames
	buf    strings.Builder
	indent int
	loops  map[*Var]*For // loops around the current statement, by variable
	// inModule: functions keep their names.
	inModule bool
	// scalars are the buffers that print as mutable scalars.
	scalars map[*Buffer]bool
}

func newScript() *script {
	p := &script{scriptNames: newScriptNames(), loops: map[*Var]*For{}, scalars: map[*Buffer]bool{}}
	p.push()
	return p
}

func (p *script) text() string { return strings.TrimSuffix(p.buf.String(), "\n") }

// line writes one line at the current indentation.
func (p *script) line(s string) {
	for range p.indent {
		p.buf.WriteString("    ")
	}
	p.buf.WriteString(s)
	p.buf.WriteByte('\n')
}

func mainLast(fs []*PrimFunc) []*PrimFunc {
	out := append([]*PrimFunc(nil), fs...)
	sort.SliceStable(out, func(i, j int) bool {
		mi, mj := out[i].Name == "main", out[j].Name == "main"
		if mi != mj {
			return mj
		}
		return out[i].Name < out[j].Name
	})
	return out
}

// typeVars lists the int64 variables that parameter buffers use in shape,
// strides or offset and that are no parameters: they print as TypeVars.
func (p *script) typeVars(f *PrimFunc) []*Var {
	params := map[*Var]bool{}
	for _, q := range f.Params {
		if v, ok := q.(*Var); ok {
			params[v] = true
		}
	}
	var out []*Var
	for _, b := range f.Buffers() {
		bufferExprs(b, func(e Expr) {
			Walk(e, func(x Expr) bool {
				if v, ok := x.(*Var); ok && v.Type == dtype.Int64 && !params[v] {
					params[v] = true
					out = append(out, v)
				}
				return true
			})
		})
	}
	return out
}

func (p *script) declareTypeVars(vars []*Var) {
	for _, v := range vars {
		p.define(v)
		p.typeVar[v] = true
	}
	sort.Slice(vars, func(i, j int) bool { return p.name(vars[i]) < p.name(vars[j]) })
	for _, v := range vars {
		p.line(p.name(v) + " = TypeVar(" + strconv.Quote(p.name(v)) + ")")
	}
}

func (p *script) function(f *PrimFunc) {
	p.decorator(f)
	// A shape may mention a scalar parameter that comes later.
	params := make([]string, len(f.Params))
	for _, q := range f.Params {
		if v, ok := q.(*Var); ok {
			p.isParam[v] = true
		}
	}
	var declared []*Var
	p.onQuoted = func(v *Var) { declared = append(declared, v) }
	for i, q := range f.Params {
		params[i] = p.param(q)
	}
	p.onQuoted = nil
	name := f.Name
	if _, named := f.Attrs.Get(AttrGlobalSymbol); name == "" || !named && !p.inModule {
		name = "main"
	}
	head := "def " + name + "(" + strings.Join(params, ", ") + ")"
	if f.Ret.Code != dtype.Void {
		head += " -> " + typeName(f.Ret)
	}
	p.line(head + ":")
	p.indent++
	for _, v := range declared {
		p.line(p.name(v) + " = " + typeName(v.Type) + "()")
	}
	skip := map[string]bool{AttrSTIR: true, attrPersistent: true}
	if s, ok := f.Attrs.Get(AttrGlobalSymbol); ok && s == name {
		skip[AttrGlobalSymbol] = true
	}
	if attrs := attrMap(f.Attrs, skip); len(attrs) > 0 {
		p.line("T.func_attr(" + p.value(attrs) + ")")
	}
	p.body(f.Body)
	p.indent--
}

const attrPersistent = "tirx.persistent_kernel"

func (p *script) decorator(f *PrimFunc) {
	var kw []string
	if _, ok := f.Attrs.Get(AttrGlobalSymbol); !ok {
		kw = append(kw, "private=True")
	}
	if on, _ := f.Attrs.Int(AttrSTIR); on != 0 {
		kw = append(kw, "s_tir=True")
	}
	if on, _ := f.Attrs.Int(attrPersistent); on != 0 {
		kw = append(kw, "persistent=True")
	}
	s := "@T.prim_func"
	if len(kw) > 0 {
		s += "(" + strings.Join(kw, ", ") + ")"
	}
	p.line(s)
}

func (p *script) param(q Param) string {
	switch q := q.(type) {
	case *Buffer:
		// The name comes first, so that shape variables yield to it.
		name := p.define(q)
		return name + ": T.Buffer(" + p.bufferArgs(q, true, true) + ")"
	case *Var:
		name := p.define(q)
		return name + ": " + varType(q)
	}
	panic("BUG: unknown kind of parameter")
}

// varType is the annotation that gives v its type.
func varType(v *Var) string {
	if v.Ptr != nil {
		return "T.handle(" + quote(v.Ptr.Elem.String()) + ", " + quote(v.Ptr.Scope) + ")"
	}
	return typeName(v.Type)
}

func typeName(t dtype.DType) string {
	switch t.Code {
	case dtype.Void:
		return "None"
	case dtype.String:
		return "I.StringType()"
	}
	return "T." + t.String()
}

func attrMap(a Annotations, skip map[string]bool) map[string]any {
	m := map[string]any{}
	for _, x := range a {
		if !skip[x.Key] {
			m[x.Key] = x.Value
		}
	}
	return m
}

// bindsText reports whether a function gives a text a name, whose type is one of I.
func bindsText(f *PrimFunc) bool {
	found := false
	WalkStmt(f.Body, func(s Stmt) bool {
		b, ok := s.(*Bind)
		found = found || ok && b.Var.Type.Code == dtype.String
		return !found
	})
	return found
}

package tvmscript

import (
	"slices"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// module builds a text as it is read: no syntax tree is kept longer than the
// function needs that it stands for.
func (b *builder) module() *tir.Module {
	m := &tir.Module{}
	for {
		stmts, more := b.text.outer()
		if !more {
			break
		}
		for _, s := range stmts {
			b.outer(m, s)
		}
		b.scratch.reuse()
	}
	if len(m.Funcs) == 0 {
		b.fail(0, "no function in the text")
	}
	slices.SortFunc(m.Funcs, func(f, g *tir.PrimFunc) int { return strings.Compare(f.Name, g.Name) })
	return m
}

// outer builds a statement that stands outside of any function.
func (b *builder) outer(m *tir.Module, s pyStmt) {
	switch s := s.(type) {
	case *assignStmt:
		b.constant(s)
		return
	case *funcStmt:
		b.addFunc(m, s, false, true)
		return
	case *classStmt:
		b.class(m, s)
		return
	case *passStmt:
		return
	case *exprStmt:
		if _, doc := s.x.(*textNode); doc {
			return
		}
	}
	b.fail(s.at(), "only functions and one module class are read at the top level")
}

// constant reads `n = TypeVar("n")`, or a constant of Python that the functions
// use, `N = 128`.
func (b *builder) constant(s *assignStmt) {
	target, ok := s.target.(*nameNode)
	if !ok {
		b.fail(s.target.at(), "only names can be assigned to")
	}
	b.scopes = append(b.scopes[:0], &b.globals)
	if _, twice := b.lookup(target.id); twice || b.typeVars[target.id] {
		b.fail(s.p, "a second %s", target.id)
	}
	if c, ok := s.value.(*callNode); ok && dotted(c.fn) == "TypeVar" {
		b.typeVars[target.id] = true
		return
	}
	v, ok := lasting(b.eval(s.value))
	if !ok {
		b.fail(s.value.at(), "at the top level, only numbers, texts and tuples of them have names")
	}
	b.bind(target.id, v)
}

// lasting copies a constant of Python, or a list of them, out of the scratch.
func lasting(v any) (any, bool) {
	switch v := v.(type) {
	case nil, int64, float64, bool, string, *tir.IntImm, *tir.FloatImm:
		return v, true
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			var ok bool
			if out[i], ok = lasting(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

func (b *builder) class(m *tir.Module, s *classStmt) {
	stir, check := false, true
	for _, d := range s.decorators {
		c, ok := d.(*callNode)
		path := dotted(d)
		if ok {
			path = dotted(c.fn)
			if len(c.args) > 0 {
				b.fail(c.args[0].at(), "the options of I.ir_module are keywords")
			}
			for _, kw := range c.kw {
				v := b.boolKeyword(kw)
				switch kw.name {
				case "s_tir":
					stir = v
				case "check_well_formed":
					check = v
				default:
					b.fail(kw.p, "I.ir_module has no option %s", kw.name)
				}
			}
		}
		if !strings.HasSuffix(path, "ir_module") {
			b.fail(d.at(), "unknown decorator; a module class has @I.ir_module")
		}
	}
	b.className, b.members = s.name, map[string]signature{}
	for b.readOn() {
		for i := 0; i < len(b.ahead); i++ { // building may read on
			b.inClass(m, b.ahead[i], stir, check)
		}
		b.ahead = b.ahead[:0]
		b.scratch.reuse()
	}
}

// inClass builds a statement of the module class.
func (b *builder) inClass(m *tir.Module, x pyStmt, stir, check bool) {
	switch x := x.(type) {
	case *funcStmt:
		b.addFunc(m, x, stir, check)
	case *exprStmt:
		b.moduleAttrs(m, x)
	case *passStmt:
	default:
		b.fail(x.at(), "a module holds functions and I.module_attrs only")
	}
}

// signature is what a call needs to know of a function of the module.
type signature struct{ ret dtype.DType }

// readOn reads the next statements of the class, if there are more.
func (b *builder) readOn() bool {
	stmts, more := b.text.member()
	for _, x := range stmts {
		if f, ok := x.(*funcStmt); ok {
			b.members[f.name] = b.signature(f)
		}
	}
	b.ahead = append(b.ahead, stmts...)
	return more
}

func (b *builder) signature(f *funcStmt) signature {
	if f.returns == nil {
		return signature{dtype.VoidType}
	}
	return signature{b.typeOf(f.returns)}
}

// member finds a function of the module, which may stand further down.
func (b *builder) member(id string) (signature, bool) {
	for {
		sig, ok := b.members[id]
		if ok || !b.readOn() {
			return sig, ok
		}
	}
}

func (b *builder) moduleAttrs(m *tir.Module, s *exprStmt) {
	if _, ok := s.x.(*textNode); ok {
		return
	}
	c, ok := s.x.(*callNode)
	if ok && dotted(c.fn) == "I.module_global_infos" && len(c.args) == 1 {
		if m.Infos != nil {
			b.fail(s.p, "the global infos of the module are given twice")
		}
		m.Infos = b.attributes(c.args[0])
		return
	}
	if !ok || dotted(c.fn) != "I.module_attrs" || len(c.args) != 1 {
		b.fail(s.p, "a module holds functions, I.module_attrs and I.module_global_infos only")
	}
	if m.Attrs != nil {
		b.fail(s.p, "the attributes of the module are given twice")
	}
	m.Attrs = b.attributes(c.args[0])
}

func (b *builder) addFunc(m *tir.Module, s *funcStmt, stir, check bool) {
	if b.taken[s.name] {
		b.fail(s.p, "a second function %s", s.name)
	}
	f := b.function(s, stir, check)
	if b.className == "" {
		b.nameAlone(f)
	}
	b.taken[f.Name] = true
	m.Funcs = append(m.Funcs, f)
}

// nameAlone names a function outside of any module: by its symbol, or main when
// it is private, which is what the printer writes.
func (b *builder) nameAlone(f *tir.PrimFunc) {
	name := "main"
	if v, ok := f.Attrs.Get(tir.AttrGlobalSymbol); ok {
		name, _ = v.(string)
	}
	if !b.taken[name] && name != "" {
		f.Name = name
	}
}

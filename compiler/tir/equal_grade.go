package tir

import "fmt"

// Likeness says how far two modules or functions are the same.
type Likeness uint8

// The degrees of likeness.
const (
	Different Likeness = iota
	// EqualUpToIndices: equal but for integer expressions that are written in
	// another way: indices, bindings, extents, domains and conditions which agree
	// wherever they were sampled in the domains of their variables.
	EqualUpToIndices
	// Identical: structurally equal.
	Identical
)

// String names the degree.
func (l Likeness) String() string {
	return [...]string{"different", "equal up to index arithmetic", "equal"}[l]
}

// Grade says how far two functions are the same. The text describes the first
// difference that keeps them from being more so; it is empty for Identical.
func Grade(a, b *PrimFunc) (Likeness, string) {
	return graded(Diff(a, b), func() string {
		d := newDiffer()
		d.loose = newSampler(d)
		d.function(a, b)
		return d.report
	})
}

// GradeModules is Grade for modules.
func GradeModules(a, b *Module) (Likeness, string) {
	return graded(DiffModules(a, b), func() string { return diffModules(a, b, true) })
}

func graded(strict string, loose func() string) (Likeness, string) {
	if strict == "" {
		return Identical, ""
	}
	if diff := loose(); diff != "" {
		return Different, diff
	}
	return EqualUpToIndices, strict
}

// DiffModules is Diff for modules.
func DiffModules(a, b *Module) string { return diffModules(a, b, false) }

func diffModules(a, b *Module, loose bool) string {
	d := newDiffer()
	if !d.annotations("global infos", a.Infos, b.Infos) || !d.annotations("module attributes", a.Attrs, b.Attrs) {
		return d.report
	}
	for _, f := range a.Funcs {
		g, ok := b.Lookup(f.Name)
		if !ok {
			return fmt.Sprintf("function %s is only in the first module", f.Name)
		}
		d := newDiffer()
		if loose {
			d.loose = newSampler(d)
		}
		if !d.function(f, g) {
			return "function " + f.Name + ": " + d.report
		}
	}
	for _, g := range b.Funcs {
		if _, ok := a.Lookup(g.Name); !ok {
			return fmt.Sprintf("function %s is only in the second module", g.Name)
		}
	}
	return ""
}

func isIndexType(e Expr) bool {
	t := e.DType()
	return t.Lanes == 1 && (t.IsInt() || t.IsBool())
}

// rollback forgets the pairs made since mark.
func (d *differ) rollback(mark int) {
	for _, p := range d.log[mark:] {
		delete(d.fwd, p[0])
		delete(d.back, p[1])
	}
	d.log = d.log[:mark]
}

// position compares expressions that place something: what they load from
// buffers is part of the arithmetic.
func (d *differ) position(f func() bool) bool {
	d.placing++
	defer func() { d.placing-- }()
	return f()
}

// domain remembers the domain of a variable of the first side, which is where it
// is sampled.
func (d *differ) domain(v *Var, r Range) {
	if d.loose != nil && r.Min != nil && r.Extent != nil {
		d.loose.domains[v] = r
	}
}

// defineLet pairs variables that are bound to values.
func (d *differ) defineLet(a, b *Var, value Expr) bool {
	if d.loose != nil {
		d.loose.lets[a] = value
	}
	return d.defineVar(a, b)
}

package feature

import "hone/compiler/tir"

// linear is an integer form c + Σ coef·atom. Terms are sorted by atom and never
// changed once made, so forms may share them.
type linear struct {
	c     int64
	terms []term
}

type term struct {
	coef int64
	atom int32
}

// atomKind says what an atom stands for.
type atomKind uint8

const (
	atomLoop atomKind = iota // the iteration number of a loop, from 0
	atomDiv                  // floor(a / k)
	atomMod                  // a - k·floor(a / k)
	atomMin                  // min(a, b)
	atomMax                  // max(a, b)
	atomMul                  // a · b
	atomHull                 // some value between the least and the greatest of a and b
	atomLane                 // 0 … k-1, all at once: the lanes of a vector
	atomWild                 // anything: a loaded value or an unknown variable
)

// atom is an opaque part of a linear form.
type atom struct {
	kind atomKind
	loop int32 // atomLoop: number of the loop
	k    int64 // atomDiv, atomMod, atomLane
	a, b linear
}

// interval is a closed range of integers.
type interval struct{ lo, hi int64 }

// wild is the range of the unknown: wide, but sums of a few do not overflow.
const wild = int64(1) << 40

func point(v int64) interval { return interval{v, v} }

func (i interval) hull(j interval) interval { return interval{min(i.lo, j.lo), max(i.hi, j.hi)} }

// span returns how many integers the range covers.
func (i interval) span() int64 { return i.hi - i.lo + 1 }

// clampWild keeps repeated products from overflowing.
func clampWild(v int64) int64 { return max(-wild, min(wild, v)) }

// forms makes and bounds linear forms. It is reset for each function.
type forms struct {
	atoms  []atom
	terms  []term // arena of all forms
	extent []int64
	depth  []int32 // of each loop on its path
	env    map[*tir.Var]linear
}

func (f *forms) reset() {
	f.atoms, f.terms, f.extent, f.depth = f.atoms[:0], f.terms[:0], f.extent[:0], f.depth[:0]
	if f.env == nil {
		f.env = map[*tir.Var]linear{}
	}
	clear(f.env)
}

// newAtom returns the form that consists of one new atom.
func (f *forms) newAtom(a atom) linear {
	f.atoms = append(f.atoms, a)
	at := len(f.terms)
	f.terms = append(f.terms, term{1, int32(len(f.atoms) - 1)})
	return linear{terms: f.terms[at : at+1 : at+1]}
}

// newLoop adds a loop and returns its iteration number as a form.
func (f *forms) newLoop(extent int64, depth int) (int32, linear) {
	id := int32(len(f.extent))
	f.extent = append(f.extent, extent)
	f.depth = append(f.depth, int32(depth))
	return id, f.newAtom(atom{kind: atomLoop, loop: id})
}

// add returns x + k·y.
func (f *forms) add(x, y linear, k int64) linear {
	out := linear{c: x.c + k*y.c}
	if len(y.terms) == 0 || k == 0 {
		out.terms = x.terms
		return out
	}
	if len(x.terms) == 0 && k == 1 {
		out.terms = y.terms
		return out
	}
	at, i, j := len(f.terms), 0, 0
	for i < len(x.terms) || j < len(y.terms) {
		switch {
		case j == len(y.terms) || i < len(x.terms) && x.terms[i].atom < y.terms[j].atom:
			f.terms = append(f.terms, x.terms[i])
			i++
		case i == len(x.terms) || y.terms[j].atom < x.terms[i].atom:
			f.terms = append(f.terms, term{k * y.terms[j].coef, y.terms[j].atom})
			j++
		default:
			if c := x.terms[i].coef + k*y.terms[j].coef; c != 0 {
				f.terms = append(f.terms, term{c, x.terms[i].atom})
			}
			i++
			j++
		}
	}
	out.terms = f.terms[at:len(f.terms):len(f.terms)]
	return out
}

// scale returns k·x.
func (f *forms) scale(x linear, k int64) linear { return f.add(linear{}, x, k) }

// divMod returns floor(x/k) and the remainder. Terms that k divides leave the
// division; if what is left stays within one period nothing remains to divide.
func (f *forms) divMod(x linear, k int64) (div, mod linear) {
	quotient := linear{c: tir.FloorDivInt(x.c, k)}
	rest := linear{c: x.c - quotient.c*k}
	for _, t := range x.terms {
		f.terms = append(f.terms, term{1, t.atom})
		one := linear{terms: f.terms[len(f.terms)-1:]}
		if t.coef%k == 0 {
			quotient = f.add(quotient, one, t.coef/k)
		} else {
			rest = f.add(rest, one, t.coef)
		}
	}
	if b := f.bounds(rest, 0); b.lo >= 0 && b.hi < k {
		return quotient, rest
	}
	return f.add(quotient, f.newAtom(atom{kind: atomDiv, k: k, a: rest}), 1), f.newAtom(atom{kind: atomMod, k: k, a: rest})
}

// bounds returns the range of x when the loops at depth level and deeper run
// through their ranges and the outer ones stand at their first iteration.
func (f *forms) bounds(x linear, level int) interval {
	r := point(x.c)
	for _, t := range x.terms {
		b := f.atomBounds(t.atom, level)
		if t.coef < 0 {
			b.lo, b.hi = b.hi, b.lo
		}
		r.lo += t.coef * b.lo
		r.hi += t.coef * b.hi
	}
	return interval{clampWild(r.lo), clampWild(r.hi)}
}

func (f *forms) atomBounds(id int32, level int) interval {
	a := &f.atoms[id]
	switch a.kind {
	case atomLoop:
		if int(f.depth[a.loop]) < level {
			return point(0)
		}
		return interval{0, f.extent[a.loop] - 1}
	case atomLane:
		return interval{0, a.k - 1}
	case atomWild:
		return interval{-wild, wild}
	case atomDiv:
		b := f.bounds(a.a, level)
		return interval{tir.FloorDivInt(b.lo, a.k), tir.FloorDivInt(b.hi, a.k)}
	case atomMod:
		b := f.bounds(a.a, level)
		if lo := tir.FloorDivInt(b.lo, a.k); lo == tir.FloorDivInt(b.hi, a.k) {
			return interval{b.lo - lo*a.k, b.hi - lo*a.k}
		}
		return interval{0, a.k - 1}
	}
	x, y := f.bounds(a.a, level), f.bounds(a.b, level)
	switch a.kind {
	case atomMin:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}
	case atomMax:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}
	case atomMul:
		return product(x, y)
	}
	return x.hull(y)
}

// product bounds the product of two ranges; operands are cut to keep it small.
func product(x, y interval) interval {
	const top = 1 << 30
	cut := func(v int64) int64 { return max(-top, min(top, v)) }
	r := point(cut(x.lo) * cut(y.lo))
	for _, v := range [...]int64{cut(x.lo) * cut(y.hi), cut(x.hi) * cut(y.lo), cut(x.hi) * cut(y.hi)} {
		r = r.hull(point(v))
	}
	return interval{clampWild(r.lo), clampWild(r.hi)}
}

// coef returns by how much one step of the loop moves x, without sign: exactly
// for linear parts, for the rest the step of the operand (at least 1).
func (f *forms) coef(x linear, loop int32) int64 {
	sum := int64(0)
	for _, t := range x.terms {
		a := &f.atoms[t.atom]
		switch a.kind {
		case atomLoop:
			if a.loop == loop {
				sum += t.coef
			}
		case atomLane, atomWild:
		case atomDiv:
			if c := f.coef(a.a, loop); c != 0 {
				sum += t.coef * max(1, c/a.k)
			}
		case atomMod:
			sum += t.coef * min(f.coef(a.a, loop), a.k-1)
		default:
			sum += t.coef * max(f.coef(a.a, loop), f.coef(a.b, loop))
		}
	}
	return max(sum, -sum)
}

// eval turns an index expression into a form; what it cannot follow is wild.
func (f *forms) eval(e tir.Expr) linear {
	switch e := e.(type) {
	case *tir.IntImm:
		return linear{c: clampWild(e.Value)}
	case *tir.Var:
		if x, ok := f.env[e]; ok {
			return x
		}
	case *tir.Cast:
		return f.eval(e.Value)
	case *tir.Binary:
		return f.evalBinary(e)
	case *tir.Select:
		return f.hull(f.eval(e.Then), f.eval(e.Else))
	case *tir.Call:
		if e.Op == opIfThenElse && len(e.Args) == 3 {
			return f.hull(f.eval(e.Args[1]), f.eval(e.Args[2]))
		}
	case *tir.Let:
		f.env[e.Var] = f.eval(e.Value)
		return f.eval(e.Body)
	case *tir.Broadcast:
		return f.eval(e.Value)
	case *tir.Ramp:
		if s := f.eval(e.Stride); len(s.terms) == 0 {
			return f.add(f.eval(e.Base), f.newAtom(atom{kind: atomLane, k: int64(e.Lanes)}), s.c)
		}
	}
	return f.newAtom(atom{kind: atomWild})
}

func (f *forms) hull(a, b linear) linear {
	if len(a.terms) == 0 && len(b.terms) == 0 && a.c == b.c {
		return a
	}
	return f.newAtom(atom{kind: atomHull, a: a, b: b})
}

func (f *forms) evalBinary(e *tir.Binary) linear {
	a, b := f.eval(e.A), f.eval(e.B)
	constB := len(b.terms) == 0
	switch e.Op {
	case tir.OpAdd:
		return f.add(a, b, 1)
	case tir.OpSub:
		return f.add(a, b, -1)
	case tir.OpMul:
		if constB {
			return f.scale(a, b.c)
		}
		if len(a.terms) == 0 {
			return f.scale(b, a.c)
		}
		return f.newAtom(atom{kind: atomMul, a: a, b: b})
	case tir.OpDiv, tir.OpFloorDiv, tir.OpMod, tir.OpFloorMod:
		if !constB || b.c <= 0 {
			break
		}
		div, mod := f.divMod(a, b.c)
		if e.Op == tir.OpDiv || e.Op == tir.OpFloorDiv {
			return div
		}
		return mod
	case tir.OpMin:
		return f.newAtom(atom{kind: atomMin, a: a, b: b})
	case tir.OpMax:
		return f.newAtom(atom{kind: atomMax, a: a, b: b})
	}
	return f.newAtom(atom{kind: atomWild})
}

package tir

import "math/rand/v2"

// sampler compares integer expressions by their values at places in the domains
// of their variables: at all of them when they are few, else at corners and at
// random.
type sampler struct {
	d       *differ
	domains map[*Var]Range // of the first side's loop variables and iterators
	lets    map[*Var]Expr  // values of its bindings
	numbers map[*Buffer]uint64
}

func newSampler(d *differ) *sampler {
	return &sampler{d: d, domains: map[*Var]Range{}, lets: map[*Var]Expr{}, numbers: map[*Buffer]uint64{}}
}

// number tells buffers of the first side apart.
func (s *sampler) number(b *Buffer) uint64 {
	n, ok := s.numbers[b]
	if !ok {
		n = uint64(len(s.numbers) + 1)
		s.numbers[b] = n
	}
	return n
}

// Bounds on the work for one pair of expressions.
const (
	maxPlaces   = 1 << 14 // visited one by one when there are no more
	corners     = 64
	randomDraws = 4096
	openDomain  = 48 // values of a variable without domain, from 1
)

// agree reports whether two expressions of one type have equal values.
func (s *sampler) agree(a, b Expr) bool {
	p := &pairEval{sampler: s, env: map[*Var]int64{}, seen: map[*Var]bool{}}
	if !p.need(a, false) || !p.need(b, true) {
		return false
	}
	r := rand.New(rand.NewPCG(1, 1))
	for k := range corners {
		if !p.draw(func(i int, n int64) int64 {
			if i >= 6 {
				return r.Int64N(n)
			}
			return (n - 1) * int64(k>>i&1)
		}) || !p.equal(a, b) {
			return false
		}
	}
	if sizes, ok := p.sizes(); ok {
		return p.everywhere(sizes, a, b)
	}
	for range randomDraws {
		if !p.draw(func(_ int, n int64) int64 { return r.Int64N(n) }) || !p.equal(a, b) {
			return false
		}
	}
	return true
}

// pairEval evaluates one pair of expressions. Variables of the second side stand
// for those of the first that they are paired with.
type pairEval struct {
	*sampler
	vars []*Var // of the first side, each after those its domain needs
	seen map[*Var]bool
	env  map[*Var]int64
}

// need lists the free variables of an expression; it is false when one of them
// has no counterpart.
func (p *pairEval) need(e Expr, second bool) bool {
	ok := true
	bound := map[*Var]bool{}
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Let:
			bound[x.Var] = true
		case *Var:
			if bound[x] {
				return true
			}
			v, known := p.first(x, second)
			if ok = ok && known && v.Type.Lanes == 1 && (v.Type.IsInt() || v.Type.IsBool()); ok {
				p.add(v)
			}
		}
		return ok
	})
	return ok
}

func (p *pairEval) first(v *Var, second bool) (*Var, bool) {
	if !second {
		return v, true
	}
	if w, ok := p.d.back[v].(*Var); ok {
		return w, true
	}
	_, taken := p.d.fwd[v]
	return v, !taken && p.seen[v]
}

func (p *pairEval) add(v *Var) {
	if p.seen[v] {
		return
	}
	p.seen[v] = true
	dom, ok := p.domains[v]
	if ok {
		p.need(dom.Min, false)
		p.need(dom.Extent, false)
	} else if e := p.lets[v]; e != nil {
		p.need(e, false)
	}
	p.vars = append(p.vars, v)
}

// draw gives every variable a value; pick chooses one of the n values of the
// i-th variable, from 0.
func (p *pairEval) draw(pick func(i int, n int64) int64) bool {
	for i, v := range p.vars {
		lo, n := int64(1), int64(openDomain)
		if v.Type.IsBool() {
			lo, n = 0, 2
		}
		ev := &intEval{pair: p}
		if dom, ok := p.domains[v]; ok {
			lo, n = ev.value(dom.Min), ev.value(dom.Extent)
		} else if e := p.lets[v]; e != nil {
			lo, n = ev.value(e), 1
		}
		if ev.unknown {
			return false
		}
		p.env[v] = lo + pick(i, max(n, 1))
	}
	return true
}

// sizes are the extents of the variables when they are constants and the places
// few enough to visit them all.
func (p *pairEval) sizes() ([]int64, bool) {
	out := make([]int64, len(p.vars))
	places := int64(1)
	for i, v := range p.vars {
		n, ok := AsInt(p.domains[v].Extent)
		_, fixed := AsInt(p.domains[v].Min)
		if !ok || !fixed || n > maxPlaces {
			return nil, false
		}
		out[i] = max(n, 1)
		if places *= out[i]; places > maxPlaces {
			return nil, false
		}
	}
	return out, true
}

func (p *pairEval) everywhere(sizes []int64, a, b Expr) bool {
	at := make([]int64, len(sizes))
	for {
		if !p.draw(func(i int, _ int64) int64 { return at[i] }) || !p.equal(a, b) {
			return false
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < sizes[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return true
		}
	}
}

// equal compares both values at the place drawn; where one has none, a division
// by zero, the other counts as equal.
func (p *pairEval) equal(a, b Expr) bool {
	x, y := &intEval{pair: p}, &intEval{pair: p, second: true}
	v, w := x.value(a), y.value(b)
	if x.unknown || y.unknown {
		return false
	}
	return v == w || x.undefined || y.undefined
}

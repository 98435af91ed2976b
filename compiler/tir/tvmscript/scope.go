package tvmscript

import (
	"slices"

	"hone/compiler/tir"
)

// scope holds the names that one body binds. Few names are searched from the
// last, many are found by an index.
type scope struct {
	names []binding
	index map[string]int // of names, once there are more than fewNames
	kept  bool           // by a lambda that may outlive it
}

type binding struct {
	id  string
	val any
}

const fewNames = 16

func (s *scope) find(id string) int {
	if s.index != nil {
		if i, ok := s.index[id]; ok {
			return i
		}
		return -1
	}
	for i := len(s.names) - 1; i >= 0; i-- {
		if s.names[i].id == id {
			return i
		}
	}
	return -1
}

func (s *scope) bind(id string, v any) {
	if i := s.find(id); i >= 0 {
		s.names[i].val = v
		return
	}
	if s.names == nil {
		s.names = make([]binding, 0, 4)
	}
	s.names = append(s.names, binding{id, v})
	switch {
	case s.index != nil:
		s.index[id] = len(s.names) - 1
	case len(s.names) > fewNames:
		s.index = make(map[string]int, 2*len(s.names))
		for i, n := range s.names {
			s.index[n.id] = i
		}
	}
}

// open begins a scope inside the present ones.
func (b *builder) open() {
	n := len(b.spare)
	if n == 0 {
		b.scopes = append(b.scopes, new(scope))
		return
	}
	b.scopes, b.spare = append(b.scopes, b.spare[n-1]), b.spare[:n-1]
}

// close ends the innermost scope.
func (b *builder) close() {
	n := len(b.scopes) - 1
	s := b.scopes[n]
	b.scopes = b.scopes[:n]
	if s.kept {
		return
	}
	clear(s.names)
	s.names, s.index = s.names[:0], nil
	b.spare = append(b.spare, s)
}

// keepScopes is a list of the open scopes, none of which serves another body later.
func (b *builder) keepScopes() []*scope {
	for _, s := range b.scopes {
		s.kept = true
	}
	return slices.Clone(b.scopes)
}

// lookup finds a name in the scopes around, innermost first.
func (b *builder) lookup(id string) (any, bool) {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if j := b.scopes[i].find(id); j >= 0 {
			return b.scopes[i].names[j].val, true
		}
	}
	return nil, false
}

func (b *builder) bind(id string, v any) { b.scopes[len(b.scopes)-1].bind(id, v) }

// define gives a name of the innermost scope a value, once; "_" is no name.
func (b *builder) define(id string, v any, at pos) {
	s := b.scopes[len(b.scopes)-1]
	if i := s.find(id); i >= 0 && id != "_" && !sameValue(s.names[i].val, v) {
		b.fail(at, "%s has a value here already", id)
	}
	s.bind(id, v)
}

// sameValue compares values; those that hold lists are never the same.
func sameValue(x, y any) bool { return !holdsLists(x) && !holdsLists(y) && x == y }

func holdsLists(v any) bool {
	switch v.(type) {
	case []any, map[string]any, tir.Region, tir.Target, tir.GlobalInfo:
		return true
	}
	return false
}

// nameSet finds names that are given twice.
type nameSet struct {
	few  [fewNames]string
	n    int
	many map[string]bool // once there are more
}

// add reports whether the name is new.
func (s *nameSet) add(name string) bool {
	if s.many != nil {
		fresh := !s.many[name]
		s.many[name] = true
		return fresh
	}
	if slices.Contains(s.few[:s.n], name) {
		return false
	}
	if s.n < fewNames {
		s.few[s.n] = name
		s.n++
		return true
	}
	s.many = map[string]bool{name: true}
	for _, n := range s.few {
		s.many[n] = true
	}
	return true
}

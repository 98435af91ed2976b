// Package registry is the one way Hone lists the members of an open set (operators,
// primitives, rules, passes, targets): named values added at start-up and looked up by
// name. It imports the standard library only; start from New.
package registry

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds the members of one kind, keyed by name. It is filled while packages
// initialise and read afterwards; it is not made for concurrent Add.
type Registry[T any] struct {
	what    string
	members map[string]T
}

// New makes a registry; what is the singular noun used in messages ("operator").
func New[T any](what string) *Registry[T] {
	return &Registry[T]{what: what, members: map[string]T{}}
}

// Add registers v under name and returns v, so that a package variable can hold it. A name
// taken twice is a mistake of the program.
func (r *Registry[T]) Add(name string, v T) T {
	if _, taken := r.members[name]; taken || name == "" {
		panic(fmt.Sprintf("BUG: %s %q registered twice or without a name", r.what, name))
	}
	r.members[name] = v
	return v
}

// Lookup finds a member; the error lists the names there are.
func (r *Registry[T]) Lookup(name string) (T, error) {
	v, ok := r.members[name]
	if !ok {
		return v, fmt.Errorf("unknown %s %q (known: %s)", r.what, name, strings.Join(r.Names(), ", "))
	}
	return v, nil
}

// Names lists the members in alphabetical order.
func (r *Registry[T]) Names() []string {
	names := make([]string, 0, len(r.members))
	for n := range r.members {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// All yields every member in the order of Names.
func (r *Registry[T]) All() []T {
	all := make([]T, 0, len(r.members))
	for _, n := range r.Names() {
		all = append(all, r.members[n])
	}
	return all
}

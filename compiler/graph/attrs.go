package graph

import (
	"slices"
	"sort"
)

// Attr is one attribute of a node. Value is int64, float64, string, bool,
// []int64, []float64 or []string.
type Attr struct {
	Key   string
	Value any
}

// Attrs is an immutable set of attributes sorted by key.
type Attrs []Attr

// A builds attributes from alternating keys and values; int and []int are
// accepted and stored as int64 and []int64.
func A(kv ...any) Attrs {
	var a Attrs
	for i := 0; i+1 < len(kv); i += 2 {
		a = a.With(kv[i].(string), kv[i+1])
	}
	return a
}

// With returns a copy in which key has value.
func (a Attrs) With(key string, value any) Attrs {
	switch v := value.(type) {
	case int:
		value = int64(v)
	case []int:
		w := make([]int64, len(v))
		for i, x := range v {
			w[i] = int64(x)
		}
		value = w
	}
	i := sort.Search(len(a), func(i int) bool { return a[i].Key >= key })
	out := slices.Clone(a[:i])
	out = append(out, Attr{key, value})
	if i < len(a) && a[i].Key == key {
		i++
	}
	return append(out, a[i:]...)
}

// Get returns the value of key.
func (a Attrs) Get(key string) (any, bool) {
	for i := range a {
		if a[i].Key == key {
			return a[i].Value, true
		}
	}
	return nil, false
}

func get[T any](a Attrs, key string) T {
	v, _ := a.Get(key)
	t, _ := v.(T)
	return t
}

// Int returns an integer attribute, 0 when absent.
func (a Attrs) Int(key string) int64 { return get[int64](a, key) }

// Float returns a float attribute, 0 when absent.
func (a Attrs) Float(key string) float64 { return get[float64](a, key) }

// Str returns a string attribute, "" when absent.
func (a Attrs) Str(key string) string { return get[string](a, key) }

// Bool returns a bool attribute, false when absent.
func (a Attrs) Bool(key string) bool { return get[bool](a, key) }

// Ints returns a list attribute, nil when absent. It must not be written to.
func (a Attrs) Ints(key string) []int64 { return get[[]int64](a, key) }

// Floats returns a list attribute, nil when absent. It must not be written to.
func (a Attrs) Floats(key string) []float64 { return get[[]float64](a, key) }

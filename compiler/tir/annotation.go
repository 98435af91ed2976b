package tir

import "sort"

// Annotation is one key of a loop, block, function or module. Value is plain:
// int64, float64, bool, string, []any, map[string]any, an *IndexMap or a Target.
// Integers of any Go type are normalised to int64 by With.
type Annotation struct {
	Key   string
	Value any
}

// Target is what a function is compiled for, as T.target was given it: a text or
// a map.
type Target struct{ Config any }

// GlobalInfo is an entry of the global infos of a module: the name of what makes
// it, and the arguments of that.
type GlobalInfo struct {
	Kind string
	Args []any
}

// Annotations is an immutable map sorted by key.
type Annotations []Annotation

// Get returns the value of key.
func (a Annotations) Get(key string) (any, bool) {
	for i := range a {
		if a[i].Key == key {
			return a[i].Value, true
		}
	}
	return nil, false
}

// Int returns an integer value of key; bools count as 0 and 1.
func (a Annotations) Int(key string) (int64, bool) {
	v, ok := a.Get(key)
	if !ok {
		return 0, false
	}
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// With returns a copy in which key has value.
func (a Annotations) With(key string, value any) Annotations {
	value = PlainValue(value)
	i := sort.Search(len(a), func(i int) bool { return a[i].Key >= key })
	out := make(Annotations, 0, len(a)+1)
	out = append(out, a[:i]...)
	out = append(out, Annotation{key, value})
	if i < len(a) && a[i].Key == key {
		i++
	}
	return append(out, a[i:]...)
}

// Without returns a copy that lacks key.
func (a Annotations) Without(key string) Annotations {
	out := make(Annotations, 0, len(a))
	for _, x := range a {
		if x.Key != key {
			out = append(out, x)
		}
	}
	return out
}

// PlainValue normalises an annotation value: Go integers and constant
// expressions become int64, float64, bool or string, lists become []any.
func PlainValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case *IntImm:
		if v.Type.IsBool() {
			return v.Value != 0
		}
		return v.Value
	case *FloatImm:
		return v.Value
	case *StringImm:
		return v.Value
	case []int64:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = x
		}
		return out
	case []string:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = x
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = PlainValue(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = PlainValue(x)
		}
		return out
	}
	return v
}

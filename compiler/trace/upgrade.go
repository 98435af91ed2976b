package trace

import (
	"encoding/json"
	"strings"
)

// Older releases spelled some things differently; the first ones are read as if
// they were the second.
var renamed = map[string]string{
	"GetBlock": "GetSBlock",
}

// splitFlags is how many attributes Split has had since it can go without
// predicates; a shorter list is completed with zeros.
const splitFlags = 2

// upgrade translates a kind and its attributes, as JSON gave them.
func upgrade(kind string, attrs []any) (string, []any) {
	if n, ok := renamed[kind]; ok {
		kind = n
	}
	if kind == "Split" {
		for len(attrs) < splitFlags {
			attrs = append(attrs, json.Number("0"))
		}
	}
	return kind, attrs
}

// typeKey translates the type key of a node, and the name of an operator: the
// dialect was tir before it was tirx, and some releases keep scalar nodes in
// prim.
func typeKey(k string) string {
	for _, old := range [...]string{"tir.", "prim."} {
		if rest, ok := strings.CutPrefix(k, old); ok {
			k = "tirx." + rest
		}
	}
	switch k {
	case "tirx.Var":
		return "ir.Var"
	case "IntImm", "FloatImm":
		return "ir." + k
	}
	return k
}

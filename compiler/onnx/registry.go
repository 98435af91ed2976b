package onnx

import (
	"fmt"
	"sort"
)

// importFunc imports one node: it emits graph operators and sets the results.
type importFunc func(c *opCtx)

// versioned is the importer of an operator from an opset version on.
type versioned struct {
	since int64
	f     importFunc
}

var importers = map[string][]versioned{}

// register adds the importer of an ai.onnx operator for opsets from since on.
// Operators whose form changed register once per form.
func register(op string, since int64, f importFunc) { registerDomain("", op, since, f) }

func registerDomain(domain, op string, since int64, f importFunc) {
	key := domain + "::" + op
	for _, v := range importers[key] {
		if v.since == since {
			panic(fmt.Sprintf("BUG: ONNX operator %s registered twice for opset %d", key, since))
		}
	}
	importers[key] = append(importers[key], versioned{since, f})
	sort.Slice(importers[key], func(i, j int) bool { return importers[key][i].since < importers[key][j].since })
}

// lookupImporter finds the newest form that a version of the opset has. A
// domain without a stated version gets its newest.
func lookupImporter(domain, op string, version int64) importFunc {
	if version == 0 {
		version = maxOpset
	}
	var found importFunc
	for _, v := range importers[domain+"::"+op] {
		if v.since <= version {
			found = v.f
		}
	}
	return found
}

// Supported lists the importable ONNX operators, "domain::" before those of
// other domains than ai.onnx.
func Supported() []string {
	var names []string
	for _, k := range sortedKeys(importers) {
		if k[:2] == "::" {
			k = k[2:]
		}
		names = append(names, k)
	}
	return names
}

package schedule

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Method is the name of the primitive in refusals, scripts and file names:
// get_sblock for GetSBlock. Capitals start a word, except in the names that are
// one word with two.
func (k *Kind) Method() string {
	name := k.Name
	for _, one := range [...][2]string{{"SBlock", "Sblock"}, {"ReIndex", "Reindex"}, {"RFactor", "Rfactor"}, {"DType", "Dtype"}} {
		name = strings.Replace(name, one[0], one[1], 1)
	}
	out := make([]rune, 0, len(name)+4)
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 {
				out = append(out, '_')
			}
			r = unicode.ToLower(r)
		}
		out = append(out, r)
	}
	return string(out)
}

// Handle makes a handle of the kind that the first letter of a name in a trace
// says: b, l or v.
func Handle(letter byte, n int32) (any, error) {
	switch letter {
	case 'b':
		return BlockRV(n), nil
	case 'l':
		return LoopRV(n), nil
	case 'v':
		return ExprRV{id: n}, nil
	}
	return nil, fmt.Errorf("a result is named %q…, want b, l or v", letter)
}

// Normalise brings flags that a text wrote the other way (true for 1) to the
// form of their slots, in place.
func (k *Kind) Normalise(attrs []any) []any {
	for i, v := range attrs {
		if i >= len(k.Attrs) {
			break
		}
		switch x := v.(type) {
		case bool:
			if k.Attrs[i].Kind == SlotFlag {
				attrs[i] = flag(x)
			}
		case int64:
			if k.Attrs[i].Kind == SlotBool {
				attrs[i] = x != 0
			}
		}
	}
	return attrs
}

// CheckOutputs verifies that results have the form which the kind gives.
func (k *Kind) CheckOutputs(outs []any) error {
	single := k.Out == OutBlock || k.Out == OutLoop || k.Out == OutExpr
	if single && len(outs) != 1 || k.Out == OutNone && len(outs) != 0 {
		return fmt.Errorf("%s: %d outputs", k.Name, len(outs))
	}
	for i, o := range outs {
		ok := false
		switch o.(type) {
		case BlockRV:
			ok = k.Out == OutBlock || k.Out == OutBlocks
		case LoopRV:
			ok = k.Out == OutLoop || k.Out == OutLoops
		case ExprRV:
			ok = k.Out == OutExpr || k.Out == OutExprs
		}
		if !ok {
			return fmt.Errorf("%s: output %d is a %T", k.Name, i, o)
		}
	}
	return nil
}

// ParseDecision reads a decision that JSON gave as numbers.
func (k *Kind) ParseDecision(v any) (any, error) {
	switch k.Decision {
	case IntDecision:
		if n, ok := v.(json.Number); ok {
			return n.Int64()
		}
	case IntsDecision:
		list, ok := v.([]any)
		if !ok {
			break
		}
		out := make([]int64, len(list))
		for i, x := range list {
			n, ok := x.(json.Number)
			if !ok {
				return nil, fmt.Errorf("%s: decision %v is no list of integers", k.Name, v)
			}
			var err error
			if out[i], err = n.Int64(); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: decision %v has the wrong form", k.Name, v)
}

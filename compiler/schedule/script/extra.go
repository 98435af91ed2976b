package script

import (
	"math"

	"hone/compiler/schedule"
	"hone/internal/rng"
)

// extra is a method that makes no instruction.
type extra struct {
	params []schedule.Param
	call   func(o *object, args map[string]bound) (any, error)
}

var extras = map[string]extra{
	"work_on":               {params("func_name"), workOn},
	"seed":                  {params("seed"), seed},
	"can_decompose_padding": {params("block", "loop"), canDecomposePadding},
}

func workOn(o *object, args map[string]bound) (any, error) {
	a := args["func_name"]
	name, ok := a.Value.(string)
	if !ok {
		return nil, a.Errorf("func_name of work_on is a string, this is %s", describe(a.Value))
	}
	return nil, o.s.WorkOn(name)
}

func seed(o *object, args map[string]bound) (any, error) {
	a := args["seed"]
	n, ok := integer(a.Value)
	if !ok || n < 1 || n > math.MaxInt32 {
		return nil, a.Errorf("seed is an integer from 1 to %d, this is %s", math.MaxInt32, describe(a.Value))
	}
	o.s.Seed(rng.New(uint64(n), "script"))
	return nil, nil
}

func canDecomposePadding(o *object, args map[string]bound) (any, error) {
	a, l := args["block"], args["loop"]
	v, err := o.find(a.Value)
	if err != nil {
		return nil, err
	}
	block, ok := v.(schedule.BlockRV)
	if !ok {
		return nil, a.Errorf("block of can_decompose_padding is a block, this is %s", describe(a.Value))
	}
	loop, ok := l.Value.(schedule.LoopRV)
	if !ok {
		return nil, l.Errorf("loop of can_decompose_padding is a loop, this is %s", describe(l.Value))
	}
	return o.s.CanDecomposePadding(block, loop), nil
}

func params(names ...string) []schedule.Param {
	out := make([]schedule.Param, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

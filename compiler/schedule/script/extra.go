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
	"work_on": {params("func_name"), func(o *object, args map[string]bound) (any, error) {
		name, ok := args["func_name"].Value.(string)
		if !ok {
			return nil, args["func_name"].Errorf("func_name of work_on is a text, this is %s", describe(args["func_name"].Value))
		}
		return nil, o.s.WorkOn(name)
	}},
	"can_decompose_padding": {params("block", "loop"), func(o *object, args map[string]bound) (any, error) {
		b, ok := args["block"].Value.(schedule.BlockRV)
		l, ok2 := args["loop"].Value.(schedule.LoopRV)
		if !ok || !ok2 {
			return nil, args["block"].Errorf("can_decompose_padding takes a block and a loop")
		}
		return o.s.CanDecomposePadding(b, l), nil
	}},
	"seed": {params("seed"), func(o *object, args map[string]bound) (any, error) {
		n, ok := integer(args["seed"].Value)
		if !ok || n < 1 || n > math.MaxInt32 {
			return nil, args["seed"].Errorf("seed is an integer from 1 to %d, this is %s", math.MaxInt32, describe(args["seed"].Value))
		}
		o.s.Seed(rng.New(uint64(n), "script"))
		return nil, nil
	}},
}

func params(names ...string) []schedule.Param {
	out := make([]schedule.Param, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

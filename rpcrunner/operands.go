package rpcrunner

import (
	"encoding/json"
	"fmt"

	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// operandCache keeps the sealed inputs and the expected outputs of the latest argument
// set: generating and computing them costs more than measuring, and the items of a task
// share them.
type operandCache struct {
	key    string
	inputs []*executor.Sealed // by argument, nil for outputs

	expectKey string
	expected  []*executor.Sealed // by output, in order
	magnitude []*executor.Sealed // the same, or nil
}

// use makes the cache hold the inputs of item.
func (c *operandCache) use(item *wire.Work) error {
	b, err := json.Marshal(struct {
		Project string
		Seed    uint64
		Args    []wire.Arg
	}{item.Project, item.Seed, item.Args})
	if err != nil {
		return fmt.Errorf("operands: %w", err)
	}
	if c.key == string(b) {
		return nil
	}
	c.clear()
	for i, a := range item.Args {
		var s *executor.Sealed
		if a.Role != wire.RoleOut {
			data, err := wire.Generate(a, i, item.Seed)
			if err == nil {
				s, err = executor.Seal(data)
			}
			if err != nil {
				c.clear()
				return err
			}
		}
		c.inputs = append(c.inputs, s)
	}
	c.key = string(b)
	return nil
}

// expectation names what the expected outputs were computed from.
func expectation(e *wire.Expect) string {
	b, err := json.Marshal([]any{e.Reference, e.Magnitude, e.OutputsSHA256})
	if err != nil {
		panic("BUG: an expectation does not encode: " + err.Error())
	}
	return string(b)
}

func (c *operandCache) forgetExpected() {
	closeAll(c.expected)
	closeAll(c.magnitude)
	c.expected, c.magnitude, c.expectKey = nil, nil, ""
}

func (c *operandCache) clear() {
	c.forgetExpected()
	closeAll(c.inputs)
	c.inputs, c.key = nil, ""
}

func closeAll(list []*executor.Sealed) {
	for _, s := range list {
		if s != nil {
			_ = s.Close()
		}
	}
}

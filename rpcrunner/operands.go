package rpcrunner

import (
	"encoding/json"
	"fmt"

	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// operandCache keeps the sealed inputs and the expected outputs of recent argument sets:
// generating and computing them costs more than measuring, the items of a task share them,
// and the items of a job's tasks come in turn.
type operandCache struct {
	sets []*operandSet // most recently used first
}

// Bounds of the cache.
const (
	maxOperandSets  = 32
	maxOperandBytes = 1 << 30
)

// operandSet is the data of one argument set (project, arguments, seed).
type operandSet struct {
	key    string
	bytes  int64
	inputs []*executor.Sealed // by argument, nil for outputs

	expectKey string
	expected  []*executor.Sealed // by output, in order
}

// use returns the set of an item, generating its inputs when they are not there.
func (c *operandCache) use(item *wire.Work) (*operandSet, error) {
	b, err := json.Marshal(struct {
		Project string
		Seed    uint64
		Args    []wire.Arg
	}{item.Project, item.Seed, item.Args})
	if err != nil {
		return nil, fmt.Errorf("operands: %w", err)
	}
	key := string(b)
	for i, s := range c.sets {
		if s.key == key {
			copy(c.sets[1:i+1], c.sets[:i])
			c.sets[0] = s
			return s, nil
		}
	}
	s, err := generate(item, key)
	if err != nil {
		return nil, err
	}
	c.sets = append([]*operandSet{s}, c.sets...)
	c.trim()
	return s, nil
}

func generate(item *wire.Work, key string) (*operandSet, error) {
	s := &operandSet{key: key}
	for i, a := range item.Args {
		var f *executor.Sealed
		if a.Role != wire.RoleOut {
			data, err := wire.Generate(a, i, item.Seed)
			if err == nil {
				f, err = executor.Seal(data)
			}
			if err != nil {
				s.close()
				return nil, err
			}
		}
		s.inputs = append(s.inputs, f)
		s.bytes += 2 * a.Bytes() // outputs: and what is expected of them
	}
	return s, nil
}

// trim drops the sets unused for longest; the first one stays.
func (c *operandCache) trim() {
	total := int64(0)
	for i, s := range c.sets {
		total += s.bytes
		if i > 0 && (total > maxOperandBytes || i >= maxOperandSets) {
			for _, old := range c.sets[i:] {
				old.close()
			}
			c.sets = c.sets[:i]
			return
		}
	}
}

func (c *operandCache) clear() {
	for _, s := range c.sets {
		s.close()
	}
	c.sets = nil
}

func (s *operandSet) forgetExpected() {
	closeAll(s.expected)
	s.expected, s.expectKey = nil, ""
}

func (s *operandSet) close() {
	s.forgetExpected()
	closeAll(s.inputs)
	s.inputs = nil
}

func closeAll(list []*executor.Sealed) {
	for _, s := range list {
		if s != nil {
			_ = s.Close()
		}
	}
}

// expectation names what the expected outputs were computed from.
func expectation(e *wire.Expect) string {
	b, err := json.Marshal([]any{e.Reference, e.OutputsSHA256})
	if err != nil {
		panic("BUG: an expectation does not encode: " + err.Error())
	}
	return string(b)
}

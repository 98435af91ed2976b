package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// Param is one parameter of the Python method of a kind.
type Param struct {
	Name     string
	Variadic bool // it takes all further positional arguments
	Keyword  bool // it is given by keyword only
	Optional bool
	Default  any // of an optional one: nil, bool or int64
}

// Accepts reports whether a value has the form of the slot.
func (s Slot) Accepts(v any) bool { return s.Kind.accepts(v) }

// Parameters are those of Params, in order.
func (k *Kind) Parameters() []Param { return k.params }

func parseParams(text string) ([]Param, error) {
	var out []Param
	keyword := false
	for _, word := range strings.Split(text, ", ") {
		if word == "" {
			continue
		}
		if word == "*" {
			keyword = true
			continue
		}
		p := Param{Keyword: keyword}
		p.Name, p.Variadic = strings.CutPrefix(word, "*")
		keyword = keyword || p.Variadic
		if name, def, ok := strings.Cut(p.Name, "="); ok {
			p.Name, p.Optional = name, true
			var err error
			if p.Default, err = parseDefault(def); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", name, err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func parseDefault(text string) (any, error) {
	switch text {
	case "None":
		return nil, nil
	case "True", "False":
		return text == "True", nil
	}
	return strconv.ParseInt(text, 10, 64)
}

// ParamOf names the parameter that a slot takes its value from: its own name, or
// "buffer", which stands for the pair of an index and a direction.
func (k *Kind) ParamOf(s Slot) string {
	own := s.Name
	for _, p := range k.params {
		switch p.Name {
		case s.Name:
			return own
		case "buffer":
			if s.Name == "buffer_index" || s.Name == "buffer_index_type" {
				own = p.Name
			}
		}
	}
	return own
}

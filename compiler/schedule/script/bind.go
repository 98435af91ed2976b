package script

import (
	"hone/compiler/schedule"
	"hone/compiler/tir/tvmscript"
)

// bound is the argument of one parameter.
type bound struct {
	tvmscript.Arg
	given bool
	rest  []tvmscript.Arg // of a variadic parameter
}

// bind distributes arguments over parameters as Python does.
func bind(method string, params []schedule.Param, args tvmscript.Args) (map[string]bound, error) {
	out := make(map[string]bound, len(params))
	left := args.Positional
	for _, p := range params {
		var b bound
		switch {
		case p.Variadic:
			b, left = bound{rest: append([]tvmscript.Arg{}, left...), given: true}, nil
		case !p.Keyword && len(left) > 0:
			b, left = bound{Arg: left[0], given: true}, left[1:]
		case p.Optional:
			b.Arg = args.Arg(p.Default)
		}
		out[p.Name] = b
	}
	if len(left) > 0 {
		return nil, left[0].Errorf("%s takes %d arguments, this is one more", method, len(args.Positional)-len(left))
	}
	for name, a := range args.Named {
		b, known := out[name]
		switch {
		case !known || b.rest != nil:
			return nil, a.Errorf("%s has no argument %s", method, name)
		case b.given:
			return nil, a.Errorf("%s: a second argument %s", method, name)
		}
		out[name] = bound{Arg: a, given: true}
	}
	for _, p := range params {
		if b := out[p.Name]; !b.given && !p.Optional {
			return nil, args.Errorf("%s: the argument %s is missing", method, p.Name)
		}
	}
	return out, nil
}

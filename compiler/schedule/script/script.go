// Package script performs schedule scripts: straight-line Python that calls the
// methods of TVM's Schedule on the object sch.
//
//	b = sch.get_sblock("mm")
//	i, j, k = sch.get_loops(b)
//	i0, i1 = sch.split(i, factors=[None, 16])
//	sch.transform_layout(b, ("read", 0), lambda i, j: (j, i))
//
// Start from Run. Package tvmscript reads and evaluates the Python; bind.go
// distributes arguments over the parameters that a kind of instruction declares
// (schedule.Kind.Params), value.go brings them to the form of its slots. The
// package knows no instruction by name; extra.go holds the methods that make
// none. trace.Trace.String writes scripts.
//
// A fault of the text, the misuse of a method included, is a *tvmscript.Error; a
// refused call is a *tvmscript.CallError around the *schedule.Error.
//
// The package imports schedule and tvmscript, never trace.
package script

import (
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// Run performs the script on s. file is a name for messages. A script that fails
// leaves s as the calls before made it.
func Run(s *schedule.Schedule, file, text string) error {
	return tvmscript.Exec(file, text, "sch", &object{s})
}

// object is sch.
type object struct{ s *schedule.Schedule }

// methods are the kinds by the name of their method.
var methods = func() map[string]*schedule.Kind {
	out := map[string]*schedule.Kind{}
	for _, k := range schedule.Kinds() {
		out[k.Method()] = k
	}
	return out
}()

// Call implements tvmscript.Object.
func (o *object) Call(method string, args tvmscript.Args) (any, error) {
	if method == "get_block" { // its name before TVM's blocks became S-blocks
		method = "get_sblock"
	}
	if k, ok := methods[method]; ok {
		return o.perform(k, args)
	}
	if x, ok := extras[method]; ok {
		vals, err := bind(method, x.params, args)
		if err != nil {
			return nil, err
		}
		return x.call(o, vals)
	}
	return nil, args.Errorf("a schedule has no method %s", method)
}

// perform calls an instruction.
func (o *object) perform(k *schedule.Kind, args tvmscript.Args) (any, error) {
	vals, err := bind(k.Method(), k.Parameters(), args)
	if err != nil {
		return nil, err
	}
	c := &call{object: o, kind: k, vals: vals}
	in, err := c.instruction()
	if err != nil {
		return nil, err
	}
	if err := k.Check(in.Inputs, in.Attrs); err != nil {
		return nil, args.Errorf("%v", err)
	}
	if err := k.Perform(o.s, in); err != nil {
		if schedule.IsRefusal(err) {
			return nil, err
		}
		return nil, args.Errorf("%v", err)
	}
	return o.results(k), nil
}

// results are what the latest instruction returned, as a script sees it: results
// of sampling are variables, so that index maps can be written over them.
func (o *object) results(k *schedule.Kind) any {
	outs := o.s.Last().Outputs
	list := make([]any, len(outs))
	for i, v := range outs {
		list[i] = v
		if e, ok := v.(schedule.ExprRV); ok {
			list[i] = nil
			if !e.IsOpen() {
				list[i] = tir.Expr(schedule.FreeVar(e.ID(), dtype.Int32))
			}
		}
	}
	switch k.Out {
	case schedule.OutNone:
		return nil
	case schedule.OutBlock, schedule.OutLoop, schedule.OutExpr:
		return list[0]
	}
	return list
}

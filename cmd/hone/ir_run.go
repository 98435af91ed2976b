package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/dtype"
	"hone/compiler/runtime"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
	"hone/compiler/tir/interp"
)

// interpretFlags are what `hone ir run` was asked for.
type interpretFlags struct {
	inputs, archives []string
	fn, out          string
}

func newInterpret() *cobra.Command {
	f := &interpretFlags{}
	c := &cobra.Command{Use: "run FILE", Short: "Run a function in the interpreter", Args: exactly("FILE"),
		Long: `Run a function in the interpreter on arrays from NumPy files, with all checks of
bounds, regions and races. Parameters that it writes start as zeros unless they
are given, and are the outputs; without -o they are summarised.` + unreadableExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModule(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			return f.run(cmd.OutOrStdout(), m)
		}}
	c.Flags().StringArrayVar(&f.inputs, "input", nil, "NAME=FILE of a parameter (repeat for several)")
	c.Flags().StringArrayVar(&f.archives, "inputs", nil, ".npz `file` with parameters by name")
	c.Flags().StringVar(&f.fn, "func", "", "function to run (default: the only one, or main)")
	c.Flags().StringVarP(&f.out, "out", "o", "", "where the outputs go: a .npz, or a .npy for a single output; - for standard output")
	return c
}

func (f *interpretFlags) run(w io.Writer, m *tir.Module) error {
	fn, err := f.choose(m)
	if err != nil {
		return err
	}
	if err := tir.Verify(fn); err != nil {
		return err
	}
	if err := tir.VerifyComputable(fn); err != nil {
		return err
	}
	have, err := readTensors("--input", f.inputs, f.archives)
	if err != nil {
		return err
	}
	written := writtenBuffers(fn)
	args, err := bindParams(fn, have, written)
	if err != nil {
		return err
	}
	if err := interp.RunWith(fn, args, interp.Options{Regions: true, Uninitialised: true, Races: true}); err != nil {
		return err
	}
	var infos []runtime.TensorInfo
	named := map[string]*dtype.Tensor{}
	for i, p := range fn.Params {
		b, ok := p.(*tir.Buffer)
		if !ok || !written[b] {
			continue
		}
		infos = append(infos, runtime.TensorInfo{Name: b.Name, Type: args[i].Type, Shape: args[i].Shape})
		named[b.Name] = args[i]
		if f.out == "" {
			if _, err := fmt.Fprintln(w, summary(infos[len(infos)-1], args[i])); err != nil {
				return err
			}
		}
	}
	return writeTensors(w, f.out, infos, named)
}

func (f *interpretFlags) choose(m *tir.Module) (*tir.PrimFunc, error) {
	if f.fn == "" && len(m.Funcs) == 1 {
		return m.Funcs[0], nil
	}
	name := f.fn
	if name == "" {
		name = "main"
	}
	if fn, ok := m.Lookup(name); ok {
		return fn, nil
	}
	names := make([]string, len(m.Funcs))
	for i, g := range m.Funcs {
		names[i] = g.Name
	}
	return nil, usagef("--func: there is no function %s; there are %s", name, strings.Join(names, ", "))
}

// writtenBuffers are the buffers that a function stores to or hands out.
func writtenBuffers(fn *tir.PrimFunc) map[*tir.Buffer]bool {
	out := map[*tir.Buffer]bool{}
	tir.WalkStmt(fn.Body, func(s tir.Stmt) bool {
		switch x := s.(type) {
		case *tir.Store:
			out[x.Buffer] = true
		case *tir.BlockRealize:
			for _, r := range x.Block.Writes {
				out[r.Buffer] = true
			}
		}
		return true
	})
	return out
}

// bindParams are the arguments of a function: tensors by name, zeros for what it
// writes. Sizes that the given ones fix hold for the others.
func bindParams(fn *tir.PrimFunc, have map[string]*dtype.Tensor, written map[*tir.Buffer]bool) ([]*dtype.Tensor, error) {
	args := make([]*dtype.Tensor, len(fn.Params))
	sizes := map[*tir.Var]tir.Expr{}
	known := map[string]bool{}
	for i, p := range fn.Params {
		b, isBuffer := p.(*tir.Buffer)
		name := paramName(p)
		known[name] = true
		args[i] = have[name]
		switch {
		case args[i] == nil && !(isBuffer && written[b]):
			return nil, fmt.Errorf("parameter %s is needed: give --input %s=FILE.npy", name, name)
		case args[i] == nil:
		case isBuffer && len(b.Shape) == len(args[i].Shape):
			for d, e := range b.Shape {
				if v, ok := e.(*tir.Var); ok {
					sizes[v] = tir.IntOf(args[i].Shape[d], v.Type)
				}
			}
		case !isBuffer && args[i].Len() == 1:
			if v := p.(*tir.Var); v.Type.IsInt() {
				sizes[v] = tir.IntOf(args[i].Int(0), v.Type)
			}
		}
	}
	for name := range have {
		if !known[name] {
			return nil, fmt.Errorf("function %s has no parameter %s", fn.Name, name)
		}
	}
	for i, p := range fn.Params {
		if args[i] != nil {
			continue
		}
		b := p.(*tir.Buffer)
		shape, err := fixedShape(b, sizes)
		if err != nil {
			return nil, err
		}
		args[i] = dtype.NewTensor(b.Type, shape...)
	}
	return args, nil
}

func paramName(p tir.Param) string {
	if b, ok := p.(*tir.Buffer); ok {
		return b.Name
	}
	return p.(*tir.Var).Name
}

// maxParam bounds the bytes of a parameter that starts as zeros.
const maxParam = 1 << 36

func fixedShape(b *tir.Buffer, sizes map[*tir.Var]tir.Expr) ([]int64, error) {
	a := arith.NewAnalyzer()
	out, total := make([]int64, len(b.Shape)), int64(max(1, b.Type.Bytes()))
	for d, e := range b.Shape {
		n, ok := tir.AsInt(a.Simplify(tir.Substitute(e, sizes)))
		if !ok || n < 0 {
			return nil, fmt.Errorf("extent %d of parameter %s, %s, is open: give --input %s=FILE.npy", d, b.Name, tir.ExprString(e), b.Name)
		}
		out[d] = n
		if n > 0 && total > maxParam/n {
			return nil, fmt.Errorf("parameter %s has more than %d bytes: extent %d is %d", b.Name, int64(maxParam), d, n)
		}
		total *= max(n, 1)
	}
	return out, nil
}

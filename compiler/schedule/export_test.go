package schedule

import "hone/compiler/tir"

// FillRegions infers the regions that a builder left out.
func FillRegions(f *tir.PrimFunc) *tir.PrimFunc {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		r, ok := s.(*tir.BlockRealize)
		if !ok || r.Block.Reads != nil {
			return s
		}
		b := *r.Block
		b.Reads, b.Writes = inferRegions(&b)
		return &tir.BlockRealize{Values: r.Values, Predicate: r.Predicate, Block: &b}
	}}
	return f.WithBody(w.Rewrite(f.Body))
}

package tirpass

import "hone/compiler/tir"

// stackBytes is the largest buffer that lives on the stack of the thread that
// runs a tile; larger ones come from the caller's workspace.
const stackBytes = 16 << 10

// Scopes of allocations after PlanStorage, besides ScopeRegister.
const (
	ScopeStack     = "local"
	ScopeWorkspace = "global"
)

// PlanStorage decides where every allocation lives: small ones on the stack,
// large ones, and those that a parallel loop shares, in the workspace that the
// caller provides.
func PlanStorage(s tir.Stmt) tir.Stmt {
	moved := map[*tir.Buffer]*tir.Buffer{}
	shared := sharedByLoops(s)
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		a, ok := x.(*tir.AllocBuffer)
		if !ok || a.Buffer.Scope == ScopeRegister {
			return true
		}
		c := *a.Buffer
		n, _ := tir.AsInt(c.Shape[0])
		c.Scope = ScopeWorkspace
		if n*int64(c.Type.Bytes()) <= stackBytes && !shared[a.Buffer] {
			c.Scope = ScopeStack
		}
		moved[a.Buffer] = &c
		return true
	})
	return tir.ReplaceBuffers(s, func(b *tir.Buffer) *tir.Buffer {
		if n, ok := moved[b]; ok {
			return n
		}
		return b
	})
}

// sharedByLoops is the set of buffers that are allocated outside of a parallel
// loop and used inside.
func sharedByLoops(s tir.Stmt) map[*tir.Buffer]bool {
	out := map[*tir.Buffer]bool{}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		l, ok := x.(*tir.For)
		if !ok || l.Kind != tir.Parallel {
			return true
		}
		own := map[*tir.Buffer]bool{}
		tir.WalkStmt(l, func(y tir.Stmt) bool {
			if a, ok := y.(*tir.AllocBuffer); ok {
				own[a.Buffer] = true
			}
			return true
		})
		for b := range collectAccesses(l) {
			if !own[b] {
				out[b] = true
			}
		}
		return false
	})
	return out
}

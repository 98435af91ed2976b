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
// large ones in the workspace that the caller provides.
func PlanStorage(s tir.Stmt) tir.Stmt {
	moved := map[*tir.Buffer]*tir.Buffer{}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		a, ok := x.(*tir.AllocBuffer)
		if !ok || a.Buffer.Scope == ScopeRegister {
			return true
		}
		c := *a.Buffer
		n, _ := tir.AsInt(c.Shape[0])
		c.Scope = ScopeWorkspace
		if n*int64(c.Type.Bytes()) <= stackBytes {
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

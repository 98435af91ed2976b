package tir

import "strconv"

// scriptNames gives printable, unique names to variables and buffers. A name is
// free again when the frame that defined it is popped.
type scriptNames struct {
	names    map[any]string // *Var and *Buffer
	used     map[string]bool
	frames   [][]any
	typeVar  map[*Var]bool
	isParam  map[*Var]bool
	onQuoted func(*Var) // told of each variable that a quoted parameter shape defines
}

func newScriptNames() scriptNames {
	// T, I and R are the modules that scripts import.
	used := map[string]bool{"T": true, "I": true, "R": true}
	for _, k := range pythonKeywords {
		used[k] = true
	}
	return scriptNames{names: map[any]string{}, used: used, typeVar: map[*Var]bool{}, isParam: map[*Var]bool{}}
}

var pythonKeywords = []string{"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
	"continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
	"lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"}

func (n *scriptNames) push() { n.frames = append(n.frames, nil) }

func (n *scriptNames) pop() {
	last := len(n.frames) - 1
	for _, x := range n.frames[last] {
		delete(n.used, n.names[x])
		delete(n.names, x)
	}
	n.frames = n.frames[:last]
}

// define names a variable or buffer in the innermost frame.
func (n *scriptNames) define(x any) string {
	if name, ok := n.names[x]; ok {
		return name
	}
	hint := ""
	switch x := x.(type) {
	case *Var:
		hint = x.Name
	case *Buffer:
		hint = x.Name
	}
	base := legalName(hint)
	name := base
	for i := 1; n.used[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.bind(x, name)
	return name
}

func (n *scriptNames) bind(x any, name string) {
	n.used[name], n.names[x] = true, name
	last := len(n.frames) - 1
	n.frames[last] = append(n.frames[last], x)
}

// name returns the name of x, giving it one when nothing defined it.
func (n *scriptNames) name(x any) string {
	if s, ok := n.names[x]; ok {
		return s
	}
	return n.define(x)
}

func (n *scriptNames) known(v *Var) bool {
	_, ok := n.names[v]
	return ok || n.isParam[v]
}

func legalName(hint string) string {
	if hint == "" {
		return "v"
	}
	b := []byte(hint)
	for i, c := range b {
		if c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			continue
		}
		b[i] = '_'
	}
	if '0' <= b[0] && b[0] <= '9' {
		return "v" + string(b)
	}
	return string(b)
}

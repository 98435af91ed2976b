package cgen

import (
	"strconv"
	"strings"
)

// block is a C block under construction: text before the brace, segments, text
// after the closing brace.
type block struct {
	open, close string
	segments    []*segment
	base        int // height of the segment stack when it was opened
}

// segment is a run of statements of a block with the declarations hoisted to
// its start. A binding ends a segment: what depends on it is hoisted to the
// start of the next.
type segment struct {
	decls []string
	body  []any // string (a line) or *block
	memo  map[string]string
}

func newSegment() *segment { return &segment{memo: map[string]string{}} }

// empty reports whether nothing was emitted into the block.
func (b *block) empty() bool {
	for _, s := range b.segments {
		if len(s.decls) > 0 || len(s.body) > 0 {
			return false
		}
	}
	return true
}

func (b *block) write(w *strings.Builder, indent string) {
	w.WriteString(indent)
	if b.open != "" {
		w.WriteString(b.open + " ")
	}
	w.WriteString("{\n")
	inner := indent + "  "
	for _, s := range b.segments {
		for _, d := range s.decls {
			w.WriteString(inner + d + "\n")
		}
		for _, x := range s.body {
			switch x := x.(type) {
			case string:
				w.WriteString(inner + x + "\n")
			case *block:
				x.write(w, inner)
			}
		}
	}
	w.WriteString(indent + "}" + b.close + "\n")
}

// fn is one C function under construction.
type fn struct {
	k      *kernel
	root   *block
	stack  []*segment // open segments, outermost first
	blocks []*block   // open blocks
	worker bool       // inside the body of a parallel loop

	onStack int64 // bytes of arrays declared
}

func newFn(k *kernel, open string) *fn {
	f := &fn{k: k, root: &block{open: open}}
	f.enter(f.root)
	return f
}

// enter opens a block: what is emitted from now on goes there.
func (f *fn) enter(b *block) {
	b.base = len(f.stack)
	s := newSegment()
	b.segments = append(b.segments, s)
	f.stack = append(f.stack, s)
	f.blocks = append(f.blocks, b)
}

// leave closes the innermost block without placing it anywhere.
func (f *fn) leave() {
	b := f.blocks[len(f.blocks)-1]
	f.blocks = f.blocks[:len(f.blocks)-1]
	f.stack = f.stack[:b.base]
}

// nextSegment starts a new segment of the innermost block and returns its
// depth, that of variables defined just before it.
func (f *fn) nextSegment() int {
	b := f.blocks[len(f.blocks)-1]
	s := newSegment()
	b.segments = append(b.segments, s)
	f.stack = append(f.stack, s)
	return f.depth()
}

// depth is that of the innermost open segment.
func (f *fn) depth() int { return len(f.stack) - 1 }

// line emits a statement.
func (f *fn) line(s string) {
	top := f.stack[len(f.stack)-1]
	top.body = append(top.body, s)
}

// put emits a finished block.
func (f *fn) put(b *block) {
	top := f.stack[len(f.stack)-1]
	top.body = append(top.body, b)
}

// inBlock emits what body emits as a block.
func (f *fn) inBlock(open string, body func()) {
	b := &block{open: open}
	f.enter(b)
	body()
	f.leave()
	f.put(b)
}

// hoist declares a 64-bit temporary with the value of text at the start of the
// segment of that depth, once, and returns its name.
func (f *fn) hoist(text string, depth int) string {
	s := f.stack[depth]
	if name, ok := s.memo[text]; ok {
		return name
	}
	name := f.k.names.fresh("o")
	s.memo[text] = name
	s.decls = append(s.decls, "const i64 "+name+" = "+text+";")
	return name
}

// names hands out C identifiers, each once in a kernel.
type names struct{ used map[string]int }

// reservedNames are the identifiers that units define or C keeps.
var reservedNames = strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long
	register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof
	i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 rt args workspace env lo hi worker ws slice memcpy memset memmove hone_rt main linux unix bool`)

// Symbol is name, or one like it where units or C keep the name for themselves.
func Symbol(name string) string { return newNames().fresh(name) }

func newNames() *names {
	n := &names{used: map[string]int{}}
	for _, r := range reservedNames {
		n.used[r] = 1
	}
	return n
}

// fresh returns an identifier that begins with base, made of letters, digits
// and underscores whatever base contains.
func (n *names) fresh(base string) string {
	base = identifier(base)
	for {
		i := n.used[base]
		n.used[base] = i + 1
		name := base
		if i > 0 {
			name = base + "_" + strconv.Itoa(i)
		}
		if i == 0 || n.used[name] == 0 {
			n.used[name] = max(n.used[name], 1)
			return name
		}
	}
}

// identifier turns any text into a C identifier that no helper has: helpers and
// the implementation's own names begin with hone_ or two underscores.
func identifier(s string) string {
	var b strings.Builder
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9' && i > 0:
			b.WriteRune(c)
		default:
			b.WriteByte('_')
		}
	}
	out := b.String()
	if out == "" || strings.HasPrefix(out, "__") || strings.HasPrefix(out, "hone_") || vectorName(out) {
		out = "v" + out
	}
	return out
}

// vectorName reports whether s looks like a vector type or helper of the
// prelude, such as f32x8 or ld_f32x8.
func vectorName(s string) bool {
	for _, p := range []string{"f32x", "f64x", "i8x", "i16x", "i32x", "i64x", "u8x", "u16x", "u32x", "u64x"} {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

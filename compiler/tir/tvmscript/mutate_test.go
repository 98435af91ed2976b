package tvmscript

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hone/compiler/tir"
)

// TestMutations changes tokens of good scripts: what still reads must print and
// read back equal, what does not must fail with a located error.
func TestMutations(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	r := rand.New(rand.NewPCG(7, 11))
	read, refused := 0, 0
	for _, seed := range seeds(t) {
		if _, err := Parse("", seed); err != nil {
			continue
		}
		for range rounds {
			src := mutate(r, seed)
			m, err := Parse("", src)
			if err != nil {
				if _, ok := err.(*Error); !ok {
					t.Fatalf("%v is not located, for\n%s", err, src)
				}
				refused++
				continue
			}
			if strings.Contains(src, "check_well_formed") {
				continue
			}
			read++
			roundTrip(t, src, m, m.Script())
			for _, f := range m.Funcs {
				if d := tir.Diff(f, f); d != "" {
					t.Fatalf("a function differs from itself: %s\n%s", d, src)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read < rounds || refused < rounds {
		t.Errorf("%d mutants read, %d were refused: the mutations are too weak", read, refused)
	}
}

var spare = []string{"0", "1", "2", "-1", "i", "vi", "T.int64(3)", "1.5", "\"x\"", "True", "None", "A", "A[0]", "A[0:4]", "()", "(1, 2)", "+", "*", "//", "<",
	"and", "not", ":", ",", "T.reads()", "T.Buffer", "T.float32(1)", "T.max", "T.Ramp(0, 1, 4)", "T.if_then_else(i < 2, 1, 2)", "[]", "{}"}

// mutate changes one or two tokens of src.
func mutate(r *rand.Rand, src string) string {
	for range 1 + r.IntN(2) {
		toks := (&source{"", src}).lexSafe()
		if len(toks) < 3 {
			return src
		}
		i := r.IntN(len(toks) - 1)
		a, b := int(toks[i].pos), int(toks[i+1].pos)
		word := strings.TrimRight(src[a:b], " \n")
		switch r.IntN(8) {
		case 0: // replace
			src = src[:a] + spare[r.IntN(len(spare))] + " " + src[a+len(word):]
		case 1: // delete
			src = src[:a] + src[a+len(word):]
		case 2: // insert
			src = src[:a] + spare[r.IntN(len(spare))] + " " + src[a:]
		case 3: // another token of the text in its place
			j := r.IntN(len(toks) - 1)
			other := strings.TrimRight(src[int(toks[j].pos):int(toks[j+1].pos)], " \n")
			src = src[:a] + other + src[a+len(word):]
		default: // one of the same kind
			for range 8 {
				j := r.IntN(len(toks) - 1)
				other := strings.TrimRight(src[int(toks[j].pos):int(toks[j+1].pos)], " \n")
				if toks[j].kind != toks[i].kind || other == word {
					continue
				}
				src = src[:a] + other + src[a+len(word):]
				break
			}
		}
	}
	return src
}

// lexSafe is all tokens, or nothing for text that has none.
func (s *source) lexSafe() (out []token) {
	defer func() {
		if r := recover(); r != nil {
			out = nil
		}
	}()
	l := s.lexer(nowhere)
	for l.advance(); l.tok.kind != eof; l.advance() {
		out = append(out, l.tok)
	}
	return append(out, l.tok)
}

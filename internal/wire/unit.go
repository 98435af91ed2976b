package wire

import (
	"fmt"
	"strings"
)

// A translation unit holds the kernels of a whole batch, so that the compiler starts once.
// When one of them cannot be compiled the agent splits the unit; marker lines tell it
// where the kernels begin. The text before the first marker is shared by all.
const (
	unitMark    = "/* hone:kernel "
	unitMarkEnd = " */"
)

// UnitKernel is the part of a unit that belongs to one entry: the function Symbol, its
// packing functions and its static helpers.
type UnitKernel struct {
	Symbol string
	Text   string
}

// JoinUnit renders a unit. Kernels that are no entry of the item (the reference) are
// kernels of the unit like the others and stay in every part.
func JoinUnit(shared string, kernels []UnitKernel) string {
	var b strings.Builder
	b.WriteString(withNewline(shared))
	for _, k := range kernels {
		b.WriteString(unitMark + k.Symbol + unitMarkEnd + "\n")
		b.WriteString(withNewline(k.Text))
	}
	return b.String()
}

func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// SplitUnit takes a unit apart. A unit without markers is all shared text.
func SplitUnit(text string) (shared string, kernels []UnitKernel, err error) {
	seen := map[string]bool{}
	var b strings.Builder
	flush := func() {
		if len(kernels) == 0 {
			shared = b.String()
		} else {
			kernels[len(kernels)-1].Text = b.String()
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		rest, isMark := strings.CutPrefix(strings.TrimSuffix(line, "\n"), unitMark)
		symbol, ended := strings.CutSuffix(rest, unitMarkEnd)
		if !isMark || !ended {
			b.WriteString(line)
			continue
		}
		if !symbolPattern.MatchString(symbol) || seen[symbol] {
			return "", nil, fmt.Errorf("unit: bad or repeated kernel marker %q", strings.TrimSpace(line))
		}
		seen[symbol] = true
		flush()
		kernels = append(kernels, UnitKernel{Symbol: symbol})
	}
	flush()
	return shared, kernels, nil
}

// MarkUnit puts markers into a unit that an emitter wrote as shared text followed by the
// kernels' texts, back to back.
func MarkUnit(unit string, kernels []UnitKernel) (string, error) {
	tail := 0
	for _, k := range kernels {
		tail += len(k.Text)
	}
	if tail > len(unit) {
		return "", fmt.Errorf("unit of %d bytes is shorter than its kernels", len(unit))
	}
	shared, rest := unit[:len(unit)-tail], unit[len(unit)-tail:]
	for _, k := range kernels {
		var found bool
		if rest, found = strings.CutPrefix(rest, k.Text); !found {
			return "", fmt.Errorf("unit does not end in the text of kernel %s", k.Symbol)
		}
	}
	return JoinUnit(shared, kernels), nil
}

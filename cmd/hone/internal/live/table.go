package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
)

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	green = lipgloss.NewStyle().Foreground(lipgloss.Color("2"))
	warn  = lipgloss.NewStyle().Foreground(lipgloss.Color("3"))
)

const sparkWidth = 16

// row is the text of one task's cells.
type row struct {
	cells []string
	best  bool // it beats the default
}

var header = []string{"operator", "shapes", "weight", "default", "best", "gain", "trials", "trend"}

// right says which columns are numbers.
var right = []bool{false, false, true, true, true, true, true, false}

// shapesColumn gives way when the terminal is narrow.
const shapesColumn = 1

// Table draws the progress for a terminal of a size. It is a function of its
// arguments; elapsed is the time of this run of the command.
func Table(p *Progress, width, height int, elapsed time.Duration) string {
	shown := largest(p.Tasks, max(3, height-7))
	rows := []row{{cells: header}}
	for _, i := range shown {
		t := p.Tasks[i]
		rows = append(rows, row{cells: []string{t.Operator, t.Shapes, fmt.Sprintf("%g", t.Weight), Time(t.Default), Time(t.Best), Gain(t.Default, t.Best),
			trials(t), Spark(t.Trend, sparkWidth)}, best: t.Default > 0 && t.Best < t.Default})
	}
	var b strings.Builder
	widths := columns(rows, width)
	for n, r := range rows {
		line := ""
		for i, c := range r.cells {
			cell := pad(c, widths[i], right[i])
			switch {
			case n == 0:
				cell = faint.Render(cell)
			case r.best && (i == 4 || i == 5):
				cell = green.Render(cell)
			}
			if i > 0 {
				line += "  "
			}
			line += cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if more := len(p.Tasks) - len(shown); more > 0 {
		b.WriteString(faint.Render(fmt.Sprintf("and %d smaller tasks", more)) + "\n")
	}
	b.WriteString("\n" + footer(p, width, elapsed))
	return b.String()
}

func trials(t Task) string {
	if t.Failed == 0 {
		return fmt.Sprint(t.Trials)
	}
	return fmt.Sprintf("%d (%d failed)", t.Trials, t.Failed)
}

// largest are the indices of the n tasks that cost the model most, in the order
// of the model.
func largest(ts []Task, n int) []int {
	all := make([]int, len(ts))
	for i := range all {
		all[i] = i
	}
	if len(all) > n {
		cost := func(i int) float64 { return ts[i].Weight * ts[i].Best }
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(cost(b), cost(a)) })
		all = all[:n]
		slices.Sort(all)
	}
	return all
}

// columns are the widths of the cells; shapes are cut for the rest to fit.
func columns(rows []row, width int) []int {
	w := make([]int, len(header))
	total := 2 * (len(header) - 1)
	for i := range w {
		for _, r := range rows {
			w[i] = max(w[i], lipgloss.Width(r.cells[i]))
		}
		if i == len(w)-1 {
			w[i] = max(w[i], sparkWidth)
		}
		total += w[i]
	}
	if over := total - width; over > 0 {
		w[shapesColumn] = max(len(header[shapesColumn]), w[shapesColumn]-over)
	}
	return w
}

// pad brings a cell to a width, cutting it with an ellipsis.
func pad(s string, width int, toRight bool) string {
	n := lipgloss.Width(s)
	if n > width {
		r := []rune(s)
		return string(r[:max(0, width-1)]) + "…"
	}
	fill := strings.Repeat(" ", width-n)
	if toRight {
		return fill + s
	}
	return s + fill
}

// footer is the state of the whole job.
func footer(p *Progress, width int, elapsed time.Duration) string {
	var lines []string
	lines = append(lines, bar(p, width)+"  "+budget(p)+", "+Span(elapsed)+left(p))
	model := "model latency  not known yet: every task needs a first time"
	if u, t := p.Untuned(), p.Tuned(); t > 0 {
		model = "model latency  " + Time(u) + " → " + bold.Render(Time(t)) + "  " + green.Render(Gain(u, t))
	}
	lines = append(lines, model)
	if f := p.Failures(); f != "" {
		lines = append(lines, "failed         "+f)
	}
	switch {
	case len(p.NoDevice) > 0:
		lines = append(lines, warn.Render("waiting for a device in "+strings.Join(p.NoDevice, ", ")))
	case p.State == "stopping":
		lines = append(lines, "racing the fastest candidates against what builds use now")
	}
	return strings.Join(lines, "\n") + "\n"
}

func left(p *Progress) string {
	if p.State == "stopping" || p.Ended() {
		return ""
	}
	if d, ok := p.Left(); ok && d > 0 {
		return ", about " + Span(d) + " left"
	}
	return ""
}

// budget says how much is spent.
func budget(p *Progress) string {
	if p.Job.TrialBudget > 0 {
		return fmt.Sprintf("%d of %d trials", p.Charged, p.Job.TrialBudget)
	}
	return fmt.Sprintf("%d trials", p.Charged)
}

// bar is the share of the budget that is spent.
func bar(p *Progress, width int) string {
	share := 0.0
	if b := p.Job.TrialBudget; b > 0 {
		share = float64(p.Charged) / float64(b)
	}
	if b := p.Job.TimeBudgetMS; b > 0 {
		share = max(share, float64(p.Active.Milliseconds())/float64(b))
	}
	n := min(24, max(8, width/4))
	full := min(n, int(share*float64(n)+0.5))
	return green.Render(strings.Repeat("█", full)) + faint.Render(strings.Repeat("░", n-full))
}

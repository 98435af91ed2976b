package main

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// listFlags choose how a list is printed.
type listFlags struct{ output string }

func (f *listFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.output, "output", "o", "table", "table or json")
}

// check refuses a form that print does not know, before any work is done.
func (f *listFlags) check() error {
	if f.output != "json" && f.output != "table" {
		return usagef("-o %s: want table or json", f.output)
	}
	return nil
}

// print writes rows as a table under a header, or items as JSON.
func (f *listFlags) print(w io.Writer, items any, header []string, rows [][]string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.output == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(items)
	}
	_, err := io.WriteString(w, table(header, rows))
	return err
}

// table aligns cells in columns. Cells that begin with a digit are numbers and
// go to the right if all of their column do.
func table(header []string, rows [][]string) string {
	width := make([]int, len(header))
	numbers := make([]bool, len(header))
	for i := range header {
		numbers[i] = len(rows) > 0
		width[i] = utf8.RuneCountInString(header[i])
		for _, r := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(r[i]))
			numbers[i] = numbers[i] && (r[i] == "-" || r[i] != "" && strings.ContainsRune("0123456789", rune(r[i][0])))
		}
	}
	var b strings.Builder
	for n, r := range append([][]string{header}, rows...) {
		line := ""
		for i, c := range r {
			fill := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if n == 0 {
				c = strings.ToUpper(c)
			}
			if i > 0 {
				line += "  "
			}
			if numbers[i] {
				line += fill + c
			} else {
				line += c + fill
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hone/cmd/hone/internal/live"
	"hone/compiler"
	"hone/compiler/onnx"
	"hone/compiler/runtime"
	"hone/compiler/runtime/csrc"
	"hone/compiler/target"
	"hone/internal/cc"
	"hone/internal/version"
)

// compileFlags are what `hone compile` was asked for.
type compileFlags struct {
	stateFlags
	targetFlags
	modelFlags
	out      string
	embed    bool
	header   bool
	python   bool
	report   string
	coverage string
	untuned  bool
}

func newCompile() *cobra.Command {
	f := &compileFlags{}
	c := &cobra.Command{Use: "compile MODEL -o OUT.so", Short: "Build a shared library from an ONNX model and the records found for it",
		Long: `Build a shared library from an ONNX model. Kernels for which a record won its
race against the default schedule use it; the others get the default, and the
list printed says why. The database is only read.

The weights go into a file beside the library, with the extension .weights,
unless they are embedded.`,
		Args: exactly("MODEL"), RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }}
	f.stateFlags.add(c)
	f.targetFlags.add(c)
	f.modelFlags.add(c)
	c.Flags().StringVarP(&f.out, "out", "o", "", "library to write")
	c.Flags().BoolVar(&f.embed, "embed-weights", false, "put the weights into the library")
	c.Flags().BoolVar(&f.header, "header", false, "write the C header of the library beside it")
	c.Flags().BoolVar(&f.python, "python", false, "write hone_model.py, a loader for Python, beside it")
	c.Flags().StringVar(&f.report, "report", "", "write what each kernel uses, as JSON")
	c.Flags().StringVar(&f.coverage, "require-coverage", "", "exit with 3 if a smaller share of kernel calls was tuned for this target, such as 95%")
	c.Flags().BoolVar(&f.untuned, "untuned", false, "use no records")
	return c
}

// Results of a lookup, as the report names them.
const (
	resultHit      = "hit" // tuned for this target: a record that won, or the default that nothing beat
	resultFallback = "fallback"
	resultMiss     = "miss"
)

// kernelReport says what one kernel uses and why.
type kernelReport struct {
	Kernel   string  `json:"kernel"`
	Shapes   string  `json:"shapes"`
	Workload string  `json:"workload"`
	Calls    int     `json:"calls"`
	Result   string  `json:"result"` // hit, fallback, miss
	Cause    string  `json:"cause,omitempty"`
	Record   string  `json:"record,omitempty"`
	Champion bool    `json:"champion,omitempty"`
	NS       float64 `json:"ns,omitempty"`
}

// compileReport is the file that --report writes.
type compileReport struct {
	Model    string         `json:"model"`
	Digest   string         `json:"digest"`
	Target   string         `json:"target"`
	Compiler string         `json:"compiler"`
	Library  string         `json:"library"`
	Coverage float64        `json:"coverage"` // share of the calls whose kernels are hits
	Kernels  []kernelReport `json:"kernels"`
	// Forms are the sites that measured times, not the estimate, decided, with the form
	// that each got.
	Forms    map[string]int64 `json:"forms,omitempty"`
	Warnings []string         `json:"warnings,omitempty"`
}

func (f *compileFlags) run(cmd *cobra.Command, path string) error {
	want, err := f.check(path)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t, err := f.targetFlags.parse()
	if err != nil {
		return err
	}
	binding, err := f.binding()
	if err != nil {
		return err
	}
	o := compiler.LoadOptions{ONNX: onnx.Options{Binding: binding, Command: "hone compile " + path}}
	l, found, why, err := f.load(ctx, path, t, &o)
	if err != nil {
		return located(path, err)
	}
	defer l.Close()
	comp, err := f.compiler(ctx, t)
	if err != nil {
		return err
	}
	choices, err := compiler.Choose(l.Tasks, found.records, &t)
	if err != nil {
		return err
	}
	r := compileReport{Model: path, Digest: l.Digest, Target: t.Key(), Compiler: comp.Name(), Library: f.out, Forms: o.Forms, Warnings: l.Warnings}
	r.add(choices, found, why)
	if err := f.build(ctx, l, choices, t, comp); err != nil {
		return err
	}
	return f.finish(cmd, r, want)
}

// load reads the model, with every site in the form that measured times favour, which
// o then names, and what is known of its workloads.
func (f *compileFlags) load(ctx context.Context, path string, t target.Target, o *compiler.LoadOptions) (*compiler.Loaded, foundRecords, string, error) {
	l, err := compiler.Load(path, &t, *o)
	if err != nil || f.untuned {
		return l, newFound(), "records are not used", err
	}
	fail := func(err error) (*compiler.Loaded, foundRecords, string, error) {
		return nil, foundRecords{}, "", errors.Join(err, l.Close())
	}
	sites, err := compiler.Variants(path, l, &t, *o)
	if err != nil {
		return fail(err)
	}
	tasks := slices.Clone(l.Tasks)
	for _, forms := range sites {
		for _, v := range forms[1:] {
			tasks = append(tasks, v.Tasks...)
		}
	}
	found, why, err := f.lookup(ctx, tasks, t)
	if err != nil {
		return fail(err)
	}
	forms := compiler.Fastest(sites, found.ns)
	if len(forms) == 0 {
		return l, found, why, nil
	}
	if err := l.Close(); err != nil {
		return nil, foundRecords{}, "", err
	}
	o.Forms = forms
	l, err = compiler.Load(path, &t, *o)
	return l, found, why, err
}

// check refuses what cannot be meant; it returns the coverage required.
func (f *compileFlags) check(path string) (float64, error) {
	if f.out == "" {
		return 0, usagef("no library to write: give -o OUT.so")
	}
	if filepath.Ext(f.out) == ".weights" {
		return 0, usagef("-o %s: that is where the weights go; give the library another extension", f.out)
	}
	for _, out := range []string{f.out, f.report} {
		if err := mayReplace(out, path); err != nil {
			return 0, err
		}
	}
	if isScript(path) {
		return 0, usagef("%s: only an ONNX model becomes a library; `hone ir apply` gives tensor functions the schedules of their records, `hone ir emit` their C code", path)
	}
	if f.coverage == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(f.coverage, "%"), 64)
	if strings.HasSuffix(f.coverage, "%") {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, usagef("--require-coverage %s: want a share such as 95%%", f.coverage)
	}
	return x, nil
}

// mayReplace refuses to write over the model and over what is no file.
func mayReplace(out, model string) error {
	st, err := os.Stat(out)
	if err != nil {
		return nil // nothing is there, or writing says what is wrong
	}
	if m, err := os.Stat(model); err == nil && os.SameFile(st, m) {
		return usagef("%s is the model", out)
	}
	if !st.Mode().IsRegular() {
		return usagef("%s is not a regular file", out)
	}
	return nil
}

// add fills the report in from the choices made.
func (r *compileReport) add(choices []compiler.Choice, found foundRecords, why string) {
	calls, hits := 0, 0
	for i, c := range choices {
		hash := hex.EncodeToString(c.Task.Hash[:])
		k := kernelReport{Kernel: c.Task.Name, Shapes: shapes(c.Task.Func), Workload: hash, Calls: c.Task.Weight, Record: c.Record, NS: c.NS, Cause: c.Cause}
		calls += c.Task.Weight
		switch c.Source {
		case compiler.SourceRecord:
			k.Result, k.Champion = resultHit, found.champion[hash]
			hits += c.Task.Weight
		case compiler.SourceFallback:
			k.Result, k.Champion = resultFallback, found.champion[hash]
			k.Cause = "record of the " + strings.TrimPrefix(c.Cause, "same ") + " only"
		default:
			k.Result = resultMiss
			if found.stands[hash] {
				k.Result, k.Cause = resultHit, "tuned: nothing won its race against the default schedule"
				hits += c.Task.Weight
			} else if found.unraced[hash] {
				k.Cause = "measured, not raced yet: its job has not ended"
			} else if _, ok := found.records[hash]; !ok {
				k.Cause = missCause(found.known[hash], why)
			}
		}
		choices[i].Cause = k.Cause // the library says the same about itself
		r.Kernels = append(r.Kernels, k)
	}
	if calls > 0 {
		r.Coverage = float64(hits) / float64(calls)
	}
}

func missCause(known bool, why string) string {
	switch {
	case why != "":
		return why
	case known:
		return "tuned without a right result, or on other targets only"
	}
	return "this workload was never tuned"
}

// build compiles and writes the files.
func (f *compileFlags) build(ctx context.Context, l *compiler.Loaded, choices []compiler.Choice, t target.Target, comp *cc.Compiler) error {
	tc := &cc.Toolchain{Compiler: comp}
	if dir, err := os.UserCacheDir(); err == nil {
		if cache, err := cc.OpenCache(filepath.Join(dir, "hone", "objects"), 0); err == nil {
			tc.Cache = cache
		}
	}
	a, err := compiler.Build(ctx, l.Program, choices, compiler.BuildOptions{Target: t, Toolchain: tc, Embed: f.embed,
		Meta: map[string]any{"model": filepath.Base(l.Program.Name), "model_digest": l.Digest, "hone": version.Build}})
	if err != nil {
		return err
	}
	if err := runtime.WriteFiles(f.out, a.Library, runtime.Library{Model: a.Model, Embed: f.embed}); err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.out, err)
	}
	if f.header {
		if err := os.WriteFile(strings.TrimSuffix(f.out, filepath.Ext(f.out))+".h", []byte(csrc.ArtifactHeader()), 0o644); err != nil {
			return err
		}
	}
	if f.python {
		return os.WriteFile(filepath.Join(filepath.Dir(f.out), "hone_model.py"), []byte(runtime.PythonLoader), 0o644)
	}
	return nil
}

// finish prints and writes the report and holds it against the gate.
func (f *compileFlags) finish(cmd *cobra.Command, r compileReport, want float64) error {
	for _, w := range r.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	var rows [][]string
	count := map[string]int{}
	for _, k := range r.Kernels {
		count[k.Result]++
		record := k.Record
		if k.Champion {
			record += " (champion)"
		}
		rows = append(rows, []string{k.Kernel, k.Shapes, fmt.Sprint(k.Calls), k.Result, live.Time(k.NS), record, k.Cause})
	}
	w := cmd.OutOrStdout()
	fmt.Fprint(w, table([]string{"kernel", "shapes", "calls", "result", "time", "record", "cause"}, rows))
	for _, site := range slices.Sorted(maps.Keys(r.Forms)) {
		fmt.Fprintf(w, "%s: %s, by measured times\n", site, formText(r.Forms[site]))
	}
	fmt.Fprintf(w, "%s: %d hit, %d fallback, %d miss; %.1f %% of the calls are covered\n", f.out, count[resultHit], count[resultFallback], count[resultMiss], 100*r.Coverage)
	if f.report != "" {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.report, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if r.Coverage < want {
		return gate("%.1f %% of the calls are tuned for this target, %s are required: tune the model first", 100*r.Coverage, f.coverage)
	}
	return nil
}

// formText names a form of a convolution.
func formText(tile int64) string {
	if tile == 0 {
		return "the convolution itself"
	}
	return fmt.Sprintf("Winograd's tiles of %d×%d", tile, tile)
}

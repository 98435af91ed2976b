package cc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Find lists the compilers that build for the triple (empty: this machine),
// best first: $HONE_CC when set (then it is the only one), the plain or
// prefixed gcc, then clang, then versioned clangs from the newest. The error
// is a *NoCompilerError when there is none, or says what is wrong with
// $HONE_CC.
func Find(ctx context.Context, triple string) ([]*Compiler, error) {
	host := triple == "" || CanonicalTriple(triple) == HostTriple()
	want := HostTriple()
	if !host {
		want = CanonicalTriple(triple)
	}
	if set := os.Getenv("HONE_CC"); set != "" {
		c, err := fromEnvironment(ctx, set, want)
		if err != nil {
			return nil, err
		}
		return []*Compiler{c}, nil
	}
	var out []*Compiler
	seen := map[string]bool{}
	tried := candidates(want, host)
	for _, name := range tried {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && seen[real] {
			continue
		} else if err == nil {
			seen[real] = true
		}
		if c, err := Identify(ctx, path, want); err == nil {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, &NoCompilerError{Triple: triple, Tried: tried}
	}
	return out, nil
}

// Default is the first compiler of Find.
func Default(ctx context.Context, triple string) (*Compiler, error) {
	all, err := Find(ctx, triple)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Named is the first compiler of Find of the given short name: "gcc",
// "clang", or with a major version, "gcc-12".
func Named(ctx context.Context, triple, name string) (*Compiler, error) {
	all, err := Find(ctx, triple)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if string(c.Kind) == name || c.Name() == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no C compiler %q among %s: install it, or set HONE_CC", name, names(all))
}

func names(all []*Compiler) string {
	var s []string
	for _, c := range all {
		s = append(s, c.Name())
	}
	return strings.Join(s, ", ")
}

func fromEnvironment(ctx context.Context, set, want string) (*Compiler, error) {
	path, err := exec.LookPath(set)
	if err != nil {
		return nil, fmt.Errorf("HONE_CC=%s: %w", set, err)
	}
	c, err := Identify(ctx, path, want)
	if err != nil {
		return nil, fmt.Errorf("HONE_CC=%s: %w", set, err)
	}
	return c, nil
}

// candidates are the command names to look for, in order of preference.
func candidates(want string, host bool) []string {
	var out []string
	if host {
		out = append(out, "gcc", "cc")
	}
	out = append(out, want+"-gcc")
	if alt := vendorTriple(want); alt != "" {
		out = append(out, alt+"-gcc")
	}
	return append(append(out, "clang"), versioned("clang-")...)
}

// vendorTriple is the spelling of a Linux triple some distributions use.
func vendorTriple(t string) string {
	arch, rest, ok := strings.Cut(t, "-")
	if !ok {
		return ""
	}
	return arch + "-unknown-" + rest
}

// versioned lists PREFIXn commands on the search path, the largest n first.
func versioned(prefix string) []string {
	found := map[int]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		matches, err := filepath.Glob(filepath.Join(dir, prefix+"[0-9]*"))
		if err != nil {
			continue
		}
		for _, m := range matches {
			if n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(m), prefix)); err == nil {
				found[n] = true
			}
		}
	}
	var ns []int
	for n := range found {
		ns = append(ns, n)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(ns)))
	var out []string
	for _, n := range ns {
		out = append(out, prefix+strconv.Itoa(n))
	}
	return out
}

// identified remembers compilers by path, size, time and wanted triple: asking
// clang for its version alone costs a tenth of a second.
var identified sync.Map

// identifyLimits bound one question to a compiler.
var identifyLimits = Limits{Wall: 20 * time.Second}

// Identify asks the compiler at path who it is. Want is the triple it shall
// build for (empty: whatever it builds for by default); a clang of another
// triple is turned into a cross compiler, a gcc of another triple is refused.
func Identify(ctx context.Context, path, want string) (*Compiler, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(abs)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s|%d|%d|%s|%s", abs, st.Size(), st.ModTime().UnixNano(), want, os.Getenv("PATH"))
	if v, ok := identified.Load(key); ok {
		return v.(*Compiler), nil
	}
	c := &Compiler{Path: abs}
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	if want = CanonicalTriple(want); want != "" && want != c.Triple {
		if c.Kind != Clang {
			return nil, fmt.Errorf("%s builds for %s, not for %s", abs, c.Triple, want)
		}
		c.Args = []string{"--target=" + want}
		c.Triple = want
	}
	c.findLinker(ctx)
	identified.Store(key, c)
	return c, nil
}

var versionPattern = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// ask fills Kind, Version, Banner and Triple.
func (c *Compiler) ask(ctx context.Context) error {
	out, err := c.query(ctx, c.Path, "--version")
	if err != nil {
		return err
	}
	c.Banner, _, _ = strings.Cut(out, "\n")
	switch {
	case strings.Contains(out, "clang"):
		c.Kind = Clang
	case strings.Contains(out, "Free Software Foundation"):
		c.Kind = GCC
	default:
		return fmt.Errorf("%s is neither gcc nor clang (it says %q)", c.Path, c.Banner)
	}
	if c.Kind == Clang {
		c.Version = versionPattern.FindString(c.Banner)
		if _, t, ok := strings.Cut(out, "Target: "); ok {
			t, _, _ = strings.Cut(t, "\n")
			c.Triple = CanonicalTriple(t)
		}
		return nil
	}
	// The distribution's own version stands in parentheses before gcc's.
	v := versionPattern.FindAllString(c.Banner, -1)
	if len(v) > 0 {
		c.Version = v[len(v)-1]
	}
	if out, err = c.query(ctx, c.Path, "-dumpmachine"); err != nil {
		return err
	}
	c.Triple = CanonicalTriple(out)
	return nil
}

// findLinker chooses a linker that can be called without the driver, which
// saves its start-up. GNU ld of the triple first (8 ms a link where lld takes
// 80), then lld. None is fine: the driver links then.
func (c *Compiler) findLinker(ctx context.Context) {
	var names []string
	if c.Triple == HostTriple() {
		names = append(names, "ld.bfd", "ld")
	}
	names = append(names, c.Triple+"-ld.bfd", c.Triple+"-ld", "ld.lld")
	if c.Kind == Clang {
		major, _, _ := strings.Cut(c.Version, ".")
		names = append(names, "ld.lld-"+major)
	}
	for _, n := range names {
		path, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		out, err := c.query(ctx, path, "--version")
		if err != nil {
			continue
		}
		c.Linker = path
		c.LinkerBanner, _, _ = strings.Cut(out, "\n")
		return
	}
}

func (c *Compiler) query(ctx context.Context, argv ...string) (string, error) {
	return process{stage: "identification", compiler: filepath.Base(argv[0]), argv: argv, limits: identifyLimits}.run(ctx)
}

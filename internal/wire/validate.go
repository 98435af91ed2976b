package wire

import (
	"fmt"
	"math"
	"regexp"
)

var (
	idPattern     = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)
	poolPattern   = regexp.MustCompile(`^[a-z0-9_-]{1,128}$`)
	agentPattern  = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	symbolPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,254}$`)
	ccPattern     = regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,64}$`)
)

func validID(s string) bool    { return idPattern.MatchString(s) }
func validAgent(s string) bool { return agentPattern.MatchString(s) }

// ValidPool reports whether s may name a pool; like the ids below it becomes a subject token.
func ValidPool(s string) bool { return poolPattern.MatchString(s) }

// ValidAgent reports whether s may name an agent.
func ValidAgent(s string) bool { return validAgent(s) }

// ValidID reports whether s may name a job, a work item or a trial.
func ValidID(s string) bool { return validID(s) }

// ValidDigest reports whether s is a SHA-256 digest in lower-case hexadecimal.
func ValidDigest(s string) bool { return len(s) == 64 && isHex(s) }

// maxOperandBytes bounds one operand; the device's own memory bounds it further.
const maxOperandBytes = int64(1) << 36

// Validate reports the first violated rule, naming the item and the field. A valid item
// can be executed without further checks of form.
func (w *Work) Validate() error {
	if err := checkVersion("work", w.V); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("work %q: %w", w.Work, err)
	}
	return nil
}

func (w *Work) check() error {
	switch {
	case !validID(w.Work):
		return fmt.Errorf("bad id")
	case !validID(w.Job):
		return fmt.Errorf("bad job id %q", w.Job)
	case w.Project == "":
		return fmt.Errorf("no project")
	case !ValidPool(w.Pool):
		return fmt.Errorf("bad pool %q", w.Pool)
	case w.Attempt < 1:
		return fmt.Errorf("attempt %d", w.Attempt)
	case !ValidNonce(w.Nonce):
		return fmt.Errorf("bad nonce %q", w.Nonce)
	case w.DeadlineMS <= 0:
		return fmt.Errorf("deadline_ms %d", w.DeadlineMS)
	case w.Limits.BuildMS < 0 || w.Limits.RunMS < 0 || w.Limits.MemMB < 0 || w.Limits.OutKB < 0:
		return fmt.Errorf("negative limit")
	}
	switch w.Kind {
	case KindBuild:
		return first(w.checkEntries(), w.checkBuild())
	case KindMeasure, KindRace:
		return first(w.checkEntries(), w.checkRun())
	case KindSelftest:
		if len(w.Entries) != 0 {
			return fmt.Errorf("selftest with entries")
		}
		return nil
	}
	return fmt.Errorf("unknown kind %q", w.Kind)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Work) checkEntries() error {
	if len(w.Entries) < 1 || len(w.Entries) > MaxEntries {
		return fmt.Errorf("%d entries, want 1 to %d", len(w.Entries), MaxEntries)
	}
	trials := map[string]bool{}
	for i := range w.Entries {
		e := &w.Entries[i]
		if !validID(e.Trial) || trials[e.Trial] {
			return fmt.Errorf("entry %d: bad or repeated trial id %q", i, e.Trial)
		}
		trials[e.Trial] = true
		k := Kernel{Artifact: e.Artifact, Symbol: e.Symbol, Workspace: e.Workspace, Pack: e.Pack}
		if err := k.check(w); err != nil {
			return fmt.Errorf("entry %d (trial %s): %w", i, e.Trial, err)
		}
	}
	return nil
}

func (w *Work) checkBuild() error {
	if w.Source == nil || w.Toolchain == nil {
		return fmt.Errorf("nothing to build: source and toolchain are needed")
	}
	if !ccPattern.MatchString(w.Toolchain.CC) {
		return fmt.Errorf("bad compiler name %q", w.Toolchain.CC)
	}
	if !ValidDigest(w.Source.SHA256) || w.Source.Size <= 0 {
		return fmt.Errorf("source without digest or size")
	}
	if len(w.Source.Inline) > MaxInline {
		return fmt.Errorf("inline source of %d bytes exceeds %d: send it as a blob", len(w.Source.Inline), MaxInline)
	}
	return nil
}

func (w *Work) checkRun() error {
	if w.Threads < 1 {
		return fmt.Errorf("threads %d", w.Threads)
	}
	if w.Artifact != nil {
		if err := w.Artifact.validate(); err != nil {
			return err
		}
	} else if w.Source != nil {
		if err := w.checkBuild(); err != nil {
			return err
		}
	} else if err := w.checkOwnArtifacts(); err != nil {
		return err
	}
	if err := w.checkArgs(); err != nil {
		return err
	}
	if w.Incumbent != nil {
		if err := w.Incumbent.Kernel.check(w); err != nil {
			return fmt.Errorf("incumbent: %w", err)
		}
		if b := w.Incumbent.Best; !(b >= 0 && b <= 1) {
			return fmt.Errorf("incumbent: the best is %g of its time", b)
		}
	}
	return w.checkExpect()
}

// checkOwnArtifacts requires every entry to bring its image when the item has none.
func (w *Work) checkOwnArtifacts() error {
	for i := range w.Entries {
		if w.Entries[i].Artifact == nil {
			return fmt.Errorf("entry %d has neither an artifact nor a source to build", i)
		}
	}
	return nil
}

func (w *Work) checkArgs() error {
	outs := 0
	for i := range w.Args {
		a := &w.Args[i]
		if DTypeSize(a.DType) == 0 {
			return fmt.Errorf("arg %d: unknown dtype %q", i, a.DType)
		}
		n := int64(1)
		for _, d := range a.Shape {
			if d <= 0 || n > maxOperandBytes/8/d {
				return fmt.Errorf("arg %d: bad shape %v", i, a.Shape)
			}
			n *= d
		}
		switch a.Role {
		case RoleOut:
			outs++
		case RoleIn, RoleWeight:
			if err := a.Generator.check(a.DType); err != nil {
				return fmt.Errorf("arg %d: %w", i, err)
			}
		default:
			return fmt.Errorf("arg %d: unknown role %q", i, a.Role)
		}
	}
	if outs == 0 {
		return fmt.Errorf("no argument is written: nothing to check")
	}
	return nil
}

func (w *Work) checkExpect() error {
	e := w.Expect
	if e == nil {
		return fmt.Errorf("no expectation: an unchecked time is not a result")
	}
	switch {
	case e.Rule != RuleExact && e.Rule != RuleClose:
		return fmt.Errorf("expect: unknown rule %q", e.Rule)
	case (e.Reference == nil) == (e.OutputsSHA256 == ""):
		return fmt.Errorf("expect: want a reference kernel or a digest of the outputs")
	case e.OutputsSHA256 != "" && (e.Rule != RuleExact || !ValidDigest(e.OutputsSHA256)):
		return fmt.Errorf("expect: a digest of the outputs needs rule exact and a SHA-256")
	case !finiteTol(e.RTol) || !finiteTol(e.ATol):
		return fmt.Errorf("expect: bad tolerance rtol=%g atol=%g", e.RTol, e.ATol)
	}
	if e.Reference == nil {
		return nil
	}
	if err := e.Reference.check(w); err != nil {
		return fmt.Errorf("expect: %w", err)
	}
	return nil
}

func finiteTol(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

func (k *Kernel) check(w *Work) error {
	if !symbolPattern.MatchString(k.Symbol) {
		return fmt.Errorf("bad symbol %q", k.Symbol)
	}
	if k.Workspace < 0 || k.Workspace > maxOperandBytes {
		return fmt.Errorf("workspace of %d bytes", k.Workspace)
	}
	if k.Artifact != nil {
		if err := k.Artifact.validate(); err != nil {
			return err
		}
	}
	seen := map[int]bool{}
	for _, p := range k.Pack {
		switch {
		case !symbolPattern.MatchString(p.Symbol):
			return fmt.Errorf("bad pack symbol %q", p.Symbol)
		case p.Bytes <= 0 || p.Bytes > maxOperandBytes:
			return fmt.Errorf("pack of arg %d into %d bytes", p.Arg, p.Bytes)
		case p.Arg < 0 || seen[p.Arg]:
			return fmt.Errorf("pack of arg %d: no such argument, or packed twice", p.Arg)
		case len(w.Args) > 0 && (p.Arg >= len(w.Args) || w.Args[p.Arg].Role != RoleWeight):
			return fmt.Errorf("pack of arg %d, which is not a weight", p.Arg)
		}
		seen[p.Arg] = true
	}
	return nil
}

func (b *Blob) validate() error {
	if !ValidDigest(b.SHA256) || b.Size <= 0 {
		return fmt.Errorf("bad artifact reference %q (%d bytes)", b.SHA256, b.Size)
	}
	return nil
}

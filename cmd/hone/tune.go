package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hone/api"
	"hone/cmd/hone/internal/live"
	"hone/cmd/hone/internal/local"
	"hone/compiler/target"
	"hone/internal/cc"
	"hone/internal/clock"
	"hone/scheduler"
	"hone/tuner/preset"
)

// tuneFlags are what `hone tune` was asked for.
type tuneFlags struct {
	stateFlags
	targetFlags
	modelFlags
	nats   string
	trials int64
	budget time.Duration
	seed   uint64
	preset string
	set    func(flag string) bool // whether it was given
	fresh  bool
	plain  bool
	notes  bool
}

// trialsPerTask is the budget of a job that was given none.
const trialsPerTask = 64

func newTune() *cobra.Command {
	f := &tuneFlags{}
	c := &cobra.Command{Use: "tune MODEL", Short: "Search for fast schedules of a model's tensor programs",
		Long: `Search for fast schedules by measuring candidates. MODEL is an ONNX file, or a
TVMScript module (.py, .tvmscript, .tir) each of whose functions is a task.

Everything runs on this machine: a coordinator with its state in the data
directory, and one agent that builds and measures. Running the same command
again after an interrupt, or a crash, continues where it stopped.`,
		Args: exactly("MODEL"), RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }}
	f.set = c.Flags().Changed
	f.stateFlags.add(c)
	f.targetFlags.add(c)
	f.modelFlags.add(c)
	c.Flags().StringVar(&f.nats, "nats", "", "broker to use instead of one in this process: nats://…")
	c.Flags().Int64Var(&f.trials, "trials", 0, fmt.Sprintf("candidates to measure (default %d a task, unless --budget is given)", trialsPerTask))
	c.Flags().DurationVar(&f.budget, "budget", 0, "time to spend, such as 20m")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the search")
	c.Flags().StringVar(&f.preset, "preset", "cpu", "rules, postprocessors and mutators of the search")
	c.Flags().BoolVar(&f.fresh, "fresh", false, "start anew instead of continuing an unfinished job")
	c.Flags().BoolVar(&f.plain, "plain", false, "print lines on a terminal too")
	c.Flags().BoolVarP(&f.notes, "verbose", "v", false, "say what the search starts with and how it comes to its candidates")
	return c
}

// exactly asks for the arguments named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return fmt.Errorf("it takes %s, not %d arguments", strings.Join(names, " "), len(args))
		}
		return nil
	}
}

// errInterrupted ends a job's display when somebody pressed Ctrl-C.
var errInterrupted = errors.New("interrupted: run the same command again to continue")

// tuning is one run of the command.
type tuning struct {
	f       *tuneFlags
	out     io.Writer
	errs    io.Writer
	target  target.Target
	comp    *cc.Compiler
	model   model
	home    *local.Home
	bounds  []float64 // by task, in ns; 0: unknown
	job     api.Job
	started time.Time
}

func (f *tuneFlags) run(cmd *cobra.Command, path string) error {
	t := &tuning{f: f, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr(), started: time.Now()}
	ctx := cmd.Context()
	if err := t.prepare(ctx, path); err != nil {
		return err
	}
	driver, err := openDriver()
	if err != nil {
		return err
	}
	home, err := local.Open(ctx, local.Options{Dir: f.dir, DB: f.db, NATS: f.nats, Command: "hone tune " + path, Driver: driver})
	if err != nil {
		return err
	}
	t.home = home
	err = t.tune(ctx)
	return errors.Join(err, home.Close())
}

// prepare reads everything that may be wrong before anything is started.
func (t *tuning) prepare(ctx context.Context, path string) (err error) {
	switch {
	case t.f.trials < 0 || t.f.trials == 0 && t.f.set("trials"):
		return usagef("--trials %d: want 1 or more", t.f.trials)
	case t.f.budget < 0 || t.f.budget == 0 && t.f.set("budget"):
		return usagef("--budget %s: want more than nothing", t.f.budget)
	}
	if _, err := preset.Lookup(t.f.preset); err != nil {
		return usagef("--preset %s: %w", t.f.preset, err)
	}
	if t.target, err = t.f.targetFlags.parse(); err != nil {
		return err
	}
	binding, err := t.f.binding()
	if err != nil {
		return err
	}
	if t.model, err = readModel(path, t.target, binding); err != nil {
		return err
	}
	if err := t.model.readForms(path, t.target, binding, t.f.trials); err != nil {
		return err
	}
	for _, w := range t.model.warnings {
		fmt.Fprintln(t.errs, "warning:", w)
	}
	if t.f.nats == "" {
		if err := checkHere(t.target); err != nil {
			return err
		}
	}
	t.comp, err = t.f.compiler(ctx, t.target)
	return err
}

// tune finds or makes the job and works for it until it ends.
func (t *tuning) tune(ctx context.Context) (err error) {
	if t.bounds, err = t.limits(ctx); err != nil {
		fmt.Fprintln(t.errs, "warning: the processor's peak is not known, tasks do not stop at it:", err)
	}
	request, err := t.request()
	if err != nil {
		return err
	}
	created := false
	if t.job, created, err = t.home.Service().CreateJob(ctx, request); err != nil {
		return err
	}
	others, err := t.home.SetOthersAside(ctx, t.job.ID)
	if err != nil {
		return err
	}
	for _, o := range others {
		fmt.Fprintf(t.errs, "job %s (%s) was left unfinished and is set aside: its command continues it\n", o.ID, o.Name)
	}
	t.announce(created)
	p, err := t.work(ctx)
	wall := time.Since(t.started)
	if p != nil {
		fmt.Fprint(t.out, "\n"+live.Summary(p, wall)+atLimit(p.Tasks, t.bounds))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(t.out, live.Result(p, wall))
	if p.State != "done" {
		return fmt.Errorf("the job %s: %s", p.State, strings.TrimPrefix(p.Reason, "failed: "))
	}
	return nil
}

func (t *tuning) announce(created bool) {
	budget := ""
	if n := t.job.TrialBudget; n > 0 {
		budget += fmt.Sprintf(", %d trials", n)
	}
	if ms := t.job.TimeBudgetMS; ms > 0 {
		budget += ", " + live.Span(time.Duration(ms)*time.Millisecond)
	}
	fmt.Fprintf(t.out, "%s: %s%s, %s, %s\n", t.model.name, counted(len(t.model.workloads), "task"), budget, describe(t.target), t.comp.Name())
	if created {
		fmt.Fprintf(t.out, "job %s\n", t.job.ID)
	} else {
		fmt.Fprintf(t.out, "job %s continues: %d trials are spent\n", t.job.ID, t.job.TrialsSpent)
	}
}

// work runs coordinator and agent and follows the job's events. The progress
// returned is what they tell, also when the error is not nil.
func (t *tuning) work(ctx context.Context) (*live.Progress, error) {
	tasks, err := t.home.Service().Tasks(ctx, t.job.ID)
	if err != nil {
		return nil, err
	}
	d := t.display(tasks)
	p := live.New(t.job, tasks)
	m, err := t.machine()
	if err != nil {
		return nil, err
	}
	ctx, stop := interruptible(ctx, d.note)
	defer stop()
	show := func(e api.Event) error {
		if _, err := p.Apply(e); err != nil {
			return err
		}
		if t.f.notes {
			for _, n := range live.Notes(e) {
				d.note(n)
			}
		}
		return d.event(e)
	}
	err = t.home.Run(context.WithoutCancel(ctx), m, func(run context.Context) error {
		both, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(run, func() { cancel(context.Cause(run)) })()
		err := scheduler.Follow(both, t.home.Service(), clock.Real{}, t.job.ID, 0, show)
		if errors.Is(context.Cause(ctx), errInterrupted) {
			return t.pause(p.Seq, show)
		}
		return err
	})
	return p, errors.Join(err, d.close())
}

// pause leaves the job where it can be continued, and shows what came after an
// event.
func (t *tuning) pause(after int64, show func(api.Event) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := t.home.Service().PauseJob(ctx, t.job.ID); err != nil && !errors.Is(err, api.ErrConflict) {
		return errors.Join(errInterrupted, err)
	}
	es, err := t.home.Service().Events(ctx, api.EventQuery{Job: t.job.ID, After: after})
	for _, e := range es {
		err = errors.Join(err, show(e))
	}
	return errors.Join(errInterrupted, err)
}

// machine is this one, if it is a device of the target.
func (t *tuning) machine() (*local.Machine, error) {
	here, err := target.Native()
	if err != nil || here.Pool() != t.target.Pool() {
		return nil, err
	}
	return &local.Machine{Target: targetOut(t.target), Toolchain: api.Toolchain{Triple: t.target.Triple, Compiler: t.comp.Name()}}, nil
}

// interruptible is cancelled by the first interrupt; the second ends the
// process.
func interruptible(ctx context.Context, note func(string)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		note("stopping; press Ctrl-C again to stop at once")
		cancel(errInterrupted)
		select {
		case <-signals:
			if term.IsTerminal(int(os.Stdout.Fd())) {
				os.Stdout.WriteString("\x1b[?25h") //nolint:errcheck // the table hides the cursor
			}
			os.Exit(exitInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// display is a table on a terminal, lines elsewhere.
type display struct {
	event func(api.Event) error
	note  func(string)
	close func() error
}

func (t *tuning) display(tasks []api.Task) display {
	p := live.New(t.job, tasks)
	if f, ok := t.out.(*os.File); ok && !t.f.plain && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s := live.NewScreen(f, p)
		return display{s.Event, s.Note, s.Close}
	}
	l := live.NewLines(t.out, p, t.started)
	note := func(s string) { fmt.Fprintln(t.errs, s) }
	return display{l.Event, note, func() error { return nil }}
}

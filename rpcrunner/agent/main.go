package agent

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"hone/internal/version"
	"hone/rpcrunner/sandbox"
)

const usage = `Usage: %s [flags]

Builds and measures kernels for a Hone coordinator on this machine. The bundle that
enrolling this machine gave says who it is and where the coordinator is.

`

// Main is the command line; it returns the exit status.
func Main(name string, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	bundle := fs.String("bundle", "", "`file` with the agent's bundle")
	bundleFD := fs.Int("bundle-fd", -1, "inherited `descriptor` to read the bundle from")
	liveFD := fs.Int("live-fd", -1, "inherited `descriptor`: stop at once when it closes")
	verbose := fs.Bool("v", false, "log more")
	showVersion := fs.Bool("version", false, "print the build and exit")
	fs.Usage = func() {
		fmt.Fprintf(stderr, usage, name)
		fs.PrintDefaults()
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *showVersion:
		fmt.Fprintln(stdout, version.Build)
		return 0
	case fs.NArg() > 0:
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", name, fs.Arg(0))
		return 2
	}
	if err := serve(*bundle, *bundleFD, *liveFD, *verbose, stderr); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

func serve(bundle string, bundleFD, liveFD int, verbose bool, stderr io.Writer) error {
	b, err := openBundle(bundle, bundleFD)
	if err != nil {
		return err
	}
	if err := sandbox.Harden(); err != nil {
		return err
	}
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if liveFD >= 0 {
		var lost context.CancelFunc
		ctx, lost = context.WithCancel(ctx)
		defer lost()
		go watch(liveFD, lost)
	}
	return Run(ctx, b, log)
}

// openBundle reads the bundle from the file or descriptor given.
func openBundle(path string, fd int) (Bundle, error) {
	switch {
	case path != "" && fd >= 0:
		return Bundle{}, errors.New("give --bundle or --bundle-fd, not both")
	case path == "" && fd < 0:
		return Bundle{}, errors.New("no bundle: pass the file that describes this agent with --bundle")
	case path == "":
		f := os.NewFile(uintptr(fd), "bundle")
		if f == nil {
			return Bundle{}, fmt.Errorf("descriptor %d is not open", fd)
		}
		defer f.Close()
		return ReadBundle(f)
	}
	if st, err := os.Stat(path); err == nil && st.Mode().Perm()&0o077 != 0 && hasSeed(path) {
		return Bundle{}, fmt.Errorf("%s holds a key and may be read by others: chmod 600 it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Bundle{}, fmt.Errorf("agent bundle: %w", err)
	}
	defer f.Close()
	return ReadBundle(f)
}

func hasSeed(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(b), `"seed"`)
}

// abandon is how long an agent whose owner is gone may take to end its children.
const abandon = 2 * time.Second

// watch ends the process when the other end of the pipe closes: whoever started this agent
// is gone, and the broker with it.
func watch(fd int, lost context.CancelFunc) {
	f := os.NewFile(uintptr(fd), "live")
	if f != nil {
		buf := make([]byte, 1)
		for {
			if _, err := f.Read(buf); err != nil {
				break
			}
		}
	}
	lost()
	time.Sleep(abandon)
	os.Exit(3) // executors die with this process
}

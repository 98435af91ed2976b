package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hone/api"
	"hone/cmd/hone/internal/live"
	"hone/cmd/hone/internal/local"
	"hone/db/store"
)

// recordFlags select records.
type recordFlags struct {
	stateFlags
	listFlags
	job, workload, target string
	limit                 int
}

func newRecords() *cobra.Command {
	f := &recordFlags{}
	list := &cobra.Command{Use: "list", Short: "List records, newest first", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return f.list(cmd) }}
	f.stateFlags.add(list)
	f.listFlags.add(list)
	list.Flags().StringVar(&f.job, "job", "", "of one job")
	list.Flags().StringVar(&f.workload, "workload", "", "of one workload, by its hash or how that begins")
	list.Flags().StringVar(&f.target, "target-key", "", "of one target, by its key")
	list.Flags().IntVar(&f.limit, "limit", 50, "at most so many")
	s := &recordFlags{}
	show := &cobra.Command{Use: "show ID", Short: "Print a record: its trace and how it was measured", Args: exactly("ID"), RunE: func(cmd *cobra.Command, args []string) error { return s.show(cmd, args[0]) }}
	s.stateFlags.add(show)
	s.listFlags.add(show)
	return group("records", "Look at what tuning found", list, show)
}

// reader opens the database for a list; there is nothing to list without one.
func (f *stateFlags) reader(cmd *cobra.Command, write bool) (*local.Reader, error) {
	r, err := local.Read(cmd.Context(), f.options(), write)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("%w: hone tune makes it", err)
	}
	return r, err
}

func (f *recordFlags) list(cmd *cobra.Command) error {
	r, err := f.reader(cmd, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.job != "" {
		if _, err := r.Job(cmd.Context(), f.job); err != nil {
			return err
		}
	}
	rs, err := r.Records(cmd.Context(), api.RecordQuery{Job: f.job, Workload: f.workload, Target: f.target, Limit: f.limit})
	if err != nil {
		return err
	}
	if len(rs) == 0 && f.workload+f.target != "" {
		return fmt.Errorf("no record of this workload and target: %w", api.ErrNotFound)
	}
	named := recordNamer{r: r, names: map[string]string{}, champions: map[string]int64{}}
	var rows [][]string
	for _, x := range rs {
		name, role, err := named.of(cmd.Context(), x)
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprint(x.ID), name, x.Workload[:min(12, len(x.Workload))], live.Time(x.Ns), role, x.Job, x.At.Local().Format(time.DateTime), x.Target})
	}
	return f.print(cmd.OutOrStdout(), rs, []string{"id", "kernel", "workload", "time", "role", "job", "at", "target"}, rows)
}

// recordNamer finds, once each, the names of workloads and which record is the
// champion.
type recordNamer struct {
	r         *local.Reader
	names     map[string]string
	champions map[string]int64 // by project, workload and target
}

// of returns the name of a record's workload and what builds make of the record.
func (n *recordNamer) of(ctx context.Context, x api.Record) (name, role string, err error) {
	if _, ok := n.names[x.Workload]; !ok {
		w, err := n.r.Store.Workload(ctx, x.Workload)
		if err != nil {
			return "", "", err
		}
		n.names[x.Workload] = w.Name
	}
	key := x.Project + "/" + x.Workload + "/" + x.Target
	if _, ok := n.champions[key]; !ok {
		c, err := n.r.Store.Champion(ctx, x.Project, x.Workload, x.Target)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", "", err
		}
		n.champions[key] = c.Record
	}
	role = "-"
	if n.champions[key] == x.ID {
		role = "champion"
	}
	return n.names[x.Workload], role, nil
}

func (f *recordFlags) show(cmd *cobra.Command, text string) error {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return usagef("record %q: want its number", text)
	}
	r, err := f.reader(cmd, false)
	if err != nil {
		return err
	}
	defer r.Close()
	rs, err := r.Records(cmd.Context(), api.RecordQuery{Before: id + 1, Limit: 1})
	if err != nil {
		return err
	}
	if len(rs) == 0 || rs[0].ID != id {
		return fmt.Errorf("record %d: %w", id, api.ErrNotFound)
	}
	x := rs[0]
	named := recordNamer{r: r, names: map[string]string{}, champions: map[string]int64{}}
	name, role, err := named.of(cmd.Context(), x)
	if err != nil {
		return err
	}
	return f.print(cmd.OutOrStdout(), x, []string{"field", "value"}, [][]string{
		{"id", fmt.Sprint(x.ID)}, {"kernel", name}, {"role", role}, {"workload", x.Workload}, {"target", x.Target}, {"time", live.Time(x.Ns)}, {"job", x.Job}, {"at", x.At.Local().Format(time.DateTime)},
		{"toolchain", string(x.Toolchain)}, {"conditions", string(x.Conditions)}, {"provenance", string(x.Provenance)}, {"trace", string(x.Trace)},
	})
}

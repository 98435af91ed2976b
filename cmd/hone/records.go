package main

import (
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
	list.Flags().StringVar(&f.workload, "workload", "", "of one workload, by its hash")
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
	rs, err := r.Records(cmd.Context(), api.RecordQuery{Job: f.job, Workload: f.workload, Target: f.target, Limit: f.limit})
	if err != nil {
		return err
	}
	names := map[string]string{}
	var rows [][]string
	for _, x := range rs {
		if _, ok := names[x.Workload]; !ok {
			w, err := r.Store.Workload(cmd.Context(), x.Workload)
			if err != nil {
				return err
			}
			names[x.Workload] = w.Name
		}
		rows = append(rows, []string{fmt.Sprint(x.ID), names[x.Workload], x.Workload[:min(12, len(x.Workload))], live.Time(x.Ns), x.Target, x.Job, x.At.Local().Format(time.DateTime)})
	}
	return f.print(cmd.OutOrStdout(), rs, []string{"id", "kernel", "workload", "time", "target", "job", "at"}, rows)
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
	return f.print(cmd.OutOrStdout(), x, []string{"field", "value"}, [][]string{
		{"id", fmt.Sprint(x.ID)}, {"workload", x.Workload}, {"target", x.Target}, {"time", live.Time(x.Ns)}, {"job", x.Job}, {"at", x.At.Local().Format(time.DateTime)},
		{"toolchain", string(x.Toolchain)}, {"conditions", string(x.Conditions)}, {"provenance", string(x.Provenance)}, {"trace", string(x.Trace)},
	})
}

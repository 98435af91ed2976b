package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hone/api"
	"hone/cmd/hone/internal/live"
)

// jobFlags select jobs.
type jobFlags struct {
	stateFlags
	listFlags
	limit int
}

func newJobs() *cobra.Command {
	list, show, cancel := &jobFlags{}, &jobFlags{}, &jobFlags{}
	l := &cobra.Command{Use: "list", Short: "List jobs, newest first", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return list.list(cmd) }}
	s := &cobra.Command{Use: "show ID", Short: "Show a job and its tasks", Args: exactly("ID"), RunE: func(cmd *cobra.Command, args []string) error { return show.show(cmd, args[0]) }}
	c := &cobra.Command{Use: "cancel ID", Short: "End a job for good", Args: exactly("ID"), RunE: func(cmd *cobra.Command, args []string) error { return cancel.cancel(cmd, args[0]) }}
	for cmd, f := range map[*cobra.Command]*jobFlags{l: list, s: show, c: cancel} {
		f.stateFlags.add(cmd)
		f.listFlags.add(cmd)
	}
	l.Flags().IntVar(&list.limit, "limit", 50, "at most so many")
	return group("jobs", "Look at jobs and end them", l, s, c)
}

func (f *jobFlags) list(cmd *cobra.Command) error {
	r, err := f.reader(cmd, false)
	if err != nil {
		return err
	}
	defer r.Close()
	js, err := r.Jobs(cmd.Context(), api.JobQuery{Limit: f.limit})
	if err != nil {
		return err
	}
	return f.printJobs(cmd, js)
}

func (f *jobFlags) printJobs(cmd *cobra.Command, js []api.Job) error {
	var rows [][]string
	for _, j := range js {
		rows = append(rows, []string{j.ID, j.Name, j.State, spent(j), live.Span(time.Duration(j.TimeSpentMS) * time.Millisecond), j.CreatedAt.Local().Format(time.DateTime), j.Reason})
	}
	return f.print(cmd.OutOrStdout(), js, []string{"id", "model", "state", "trials", "time", "created", "reason"}, rows)
}

// spent is how much of a job's budget of trials is used.
func spent(j api.Job) string {
	if j.TrialBudget == 0 {
		return fmt.Sprint(j.TrialsSpent)
	}
	return fmt.Sprintf("%d/%d", j.TrialsSpent, j.TrialBudget)
}

// jobView is a job with its tasks.
type jobView struct {
	api.Job
	Tasks []api.Task `json:"tasks"`
}

func (f *jobFlags) show(cmd *cobra.Command, id string) error {
	r, err := f.reader(cmd, false)
	if err != nil {
		return err
	}
	defer r.Close()
	j, err := r.Job(cmd.Context(), id)
	if err != nil {
		return err
	}
	tasks, err := r.Tasks(cmd.Context(), id)
	if err != nil {
		return err
	}
	if f.output != "json" {
		if err := f.printJobs(cmd, []api.Job{j}); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout())
	}
	var rows [][]string
	for _, t := range tasks {
		rows = append(rows, []string{t.Name, fmt.Sprintf("%g", t.Weight), live.Time(t.DefaultNs), live.Time(t.BestNs), live.Gain(t.DefaultNs, t.BestNs), fmt.Sprint(t.Trials), t.Workload[:min(12, len(t.Workload))]})
	}
	return f.print(cmd.OutOrStdout(), jobView{j, tasks}, []string{"task", "weight", "default", "best", "gain", "trials", "workload"}, rows)
}

func (f *jobFlags) cancel(cmd *cobra.Command, id string) error {
	r, err := f.reader(cmd, true)
	if err != nil {
		return err
	}
	defer r.Close()
	j, err := r.CancelJob(cmd.Context(), id)
	if err != nil {
		return err
	}
	return f.printJobs(cmd, []api.Job{j})
}

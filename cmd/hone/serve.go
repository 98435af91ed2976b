package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"hone/cmd/hone/internal/local"
)

func newServe() *cobra.Command {
	var f stateFlags
	var nats string
	c := &cobra.Command{Use: "serve", Short: "Run the coordinator until interrupted",
		Long: "Run the jobs of a database with the agents of a broker, until interrupted. Jobs\nand what was measured stay in the database.",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context(), func(s string) { fmt.Fprintln(cmd.ErrOrStderr(), s) })
			defer stop()
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			driver, err := openDriver()
			if err != nil {
				return err
			}
			home, err := local.Open(ctx, local.Options{Dir: f.dir, DB: f.db, NATS: nats, Command: "hone serve", Log: log, Driver: driver})
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "serving", home.Describe())
			err = home.Run(context.WithoutCancel(ctx), nil, func(run context.Context) error {
				select {
				case <-run.Done():
					return context.Cause(run)
				case <-ctx.Done():
					return nil
				}
			})
			return errors.Join(err, home.Close())
		}}
	f.add(c)
	c.Flags().StringVar(&nats, "nats", "", "broker: nats://… (default: one in this process)")
	return c
}

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hone/internal/version"
	"hone/internal/wire"
)

func newVersion() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the build", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "hone %s (%s, %s/%s, messages v%d, measuring protocol %d)\n", version.Build, runtime.Version(), runtime.GOOS, runtime.GOARCH, wire.Version, wire.Protocol)
		return err
	}}
}

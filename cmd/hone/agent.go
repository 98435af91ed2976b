package main

import (
	"io"

	"github.com/spf13/cobra"

	"hone/rpcrunner/agent"
)

// agentMain is the whole of `hone agent`: its flags are those of hone-agent.
func agentMain(args []string, stdout, stderr io.Writer) int {
	return agent.Main("hone agent", args, stdout, stderr)
}

// newAgent is there for the list of commands; Main takes the command before
// cobra sees it.
func newAgent() *cobra.Command {
	return &cobra.Command{Use: "agent", Short: "Build and measure for a coordinator (the same as hone-agent)", DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := agentMain(args, cmd.OutOrStdout(), cmd.ErrOrStderr()); code != exitDone {
				return &failure{errAgent, code}
			}
			return nil
		}}
}

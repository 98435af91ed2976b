// Command hone-agent is the board agent: a small static binary that builds and measures
// for a coordinator. Everything is in rpcrunner/agent; `hone agent` runs the same.
package main

import (
	"os"

	"hone/rpcrunner/agent"
)

func main() { os.Exit(agent.Main("hone-agent", os.Args[1:], os.Stdout, os.Stderr)) }

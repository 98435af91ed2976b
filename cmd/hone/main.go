// Command hone tunes, compiles and runs models; see `hone --help`. This package
// is wiring: flags in, packages called, text out. One command a file; the local
// coordinator and its agent are internal/local, what shows progress is
// internal/live. Start at root.go.
package main

import "os"

func main() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

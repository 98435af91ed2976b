// Package version names the build. It imports nothing.
package version

// Build identifies the sources that a binary was made from; the linker sets it.
// hone and hone-agent of one machine must have the same.
var Build = "dev"

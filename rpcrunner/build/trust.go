package build

import (
	"fmt"
	"regexp"
	"strings"
)

// An item's flags and source come over the network. They may describe a target and
// optimisation, not reach for files: no includes, no plugins, no outputs of their own.

var allowedFlag = regexp.MustCompile(`^-(O[0-3sz]|g|pipe|m[a-zA-Z0-9][a-zA-Z0-9_.,+=-]*|fPIC|f(no-)?[a-z][a-z0-9-]*(=[a-zA-Z0-9_-]+)?|std=(gnu|c)[0-9a-z]+|W[a-z][a-z0-9-]*(=[0-9]+)?|w|nostdinc|nostdlib|pthread)$`)

// deniedFlags begin with these: they load code, or write or read files.
var deniedFlags = []string{"-fplugin", "-fpass-plugin", "-fdump", "-fprofile", "-fcallgraph", "-fopt-info", "-fsave", "-fcrash", "-ftime-trace", "-fmodule", "-fuse-ld",
	"-fsanitize", "-fcoverage", "-fauto-profile", "-fbranch-probabilities", "-fworking-directory", "-fproc-stat", "-femit", "-fdirectives", "-fpch", "-fthinlto", "-flto", "-fdiagnostics", "-fdeps", "-mllvm", "-mrelocation", "-mlinker"}

// CheckFlags refuses flags that an item has no business setting.
func CheckFlags(flags []string) error {
	for _, f := range flags {
		if !allowedFlag.MatchString(f) {
			return fmt.Errorf("compiler flag %q is not allowed", f)
		}
		for _, d := range deniedFlags {
			if strings.HasPrefix(strings.Replace(f, "-fno-", "-f", 1), d) && !strings.HasPrefix(f, "-fno-") {
				return fmt.Errorf("compiler flag %q is not allowed", f)
			}
		}
	}
	return nil
}

// directives that a unit may use; anything else that begins with # or its digraph could
// bring in files.
var directive = regexp.MustCompile(`(?m)^[ \t\f\v]*(?:#|%:|\?\?=)[ \t\f\v]*([^\s]*)`)

var allowedDirectives = map[string]bool{"if": true, "ifdef": true, "ifndef": true, "elif": true, "else": true, "endif": true, "define": true, "undef": true, "": true}

// pragma is allowed for the compiler's own loop hints.
var allowedPragma = regexp.MustCompile(`^[ \t]*#[ \t]*pragma[ \t]+(GCC (unroll|ivdep|optimize|push_options|pop_options)|clang (loop|fp))\b`)

// CheckSource refuses units that reach outside themselves.
func CheckSource(text string) error {
	for _, m := range directive.FindAllStringSubmatchIndex(text, -1) {
		word := text[m[2]:m[3]]
		line, _, _ := strings.Cut(text[m[0]:], "\n")
		if allowedDirectives[word] || word == "pragma" && allowedPragma.MatchString(line) {
			continue
		}
		return fmt.Errorf("directive %.60q is not allowed in a unit", strings.TrimSpace(line))
	}
	for _, word := range []string{"incbin", "__has_include", "__has_embed", "_Pragma"} {
		if strings.Contains(text, word) {
			return fmt.Errorf("%s is not allowed in a unit", word)
		}
	}
	return nil
}

package lint

import (
	"fmt"
	"sort"
	"strings"
)

// Rule bounds what packages may depend on, directly or through others. Patterns
// are package paths inside the module; "x/..." is x and everything below it.
type Rule struct {
	From   []string // the packages the rule is about
	Only   []string // when set: all they may depend on, besides one another
	Never  []string // what they must not depend on
	Except []string // exceptions to Never
	Why    string
}

// External bounds who imports another module directly.
type External struct {
	Module string
	By     []string
	Why    string
}

// Rules are the layers of the house, lowest first.
var Rules = []Rule{
	{From: []string{"compiler/target", "compiler/dtype", "compiler/runtime/csrc", "cost/gbdt"}, Only: []string{"internal/mathx"},
		Why: "pure data and pure algorithms stand alone"},
	{From: []string{"internal/registry", "internal/clock", "internal/rng", "internal/wire", "internal/atomicfile", "internal/mathx", "internal/peer"}, Only: []string{},
		Why: leafReason},
	{From: []string{"internal/cc"}, Only: []string{"internal/atomicfile"}, Why: "it drives compilers and keeps what they made"},
	{From: []string{"compiler/tir"}, Only: []string{"compiler/dtype"}, Why: "the tensor IR knows element types only"},
	{From: []string{"compiler/tir/arith", "compiler/tir/interp"}, Only: []string{"compiler/dtype", "compiler/tir"}, Why: "they reason about the IR and nothing else"},
	{From: []string{"compiler/tir/analysis"}, Only: []string{"compiler/dtype", "compiler/tir", "compiler/tir/arith"}, Why: "analysis stands on arith"},
	{From: []string{"compiler/tir/..."}, Only: []string{"compiler/dtype", "compiler/target", "internal/registry"}, Why: "the IR and its tools know no schedules, graphs or backends"},
	{From: []string{"compiler/schedule"}, Never: []string{"compiler/trace", "compiler/graph/...", "compiler/codegen/...", "compiler/dlight", "compiler/onnx", "compiler/lower"},
		Why: "a schedule is data below traces"},
	{From: []string{"compiler/codegen/..."}, Never: []string{"compiler/graph/...", "compiler/onnx", "compiler/schedule", "compiler/trace", "compiler/dlight"},
		Why: "backends read lowered functions only"},
	{From: []string{"compiler/..."}, Never: []string{"tuner/...", "cost/...", "scheduler/...", "rpcrunner/...", "db/...", "api", "cmd/...", "web", "bench/..."},
		Why: "the compiler knows nothing of tuning services"},
	{From: []string{"cost/..."}, Never: []string{"tuner/...", "scheduler/...", "rpcrunner/...", "db/...", "internal/wire"}, Why: "a cost model is a function of programs"},
	{From: []string{"tuner/..."}, Never: []string{"scheduler/...", "db/...", "rpcrunner/...", "internal/wire", "api"}, Why: "search is a pure core; services implement its interfaces"},
	{From: []string{"rpcrunner/...", "cmd/hone-agent"}, Never: []string{"tuner/...", "cost/...", "scheduler/...", "db/...", "compiler/..."},
		Except: []string{"compiler/target", "compiler/runtime/csrc"}, Why: "the agent is small: it runs what it is sent"},
	{From: []string{"db/..."}, Never: []string{"tuner/...", "cost/...", "scheduler/...", "rpcrunner/...", "compiler/..."}, Why: "stores know rows, not programs"},
	{From: []string{"scheduler/job", "scheduler/placement"}, Never: []string{"scheduler/bus", "scheduler/jobrun", "tuner/...", "compiler/...", "rpcrunner/..."},
		Why: "state machines are pure"},
	{From: []string{"scheduler/..."}, Never: []string{"rpcrunner/...", "cmd/..."}, Why: "the coordinator meets agents on the wire only"},
	{From: []string{"api", "web"}, Never: []string{"tuner/...", "scheduler/...", "rpcrunner/...", "compiler/..."}, Why: "the contract stands above no implementation"},
	{From: []string{"internal/..."}, Never: []string{"compiler/...", "tuner/...", "cost/...", "scheduler/...", "rpcrunner/...", "db/...", "cmd/..."},
		Why: "internal packages serve everybody"},
}

// Externals say which packages own a dependency.
var Externals = []External{
	{"github.com/nats-io", []string{"scheduler/bus", "scheduler/bus/...", "rpcrunner/link", "cmd/...", "bench/..."}, "the bus is behind two packages"},
	{"github.com/jackc/pgx", []string{"db/pgstore", "db/migrations"}, "SQL stays in the stores"},
	{"modernc.org/sqlite", []string{"db/sqlitestore", "db/migrations"}, "SQL stays in the stores"},
	{"github.com/ebitengine/purego", []string{"compiler/runtime/...", "compiler/codegen/codegentest", "bench/...", "cmd/hone"},
		"loading libraries in process makes a binary dynamic; the agent runs an executor"},
	{"github.com/spf13/cobra", []string{"cmd/...", "bench/..."}, "commands are wiring"},
	{"github.com/dmitryikh/leaves", []string{"cost/gbdt"}, "prediction is one package"},
	{"google.golang.org/protobuf", []string{"compiler/onnx/..."}, "only the importer reads the wire format, and only onnxfile writes it"},
}

// Check returns the violations of the rules, sorted.
func (g *Graph) Check(rules []Rule, externals []External) []string {
	var out []string
	for _, name := range g.names() {
		chains := g.reach(name)
		for _, r := range rules {
			if matches(r.From, name) {
				out = append(out, r.check(name, chains)...)
			}
		}
		out = append(out, g.checkExternals(name, rules, externals)...)
	}
	sort.Strings(out)
	return out
}

func (r Rule) check(name string, chains map[string][]string) []string {
	var out []string
	for dep, chain := range chains {
		bad := matches(r.Never, dep) && !matches(r.Except, dep)
		if r.Only != nil && !matches(r.Only, dep) && !matches(r.From, dep) {
			bad = true
		}
		// Only the first step into forbidden ground is reported.
		if bad && (len(chain) == 2 || !r.forbids(chain[len(chain)-2])) {
			out = append(out, fmt.Sprintf("%s must not depend on %s (%s): %s", name, dep, strings.Join(chain, " → "), r.Why))
		}
	}
	return out
}

func (r Rule) forbids(dep string) bool {
	if matches(r.Never, dep) && !matches(r.Except, dep) {
		return true
	}
	return r.Only != nil && !matches(r.Only, dep) && !matches(r.From, dep)
}

// checkExternals looks at direct imports of other modules; packages that may
// depend on nothing (Only is empty) may depend on no module either, but for
// x/sys and the packages named in Externals.
func (g *Graph) checkExternals(name string, rules []Rule, externals []External) []string {
	var out []string
	for _, i := range g.Packages[name].Imports {
		if !external(i) {
			continue
		}
		for _, x := range externals {
			if (i == x.Module || strings.HasPrefix(i, x.Module+"/")) && !matches(x.By, name) {
				out = append(out, fmt.Sprintf("%s must not import %s: %s", name, i, x.Why))
			}
		}
		for _, r := range rules {
			if r.Why == leafReason && matches(r.From, name) {
				out = append(out, fmt.Sprintf("%s must not import %s: %s", name, i, r.Why))
			}
		}
	}
	return out
}

const leafReason = "leaves import the standard library only"

// matches reports whether a package is among the patterns.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if base, below := strings.CutSuffix(p, "/..."); below {
			if name == base || strings.HasPrefix(name, base+"/") {
				return true
			}
		} else if p == name {
			return true
		}
	}
	return false
}

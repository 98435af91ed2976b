package target

import "sort"

// tags are short names of complete targets. Instances of a cloud are named by
// their vendor and size; a virtual core of a hyper-threaded instance is half a
// physical one, and num-cores counts physical ones.
var tags = map[string]Target{
	"x86_64/sse4.2": {MCPU: "x86-64-v2", NumCores: 1},
	"x86_64/avx2":   {MCPU: "x86-64-v3", NumCores: 1},
	"x86_64/avx512": {MCPU: "x86-64-v4", NumCores: 1},
	"aarch64/neon":  {MCPU: "generic", NumCores: 1},

	"raspberry-pi/3b": {MCPU: "cortex-a53", Model: "raspberry-pi-3b", NumCores: 4},
	"raspberry-pi/4b": {MCPU: "cortex-a72", Model: "raspberry-pi-4b", NumCores: 4},
	"raspberry-pi/5":  {MCPU: "cortex-a76", Model: "raspberry-pi-5", NumCores: 4},

	"aws/c5.large":     {MCPU: "skylake-avx512", Model: "aws-c5.large", NumCores: 1},
	"aws/c5.4xlarge":   {MCPU: "skylake-avx512", Model: "aws-c5.4xlarge", NumCores: 8},
	"aws/c5.9xlarge":   {MCPU: "skylake-avx512", Model: "aws-c5.9xlarge", NumCores: 18},
	"aws/c6i.large":    {MCPU: "icelake-server", Model: "aws-c6i.large", NumCores: 1},
	"aws/c6i.4xlarge":  {MCPU: "icelake-server", Model: "aws-c6i.4xlarge", NumCores: 8},
	"aws/c6a.large":    {MCPU: "znver3", Model: "aws-c6a.large", NumCores: 1},
	"aws/c7i.large":    {MCPU: "sapphirerapids", Model: "aws-c7i.large", NumCores: 1},
	"aws/c7i.4xlarge":  {MCPU: "sapphirerapids", Model: "aws-c7i.4xlarge", NumCores: 8},
	"aws/c7a.medium":   {MCPU: "znver4", Model: "aws-c7a.medium", NumCores: 1},
	"aws/c7a.large":    {MCPU: "znver4", Model: "aws-c7a.large", NumCores: 2},
	"aws/c7a.4xlarge":  {MCPU: "znver4", Model: "aws-c7a.4xlarge", NumCores: 16},
	"aws/c6g.large":    {MCPU: "neoverse-n1", Model: "aws-c6g.large", NumCores: 2},
	"aws/c7g.large":    {MCPU: "neoverse-v1", Model: "aws-c7g.large", NumCores: 2},
	"aws/c7g.4xlarge":  {MCPU: "neoverse-v1", Model: "aws-c7g.4xlarge", NumCores: 16},
	"aws/c8g.large":    {MCPU: "neoverse-v2", Model: "aws-c8g.large", NumCores: 2},
	"aws/c8g.4xlarge":  {MCPU: "neoverse-v2", Model: "aws-c8g.4xlarge", NumCores: 16},
	"gcp/c3-highcpu-4": {MCPU: "sapphirerapids", Model: "gcp-c3-highcpu-4", NumCores: 2},
	"gcp/t2a-2":        {MCPU: "neoverse-n1", Model: "gcp-t2a-2", NumCores: 2},
}

// Tags lists the known tags, sorted; "native" is understood besides.
func Tags() []string {
	out := make([]string, 0, len(tags))
	for n := range tags {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

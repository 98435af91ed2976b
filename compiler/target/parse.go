package target

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Parse reads a target: "native", a tag, a JSON object in Hone's spelling or
// TVM's ({"kind": "llvm", "mcpu": …, "mattr": ["+avx2"], …}), or TVM's command
// line ("llvm -mcpu=znver3 -num-cores=4").
func Parse(s string) (Target, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return Target{}, fmt.Errorf("empty target: use native, a tag such as raspberry-pi/4b, or a JSON description")
	case s == "native":
		return Native()
	case strings.HasPrefix(s, "{"):
		return parseJSON([]byte(s))
	case s == "llvm" || strings.HasPrefix(s, "llvm "):
		return parseCommand(s)
	}
	t, ok := tags[s]
	if !ok {
		return Target{}, unknownTag(s)
	}
	t.Tag = s
	t.complete()
	return t, t.Validate()
}

// unknownTag names the tags that begin like the wrong one, or all families.
func unknownTag(s string) error {
	family, _, _ := strings.Cut(s, "/")
	var near []string
	families := map[string]bool{}
	for _, t := range Tags() {
		f, _, _ := strings.Cut(t, "/")
		families[f] = true
		if f == family {
			near = append(near, t)
		}
	}
	if len(near) > 0 {
		return fmt.Errorf("unknown target %q: there are %s", s, strings.Join(near, ", "))
	}
	return fmt.Errorf("unknown target %q: use native, a JSON description, or a tag of %s", s, joinKeys(families))
}

// description is the union of Hone's and TVM's spellings.
type description struct {
	Kind     string   `json:"kind"`
	ISA      string   `json:"isa"`
	MCPU     string   `json:"mcpu"`
	Features []string `json:"features"`
	Tag      string   `json:"tag"`
	Model    string   `json:"model"`
	Triple   string   `json:"triple"`
	NumCores int      `json:"num-cores"`
	Threads  int      `json:"threads"`
	L1D      int64    `json:"l1d"`
	L2       int64    `json:"l2"`
	L3       int64    `json:"l3"`

	VectorBits      int `json:"vector-bits"`
	VectorRegisters int `json:"vector-registers"`

	MTriple     string   `json:"mtriple"`
	MAttr       []string `json:"mattr"`
	VectorWidth int      `json:"vector-width"`
	// Attributes of TVM's targets that do not matter here.
	Keys      []string        `json:"keys"`
	Device    string          `json:"device"`
	Libs      []string        `json:"libs"`
	Host      json.RawMessage `json:"host"`
	FloatABI  string          `json:"mfloat-abi"`
	MABI      string          `json:"mabi"`
	OptLevel  int             `json:"opt-level"`
	FastMath  int             `json:"fast-math"`
	LLOptions []string        `json:"cl-opt"`
	JIT       string          `json:"jit"`
}

func parseJSON(b []byte) (Target, error) {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	var d description
	if err := dec.Decode(&d); err != nil {
		return Target{}, fmt.Errorf("target description: %w", err)
	}
	if dec.More() {
		return Target{}, fmt.Errorf("target description: text after the object")
	}
	return d.target()
}

// target turns a description into a complete target.
func (d *description) target() (Target, error) {
	t := Target{Kind: d.Kind, ISA: d.ISA, MCPU: d.MCPU, Features: d.Features, Tag: d.Tag, Model: d.Model, Triple: d.Triple,
		NumCores: d.NumCores, Threads: d.Threads, L1D: d.L1D, L2: d.L2, L3: d.L3, VectorBits: d.VectorBits, VectorRegisters: d.VectorRegisters}
	if t.Kind == "llvm" || t.Kind == "c" {
		t.Kind = "cpu"
	}
	if t.Triple == "" {
		t.Triple = canonicalTriple(d.MTriple)
	}
	if t.VectorBits == 0 {
		t.VectorBits = 8 * d.VectorWidth
	}
	if t.MCPU != "" {
		if _, ok := microArchs[t.MCPU]; !ok && t.Features == nil && d.MAttr == nil {
			return Target{}, fmt.Errorf("target mcpu %q is not known: name its isa and features too", t.MCPU)
		}
	}
	if t.ISA == "" && t.MCPU == "" && t.Triple == "" {
		t.ISA = hostISA()
	}
	if err := t.applyAttributes(d.MAttr); err != nil {
		return Target{}, err
	}
	t.complete()
	return t, t.Validate()
}

// applyAttributes adds and removes LLVM attributes, "+avx2" or "-fma", on top
// of what the micro-architecture has.
func (t *Target) applyAttributes(attrs []string) error {
	if attrs == nil {
		return nil
	}
	if u, ok := microArchs[t.MCPU]; ok && t.Features == nil {
		t.Features = append([]string{}, u.features...)
	}
	spelling := map[string]string{"fullfp16": "fp16", "asimd": "neon", "bmi1": "bmi", "simd": "neon"}
	for _, a := range attrs {
		name := strings.TrimLeft(a, "+-")
		if s, ok := spelling[name]; ok {
			name = s
		}
		switch {
		case strings.HasPrefix(a, "+"):
			t.Features = append(t.Features, name)
		case strings.HasPrefix(a, "-"):
			t.Features = without(t.Features, name)
		default:
			return fmt.Errorf("target attribute %q: write +%s or -%s", a, a, a)
		}
	}
	if t.Features == nil {
		t.Features = []string{}
	}
	return nil
}

func without(s []string, x string) []string {
	out := []string{}
	for _, v := range s {
		if v != x {
			out = append(out, v)
		}
	}
	return out
}

var optionPattern = regexp.MustCompile(`^--?([a-z0-9-]+)(=(.*))?$`)

// parseCommand reads TVM's command-line spelling; a value follows "=" or is
// the next word.
func parseCommand(s string) (Target, error) {
	words := strings.Fields(s)
	d := description{Kind: words[0]}
	for i := 1; i < len(words); i++ {
		m := optionPattern.FindStringSubmatch(words[i])
		if m == nil {
			return Target{}, fmt.Errorf("target %q: %q is not an option", s, words[i])
		}
		value := m[3]
		if m[2] == "" {
			if i++; i == len(words) {
				return Target{}, fmt.Errorf("target %q: option -%s has no value", s, m[1])
			}
			value = words[i]
		}
		if err := d.set(m[1], value); err != nil {
			return Target{}, fmt.Errorf("target %q: %w", s, err)
		}
	}
	return d.target()
}

func (d *description) set(option, value string) error {
	number := func(p *int) error {
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("option -%s: %q is not a number", option, value)
		}
		*p = n
		return nil
	}
	switch option {
	case "mcpu":
		d.MCPU = value
	case "mtriple":
		d.MTriple = value
	case "mattr":
		d.MAttr = append(d.MAttr, strings.Split(value, ",")...)
	case "model":
		if value != "unknown" {
			d.Model = strings.ToLower(value)
		}
	case "num-cores":
		return number(&d.NumCores)
	case "threads":
		return number(&d.Threads)
	case "vector-width":
		return number(&d.VectorWidth)
	case "keys", "device", "libs", "mfloat-abi", "mabi", "opt-level", "fast-math", "cl-opt", "jit":
	default:
		return fmt.Errorf("unknown option -%s", option)
	}
	return nil
}

// canonicalTriple drops a triple's vendor field.
func canonicalTriple(t string) string {
	p := strings.Split(t, "-")
	if len(p) == 4 {
		p = []string{p[0], p[2], p[3]}
	}
	if p[0] == "arm64" {
		p[0] = "aarch64"
	}
	return strings.Join(p, "-")
}

// String is the target as one line of JSON; Parse reads it back.
func (t Target) String() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("BUG: target does not marshal: " + err.Error())
	}
	return string(b)
}

// UnmarshalJSON reads either spelling and completes the target.
func (t *Target) UnmarshalJSON(b []byte) error {
	got, err := parseJSON(b)
	if err != nil {
		return err
	}
	*t = got
	return nil
}

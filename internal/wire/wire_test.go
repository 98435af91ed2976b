package wire

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

const digest = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func sample() Work {
	return Work{
		V: 1, Work: "01W", Kind: KindMeasure, Project: "default", Job: "01J", Pool: "d-cpu-x86_64-zen3-epyc", Attempt: 2,
		Nonce: strings.Repeat("0f", 16), DeadlineMS: 60000, Limits: Limits{BuildMS: 1000, RunMS: 500, MemMB: 64, OutKB: 100}, Protocol: Protocol,
		Artifact: &Blob{SHA256: digest, Size: 10}, Threads: 1, Seed: 1 << 63,
		Entries: []Entry{{Trial: "t1", Symbol: "k0", Workspace: 64, Pack: []Pack{{Arg: 1, Symbol: "k0_pack", Bytes: 128}}}, {Trial: "t2", Symbol: "k1"}},
		Args: []Arg{{DType: "float32", Shape: []int64{4, 8}, Role: RoleIn, Generator: Ints(-3, 3)}, {DType: "float32", Shape: []int64{8}, Role: RoleWeight, Generator: Uniform(-1, 1)},
			{DType: "float32", Shape: []int64{4}, Role: RoleOut}},
		Incumbent: &Incumbent{Kernel: Kernel{Artifact: &Blob{SHA256: digest, Size: 10}, Symbol: "k9"}, NS: 123.5},
		Expect:    &Expect{Reference: &Kernel{Symbol: "ref"}, Rule: RuleClose, RTol: 1e-5, ATol: 1e-6},
	}
}

func TestWorkRoundTrip(t *testing.T) {
	b, err := EncodeWork(sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeWork(b)
	if err != nil {
		t.Fatal(err)
	}
	if want := sample(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The names of the normative page.
	for _, name := range []string{"v", "work", "kind", "project", "job", "pool", "attempt", "nonce", "deadline_ms", "limits", "protocol", "artifact", "entries", "threads", "seed", "args", "incumbent", "expect"} {
		var m map[string]json.RawMessage
		json.Unmarshal(b, &m)
		if _, ok := m[name]; !ok {
			t.Errorf("field %q is missing from %s", name, b)
		}
	}
	withMore := strings.Replace(string(b), `{"v":1`, `{"v":1,"of_a_later_build":{"x":[1]}`, 1)
	if again, err := DecodeWork([]byte(withMore)); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("an unknown field changed the item: %v", err)
	}
}

func TestWorkRejects(t *testing.T) {
	cases := []struct {
		name string
		edit func(*Work)
		want string
	}{
		{"version", func(w *Work) { w.V = 9 }, "version 9"},
		{"job with dot", func(w *Work) { w.Job = "a.b" }, "bad job id"},
		{"wildcard pool", func(w *Work) { w.Pool = "d-*" }, "bad pool"},
		{"no attempt", func(w *Work) { w.Attempt = 0 }, "attempt 0"},
		{"nonce", func(w *Work) { w.Nonce = "xyz" }, "bad nonce"},
		{"no deadline", func(w *Work) { w.DeadlineMS = 0 }, "deadline_ms"},
		{"kind", func(w *Work) { w.Kind = "erase" }, "unknown kind"},
		{"no entries", func(w *Work) { w.Entries = nil }, "0 entries"},
		{"twice", func(w *Work) { w.Entries[1].Trial = "t1" }, "repeated trial"},
		{"symbol", func(w *Work) { w.Entries[0].Symbol = "a;b" }, "bad symbol"},
		{"pack of an activation", func(w *Work) { w.Entries[0].Pack[0].Arg = 0 }, "not a weight"},
		{"no outputs", func(w *Work) { w.Args[2].Role = RoleIn; w.Args[2].Generator = Const(0) }, "nothing to check"},
		{"dtype", func(w *Work) { w.Args[0].DType = "float8" }, "unknown dtype"},
		{"overflowing shape", func(w *Work) { w.Args[0].Shape = []int64{1 << 40, 1 << 40} }, "bad shape"},
		{"generator", func(w *Work) { w.Args[0].Generator = Index(0) }, "generator"},
		{"no expectation", func(w *Work) { w.Expect = nil }, "unchecked"},
		{"both", func(w *Work) { w.Expect.OutputsSHA256 = digest }, "reference kernel or a digest"},
		{"nan tolerance", func(w *Work) { w.Expect.RTol = math.NaN() }, "bad tolerance"},
		{"nothing to run", func(w *Work) { w.Artifact = nil }, "neither an artifact nor a source"},
		{"compiler path", func(w *Work) {
			w.Kind, w.Source, w.Toolchain = KindBuild, &Source{SHA256: digest, Size: 1}, &Toolchain{CC: "/bin/sh"}
		}, "bad compiler"},
		{"inline size", func(w *Work) {
			w.Kind, w.Source, w.Toolchain = KindBuild, &Source{SHA256: digest, Size: 1, Inline: make([]byte, MaxInline+1)}, &Toolchain{CC: "gcc"}
		}, "inline source"},
	}
	for _, c := range cases {
		w := sample()
		c.edit(&w)
		if err := w.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	var ve *VersionError
	if _, err := DecodeWork([]byte(`{"v":2,"work":"x"}`)); !errors.As(err, &ve) || ve.Got != 2 {
		t.Errorf("version 2: %v", err)
	}
	if _, err := DecodeWork([]byte(`{`)); err == nil {
		t.Error("broken JSON was accepted")
	}
}

func TestResultRoundTripAndSanitise(t *testing.T) {
	r := Result{Work: "01W", Attempt: 1, Nonce: NewNonce(), Agent: "a-1", Code: OK,
		Entries: []EntryResult{{Trial: "t1", Code: CandidateMismatch, Stage: 1, MaxErr: math.NaN(), Detail: strings.Repeat("é", MaxDetail)}, {Trial: "t2", Code: OK, Stage: 3, SamplesNS: []float64{1, 2}, Ratio: 0.5}}}
	b, err := EncodeResult(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResult(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Entries[0].MaxErr != math.MaxFloat64 || len(got.Entries[0].Detail) > MaxDetail || !strings.HasSuffix(got.Entries[0].Detail, "é…") {
		t.Errorf("not sanitised: %g, %d bytes", got.Entries[0].MaxErr, len(got.Entries[0].Detail))
	}
	if !math.IsNaN(r.Entries[0].MaxErr) {
		t.Error("encoding changed the caller's result")
	}
	bad := r
	bad.Entries = []EntryResult{{Trial: "t1", Code: "candidate.ugly"}}
	if _, err := EncodeResult(bad); err == nil {
		t.Error("an unknown code was encoded")
	}
	bad.Entries = []EntryResult{{Trial: "t1", Code: OK, SamplesNS: []float64{-1}}}
	if _, err := EncodeResult(bad); err == nil {
		t.Error("a negative time was encoded")
	}
}

func TestSubjects(t *testing.T) {
	s := WorkSubject("p", "j", "w", 3)
	if pool, job, work, attempt, err := ParseWorkSubject(s); err != nil || s != "t.p.j.w.3" || pool != "p" || job != "j" || work != "w" || attempt != 3 {
		t.Errorf("%s: %v", s, err)
	}
	s = ResultSubject(5, "a", "w", 3)
	if shard, agent, work, attempt, err := ParseResultSubject(s); err != nil || s != "r.5.a.w.3" || shard != 5 || agent != "a" || work != "w" || attempt != 3 {
		t.Errorf("%s: %v", s, err)
	}
	for _, bad := range []string{"", "t.p.j.w", "t.p.j.w.0", "r.p.j.w.1", "t.p.j.w.x"} {
		if _, _, _, _, err := ParseWorkSubject(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, _, _, _, err := ParseResultSubject("r.16.a.w.1"); err == nil {
		t.Error("shard 16 was accepted")
	}
	if WorkMsgID("w", 2) != "w.2" || ResultMsgID("w", 2, "a") != "w.2.a" {
		t.Error("message ids")
	}
	if n := NewNonce(); !ValidNonce(n) || n == NewNonce() || !SameNonce(n, n) || SameNonce("", "") {
		t.Error("nonces")
	}
}

func TestCodeTable(t *testing.T) {
	metrics := map[string]bool{}
	for _, c := range Codes {
		if metrics[c.Metric] || c.Text == "" || c.Metric == "" {
			t.Errorf("%s: metric repeated or text missing", c.Code)
		}
		metrics[c.Metric] = true
		charged := c.Code == OK || c.Code.Class() == "candidate"
		if c.Charged != charged || charged && c.Retry != RetryNever {
			t.Errorf("%s: charged=%v retry=%s: candidates are charged once, others never", c.Code, c.Charged, c.Retry)
		}
	}
	if i := Code("candidate.of_tomorrow").Info(); i.Charged || i.Retry != RetryMeasure {
		t.Errorf("an unknown code: %+v", i)
	}
}

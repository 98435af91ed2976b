package tvmscript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hone/internal/peer"
)

// TestTVMReads gives TVM the scripts of testdata/script/corpus*.txt and
// refused*.txt: it refuses what Hone refuses and prints what it reads as Hone
// does. A comment `# differs: why` marks the exceptions.
func TestTVMReads(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	python := peer.Python(t, "tvm")
	cases := map[string]string{}
	for _, pattern := range []string{"corpus*.txt", "refused*.txt"} {
		files, _ := filepath.Glob("testdata/script/" + pattern)
		for _, file := range files {
			for name, src := range readCases(t, file) {
				cases[name] = src
			}
		}
	}
	if len(cases) < 300 {
		t.Fatalf("only %d scripts", len(cases))
	}
	data, _ := json.Marshal(cases)
	cmd := exec.Command(python, "testdata/tvm_read.py")
	cmd.Stdin = bytes.NewReader(append(data, '\n'))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); answers++ {
		var answer [3]any
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		name, text := answer[0].(string), answer[2].(string)
		compareReading(t, name, cases[name], answer[1].(bool), text)
	}
	if answers != len(cases) {
		t.Errorf("%d scripts, %d answers", len(cases), answers)
	}
}

func compareReading(t *testing.T, name, src string, accepted bool, text string) {
	m, err := Parse(name, src)
	same := err != nil && !accepted
	ours := ""
	if err == nil {
		ours = printed(m, src)
		same = accepted && ours == text
	}
	switch differs := strings.Contains(src, "# differs:"); {
	case differs && same:
		t.Errorf("%s: no longer differs", name)
	case differs || same:
	case !accepted:
		t.Errorf("%s: read here, refused by TVM: %s\n%s", name, text, src)
	case err != nil:
		t.Errorf("refused here, read by TVM: %v", err)
	default:
		t.Errorf("%s: %s", name, firstDifference(ours, text))
	}
}

// readCases are the inputs of the read commands of a file, by place.
func readCases(t *testing.T, file string) map[string]string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	rest, line := string(data), 1
	for {
		before, after, ok := strings.Cut(rest, "\nread\n")
		if !ok {
			return out
		}
		line += strings.Count(before, "\n") + 2
		src, _, _ := strings.Cut(after, "\n----\n")
		out[filepath.Base(file)+":"+strconv.Itoa(line)] = src + "\n"
		rest = "\n" + after[len(src):]
		line += strings.Count(src, "\n") - 1
	}
}

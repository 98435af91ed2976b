package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir/tvmscript"
)

// FuzzRun: whatever a script says, it is performed, refused or at fault, and what
// fails leaves a function that still verifies.
func FuzzRun(f *testing.F) {
	for _, name := range []string{"language.txt", "errors.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(data), "\n\n") {
			text, _, _ := strings.Cut(c, "\n----")
			_, text, _ = strings.Cut(text, "matmul\n")
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newSchedule(t, "matmul")
		err := script.Run(s, "", text)
		var fault *tvmscript.Error
		var refused *tvmscript.CallError
		if err != nil && !errors.As(err, &fault) && !(errors.As(err, &refused) && schedule.IsRefusal(err)) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}

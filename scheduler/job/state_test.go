package job

import (
	"slices"
	"testing"

	"hone/db/store"
)

func TestTransitionMatrix(t *testing.T) {
	states := append(slices.Clone(store.Unfinished), store.JobDone, store.JobFailed, store.JobCancelled)
	want := `
queued    -> running paused failed cancelled
running   -> paused stopping
paused    -> running stopping
stopping  -> done failed cancelled
done      ->
failed    ->
cancelled ->`
	got := ""
	for _, from := range states {
		got += "\n" + string(from) + "          "[len(from):] + "->"
		for _, to := range states {
			if Allowed(from, to) {
				got += " " + string(to)
			}
		}
	}
	if got != want {
		t.Fatalf("got%s\nwant%s", got, want)
	}
}

// Every job can end, and what has ended stays.
func TestEveryStateReachesAnEnd(t *testing.T) {
	for _, from := range store.Unfinished {
		seen, todo := map[store.JobState]bool{}, []store.JobState{from}
		for len(todo) > 0 {
			s := todo[0]
			todo = todo[1:]
			if !seen[s] {
				seen[s] = true
				todo = append(todo, next[s]...)
			}
		}
		for _, end := range []store.JobState{store.JobDone, store.JobFailed, store.JobCancelled} {
			if !seen[end] {
				t.Errorf("%s cannot reach %s", from, end)
			}
		}
	}
}

func TestInto(t *testing.T) {
	if got := Into(store.JobRunning); !slices.Equal(got, []store.JobState{store.JobQueued, store.JobPaused}) {
		t.Fatalf("into running: %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("nothing leads back to queued: Into must panic")
		}
	}()
	Into(store.JobQueued)
}

package live

import (
	"encoding/json"
	"slices"
	"testing"

	"hone/api"
)

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		kind string
		body string
		want []string
	}{
		{api.EventJobNotes, `{"notes":["a","b"]}`, []string{"a", "b"}},
		{api.EventTrialsProposed, `{"first":3,"last":8,"origins":{"transferred":2,"evolved":4}}`, []string{"trials 3 to 8: 4 evolved, 2 transferred"}},
		{api.EventTrialsProposed, `{"first":3,"last":8}`, nil}, // races
		{api.EventJobState, `{"state":"done"}`, nil},
		{api.EventJobNotes, `{"notes":3}`, nil},
	} {
		if got := Notes(api.Event{Kind: c.kind, Body: json.RawMessage(c.body)}); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q", c.kind, c.body, got)
		}
	}
}

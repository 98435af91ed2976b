package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hone/api"
)

// Notes are the lines that an event adds for who wants to know more: what the job
// starts with, and how the search came to the candidates of a round.
func Notes(e api.Event) []string {
	switch e.Kind {
	case api.EventJobNotes:
		var b api.JobNotes
		if json.Unmarshal(e.Body, &b) == nil {
			return b.Notes
		}
	case api.EventTrialsProposed:
		var b api.TrialsProposed
		if json.Unmarshal(e.Body, &b) == nil && len(b.Origins) > 0 {
			var parts []string
			for _, o := range slices.Sorted(maps.Keys(b.Origins)) {
				parts = append(parts, fmt.Sprintf("%d %s", b.Origins[o], o))
			}
			return []string{fmt.Sprintf("trials %d to %d: %s", b.First, b.Last, strings.Join(parts, ", "))}
		}
	}
	return nil
}

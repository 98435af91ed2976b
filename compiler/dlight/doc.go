// Package dlight schedules functions without search: rules tried in order, each
// a fixed list of primitives with decisions computed from the target. Its
// schedules are what a build gets on a database miss and what every search
// starts from as candidate zero.
//
// The same lists serve the search: a move (inline.go, row.go, stages.go, tile.go,
// spatial.go, finish.go) issues its instructions either with computed decisions or lets them
// be drawn, so the default schedule is always a point of the searched space.
// Start from Default. The package knows nothing of tuning.
package dlight

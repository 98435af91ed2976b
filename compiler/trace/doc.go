// Package trace stores what a schedule did: a list of instructions with the
// decisions of the sampling ones, as text that MetaSchedule reads and writes,
// and replays it on a fresh module with the same, with other or without
// decisions.
//
// Start from Of, which takes the record of a schedule, and Trace.Replay. Parse
// and Trace.MarshalJSON are the text form; graph.go holds the node graphs in
// which index maps travel; upgrade.go translates older spellings.
//
// The package knows no instruction kind by name: everything it needs is in
// schedule.Kind. It imports schedule and what that imports, never the tuner.
package trace

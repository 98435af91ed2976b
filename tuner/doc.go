// Package tuner is one job's tuning loop as a value: a Session proposes trials
// and accepts outcomes, and is a function of its specification, the trials
// proposed so far and the outcomes in the order they were accepted. Nothing else
// is remembered, so a session rebuilt from the ledger goes on as if it had never
// stopped.
//
// Start from Session. Members live in sub-packages: rule, postproc, mutator (one
// member a file), preset (the tables that order them), space (sketches), search
// (candidates of one task), task (who is next). The package imports the compiler,
// never scheduler, wire, db or cost: what it needs of them are the interfaces of
// model.go.
package tuner

// Package jobrun is a job's driver: a tuning session rebuilt from the ledger,
// proposals written back as drafts, schedules emitted as work items. It implements
// scheduler.Driver and is wired in by commands. It imports tuner, the compiler and
// the scheduler's own types; never a bus or an agent. Start from Opener.
package jobrun

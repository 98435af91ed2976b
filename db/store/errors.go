package store

import "errors"

// Causes that callers tell apart with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	// ErrConflict: the row is not in the state that the verb starts from.
	ErrConflict = errors.New("conflict")
	// ErrStale: another champion was promoted since the race began.
	ErrStale = errors.New("the champion that was raced is no longer current")
	// ErrBudget: the trial budget has no room for the proposal.
	ErrBudget = errors.New("trial budget exceeded")
	// ErrHeld: somebody else holds the lease.
	ErrHeld = errors.New("lease is held")
	// ErrFenced: the lease that the write was made under is lost.
	ErrFenced = errors.New("lease lost")
	// ErrCorrupt: stored data does not match its checksum.
	ErrCorrupt = errors.New("stored data is corrupt")
	// ErrInvalid: the request breaks a rule that no state would allow.
	ErrInvalid = errors.New("invalid")
	// ErrReadOnly: the database or its directory cannot be written.
	ErrReadOnly = errors.New("read-only")
	// ErrFull: the disk has no room left.
	ErrFull = errors.New("disk full")
	// ErrBusy: another process kept the database locked for too long.
	ErrBusy = errors.New("database is busy")
)

package store

import "time"

// Lease is the right to act as the one owner of something for a while. The
// epoch rises with each new owner, so a late write of an old one is told apart.
type Lease struct {
	Name  string
	Owner string
	Epoch int64
	Until time.Time // by the database's clock
}
